"""Queries for computing change events: queued captures, their neighbours in time, and the rows of events."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any

from sqlalchemy import Table, bindparam, delete, or_, select, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from webstrata.db.schema.change_tables import JobTemplate, PendingChange, SnapshotChange, TemplateChange
from webstrata.db.schema.tables import Capture, Document, Snapshot, WarcFile
from webstrata.db.sql.bulk import ManyRows
from webstrata.db.sql.planner_hints import unindexed
from webstrata.db.sql.value_lists import Among
from webstrata.model.quality import GOOD


@dataclass(frozen=True)
class ComparedSnapshot:
    """The columns of a snapshot that are needed to compare it."""

    id: int
    source_id: int
    normalized_url_group: str
    capture_timestamp: datetime
    job_id: int | None
    content_hash: str | None
    document_id: int | None
    status_code: int | None
    title: str | None
    language: str | None
    quality: float | None
    quality_kind: str | None
    outlinks_from: int | None
    index_version: int | None
    """The version of the index that read it; None when its file is not known."""


@dataclass(frozen=True)
class CapturePair:
    """A capture and the capture of the same page before it, if there is one."""

    old: ComparedSnapshot | None
    new: ComparedSnapshot
    is_announced: bool


@dataclass(frozen=True)
class NewEvent:
    """A change event as it is stored."""

    source_id: int
    normalized_url_group: str
    from_snapshot_id: int | None
    to_snapshot_id: int
    from_job_id: int | None
    to_job_id: int | None
    from_capture_timestamp: datetime | None
    to_capture_timestamp: datetime
    change_type: str
    is_announced: bool
    diff_version: str
    normalization_version: str
    computed_at: datetime
    computed_by: str
    summary: str | None = None
    diff_format: str | None = None
    diff_html: str | None = None
    diff_truncated: bool = False
    added_sections: int | None = None
    removed_sections: int | None = None
    changed_sections: int | None = None
    added_lines: int | None = None
    removed_lines: int | None = None
    change_ratio: float | None = None
    high_noise: bool = False
    significance: float = 0.0
    reasons: list[dict[str, object]] = field(default_factory=list)
    ignored: list[dict[str, object]] = field(default_factory=list)
    template_changed: bool = False
    error_message: str | None = None


@dataclass(frozen=True)
class StoredText:
    """The text of a page as the index stored it."""

    title: str
    text: str
    blocks: str | None
    regions: str | None


def add_pending(session: Session, source_id: int, snapshot_ids: Collection[int], *, is_announced: bool) -> None:
    """Queue new snapshots for their events."""
    if snapshot_ids:
        rows = [(snapshot_id, source_id, is_announced) for snapshot_id in snapshot_ids]
        _ADD_PENDING[session.get_bind().dialect.name].execute(session, rows)


def pending_count(session: Session, source_id: int) -> int:
    """Return the number of a source's captures that are queued for their events."""
    count = text("SELECT count(*) FROM pending_changes WHERE source_id = :source_id")
    return int(session.execute(count, {"source_id": source_id}).scalar_one())


def add_missing(session: Session, source_id: int, since: datetime | None) -> int:
    """Queue snapshots without an event for one that is not announced, and return their number."""
    result = session.execute(_ADD_MISSING, {"source_id": source_id, "since": since})
    return int(getattr(result, "rowcount", 0))


def missing_count(session: Session, source_id: int, since: datetime | None) -> int:
    """Return the number of a source's snapshots that have no event and are not queued for one."""
    return int(session.execute(_COUNT_MISSING, {"source_id": source_id, "since": since}).scalar_one())


def next_pairs(session: Session, source_id: int, limit: int) -> tuple[list[CapturePair], list[int]]:
    """Return the next pairs of a source to compare, and the queued captures that are then finished.

    A late capture also makes a new pair with the capture after it.
    """
    waiting = session.execute(_WAITING, {"source_id": source_id, "most": limit}).all()
    announced = {row.id: bool(row.is_announced) for row in waiting}
    later = {row.following: row.id for row in waiting if row.following is not None and row.following not in announced}
    requested = {*announced, *later, *(row.preceding for row in waiting if row.preceding is not None)}
    known = load_snapshots(session, requested)
    pairs = [
        CapturePair(known.get(row.preceding), known[row.id], announced[row.id]) for row in waiting if row.id in known
    ]
    pairs += [CapturePair(known.get(old), known[new], False) for new, old in later.items() if new in known]
    return pairs, list(announced)


def load_snapshots(session: Session, snapshot_ids: Iterable[int]) -> dict[int, ComparedSnapshot]:
    """Return snapshots by their ids."""
    columns = [getattr(Snapshot, one.name) for one in fields(ComparedSnapshot) if one.name != "index_version"]
    query = (
        select(*columns, WarcFile.index_version)
        .outerjoin(Capture, Snapshot.capture_id == Capture.id)
        .outerjoin(WarcFile, Capture.warc_file_id == WarcFile.id)
        .where(Snapshot.id.in_(list(snapshot_ids)), Snapshot.normalized_url_group.is_not(None))
    )
    return {row[0]: ComparedSnapshot(*tuple(row)) for row in session.execute(query)}


def load_texts(session: Session, document_ids: Collection[int]) -> dict[int, StoredText]:
    """Return the texts of documents."""
    query = select(Document.id, Document.title, Document.text, Document.blocks, Document.regions)
    rows = session.execute(query.where(Document.id.in_(document_ids)))
    return {row[0]: StoredText(*row[1:]) for row in rows}


def earlier_documents(session: Session, snapshot: ComparedSnapshot, most: int) -> list[int]:
    """Return the documents of the good captures of a page before one, newest first."""
    query = (
        select(Snapshot.document_id)
        .where(
            Snapshot.normalized_url_group == snapshot.normalized_url_group,
            unindexed(Snapshot.source_id) == snapshot.source_id,
            Snapshot.capture_timestamp <= snapshot.capture_timestamp,
            Snapshot.id != snapshot.id,
            Snapshot.document_id.is_not(None),
            # Only good captures: with a block page in between, every line would count as changing.
            or_(Snapshot.quality.is_(None), Snapshot.quality >= GOOD),
        )
        .order_by(Snapshot.capture_timestamp.desc(), Snapshot.id.desc())
        .limit(most)
    )
    return [document_id for document_id in session.scalars(query) if document_id is not None]


def write_events(session: Session, events: Sequence[NewEvent], settled: Collection[int]) -> None:
    """Write events, replacing earlier ones of the same captures, and remove the finished captures from the queue."""
    rows = [tuple(getattr(event, name) for name in _EVENT_COLUMNS) for event in events]
    _WRITE_EVENTS[session.get_bind().dialect.name].execute(session, rows)
    settle_pending(session, settled)


def settle_pending(session: Session, snapshot_ids: Collection[int]) -> None:
    """Remove captures from the queue."""
    if snapshot_ids:
        _SETTLE.execute(session, {"settled": snapshot_ids})


def jobs_without_template(session: Session, source_id: int) -> list[int]:
    """Return the jobs with captures that are queued for events and without a template."""
    query = text(
        "SELECT DISTINCT s.job_id FROM pending_changes w JOIN snapshots s ON s.id = w.snapshot_id"
        " JOIN archive_jobs j ON j.id = s.job_id"
        " WHERE w.source_id = :source_id AND j.status NOT IN ('queued', 'running', 'retryable')"
        " AND NOT EXISTS (SELECT 1 FROM job_templates t WHERE t.job_id = s.job_id) ORDER BY s.job_id"
    )
    return [int(job_id) for job_id in session.execute(query, {"source_id": source_id}).scalars()]


def sample_texts(session: Session, job_id: int, most: int) -> list[str]:
    """Return the texts of good captures of a job, spread evenly over it."""
    good = (
        "FROM snapshots s WHERE s.job_id = :job_id AND (s.status_code IS NULL OR s.status_code BETWEEN 200 AND 299)"
        f" AND (s.quality IS NULL OR s.quality >= {GOOD})"
    )
    count = session.execute(text(f"SELECT count(*) {good}"), {"job_id": job_id}).scalar_one()
    ids = session.execute(text(f"SELECT s.document_id {good} ORDER BY s.id"), {"job_id": job_id}).scalars()
    step = max(1, int(count) // most)
    sampled = [document_id for place, document_id in enumerate(ids) if place % step == 0 and document_id is not None]
    return [stored.text for stored in load_texts(session, list(dict.fromkeys(sampled))[:most]).values()]


def save_template(session: Session, job_id: int, pages: int, lines: Collection[str]) -> None:
    """Store the template of a job."""
    session.merge(JobTemplate(job_id=job_id, pages=pages, lines=sorted(lines)))


def load_template(session: Session, job_id: int | None) -> frozenset[str]:
    """Return the template of a job; empty when none was computed."""
    stored = None if job_id is None else session.get(JobTemplate, job_id)
    return frozenset() if stored is None else frozenset(stored.lines)


def save_template_change(session: Session, change: TemplateChange) -> None:
    """Store a change of a site's template, in place of the one between the same jobs."""
    pair = (TemplateChange.from_job_id == change.from_job_id, TemplateChange.to_job_id == change.to_job_id)
    session.execute(delete(TemplateChange).where(*pair))
    session.add(change)


def previous_job(session: Session, source_id: int, job_id: int) -> int | None:
    """Return the job of a source with a template before a job."""
    query = text(
        "SELECT max(t.job_id) FROM job_templates t JOIN archive_jobs j ON j.id = t.job_id"
        " WHERE j.source_id = :source_id AND t.job_id < :job_id"
    )
    found: int | None = session.execute(query, {"source_id": source_id, "job_id": job_id}).scalar()
    return found


# The sign keeps SQLite from going through all captures of the source in the order of time.
_NEIGHBOUR = """(SELECT o.id FROM snapshots o
        WHERE o.normalized_url_group = s.normalized_url_group AND +o.source_id = s.source_id
          AND (o.capture_timestamp, o.id) {sign} (s.capture_timestamp, s.id)
        ORDER BY o.capture_timestamp {order}, o.id {order} LIMIT 1)"""
PRECEDING = _NEIGHBOUR.format(sign="<", order="DESC")
"""SQL: the capture of a page before the capture `s`."""
FOLLOWING = _NEIGHBOUR.format(sign=">", order="ASC")
IS_OVER = "j.status NOT IN ('queued', 'running', 'retryable')"
"""SQL: the crawl of the job `j` is over."""

_WAITING = text(f"""
SELECT s.id, w.is_announced, {PRECEDING} AS preceding, {FOLLOWING} AS following
FROM pending_changes w JOIN snapshots s ON s.id = w.snapshot_id JOIN archive_jobs j ON j.id = s.job_id
WHERE w.source_id = :source_id AND {IS_OVER}
ORDER BY w.snapshot_id LIMIT :most
""")  # noqa: S608 - all parts are ours
"""Captures of a running crawl remain queued until its end, as the template of its pages is not known before."""

_MISSING = (
    "FROM snapshots s WHERE s.source_id = :source_id"
    " AND s.normalized_url_group IS NOT NULL AND (CAST(:since AS timestamp) IS NULL OR s.capture_timestamp >= :since)"
    " AND NOT EXISTS (SELECT 1 FROM snapshot_changes c WHERE c.to_snapshot_id = s.id)"
    " AND NOT EXISTS (SELECT 1 FROM pending_changes p WHERE p.snapshot_id = s.id)"
)
_SINCE = bindparam("since", type_=Snapshot.capture_timestamp.type)
_COUNT_MISSING = text(f"SELECT count(*) {_MISSING}").bindparams(_SINCE)
_ADD_MISSING = text(
    f"INSERT INTO pending_changes (snapshot_id, source_id, is_announced) SELECT s.id, s.source_id, false {_MISSING}"
).bindparams(_SINCE)
_SETTLE = Among("DELETE FROM pending_changes WHERE snapshot_id IN <settled>", (("settled", "bigint"),))

_EVENT_COLUMNS = tuple(one.name for one in fields(NewEvent))
_EVENTS = SnapshotChange.__table__
_PENDING = PendingChange.__table__
assert isinstance(_EVENTS, Table)
assert isinstance(_PENDING, Table)


def _write_events(dialect: Any) -> ManyRows:  # noqa: ANN401 - the dialects share no type
    statement = dialect.insert(_EVENTS)
    # An announced event remains announced when a late capture changes its pair.
    updated = {name: statement.excluded[name] for name in _EVENT_COLUMNS if name != "is_announced"}
    return ManyRows(
        statement.on_conflict_do_update(index_elements=["to_snapshot_id"], set_=updated).inline(),
        {name: _EVENTS.c[name] for name in _EVENT_COLUMNS},
    )


def _add_pending(dialect: Any) -> ManyRows:  # noqa: ANN401 - the dialects share no type
    names = ("snapshot_id", "source_id", "is_announced")
    return ManyRows(
        dialect.insert(_PENDING).on_conflict_do_nothing().inline(), {name: _PENDING.c[name] for name in names}
    )


_WRITE_EVENTS = {"sqlite": _write_events(sqlite), "postgresql": _write_events(postgresql)}
_ADD_PENDING = {"sqlite": _add_pending(sqlite), "postgresql": _add_pending(postgresql)}
