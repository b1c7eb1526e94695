"""Runs of plugins on captures: pending, begun and finished; every plugin runs once on every capture."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Row, and_, exists, func, or_, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from webstrata.db.assets import asset_contents
from webstrata.db.assets.asset_contents import PageFile
from webstrata.db.schema.asset_tables import PluginRun
from webstrata.db.schema.tables import ArchiveJob, Capture, Document, RecordProblem, Snapshot, WarcFile
from webstrata.db.search.indexed_words import NewDocument
from webstrata.db.sql.bulk import ManyRows
from webstrata.model.archive import RecordPlace
from webstrata.model.assets import SETTLED, FailedRun, RunStatus
from webstrata.model.content_types import HTML_TYPES

_DIALECTS = {"sqlite": sqlite, "postgresql": postgresql}
_REVISIT = "revisit"
_NOT_MODIFIED = 304
_NOT_FAILED = tuple(status for status in SETTLED if status is not RunStatus.FAILED)


@dataclass(frozen=True)
class PendingCapture:
    """A capture that some plugin has not processed; `interrupted` if a process died while processing it."""

    id: int
    interrupted: bool


RunPair = tuple[int, str]
"""A capture's id and a plugin's name."""


@dataclass(frozen=True)
class IndexedPage:
    """A captured HTML page from the index."""

    capture_id: int
    url: str
    captured_at: datetime
    language: str | None
    document_id: int
    title: str
    text: str
    file: PageFile | None = None
    """The file that title and text make, if an asset has it already; the text was not read then."""


@dataclass(frozen=True)
class PlacedCapture:
    """A capture and the position of its record."""

    id: int
    url: str
    captured_at: datetime
    warc_path: str
    offset: int
    length: int
    output_dir: str
    """The folder of its job; an absolute path must be inside of it."""
    record_id: str
    unreadable: str | None = None
    """Why the index could not read it, if it is a page that it tried to read."""

    @property
    def place(self) -> RecordPlace:
        """Return the position of its record."""
        return RecordPlace(
            warc_path=self.warc_path,
            offset=self.offset,
            length=self.length,
            record_id=self.record_id,
            url=self.url,
            captured_at=self.captured_at,
            output_dir=self.output_dir,
            capture_id=self.id,
        )


@dataclass(frozen=True)
class BegunRun:
    """A plugin that is about to work on a capture, with the number of the attempt."""

    capture_id: int
    plugin: str
    attempts: int


@dataclass(frozen=True)
class SettledRun:
    """The result of a plugin on a capture."""

    capture_id: int
    plugin: str
    plugin_version: str | None
    status: RunStatus
    asset_count: int = 0
    error: str | None = None


def pending_captures(
    session: Session, job_id: int, plugins: Collection[str], *, retry_failed: bool = False
) -> list[PendingCapture]:
    """Return the acknowledged captures of a job with content that some plugin has not settled, oldest first."""
    of_these = and_(PluginRun.capture_id == Capture.id, PluginRun.plugin.in_(plugins))
    settled = select(func.count()).where(of_these, PluginRun.status.in_(_final(retry_failed))).scalar_subquery()
    interrupted = exists().where(of_these, PluginRun.status == RunStatus.RUNNING)
    rows = session.execute(
        select(Capture.id, interrupted)
        .join(WarcFile, Capture.warc_file_id == WarcFile.id)
        .where(Capture.job_id == job_id, _acknowledged(), _holds_content(), settled < len(plugins))
        .order_by(Capture.capture_timestamp, Capture.id)
    )
    return [PendingCapture(row[0], row[1]) for row in rows]


def indexed_captures(session: Session, job_id: int, *, after_id: int, limit: int) -> list[int]:
    """Return captures of a job with content that are indexed as pages, by id."""
    return list(
        session.scalars(
            select(Capture.id)
            .join(Snapshot, Snapshot.capture_id == Capture.id)
            .where(Capture.job_id == job_id, Capture.id > after_id, _holds_content())
            .order_by(Capture.id)
            .limit(limit)
        )
    )


def _final(retry_failed: bool) -> tuple[RunStatus, ...]:
    return _NOT_FAILED if retry_failed else SETTLED


def _acknowledged() -> ColumnElement[bool]:
    """Return the condition that a capture is in the acknowledged part of its file; later bytes may be removed."""
    return Capture.warc_offset + Capture.warc_length <= WarcFile.committed_bytes


def _holds_content() -> ColumnElement[bool]:
    """Select responses with their own content, so not revisits for 304 responses."""
    not_modified = and_(Capture.record_type == _REVISIT, Capture.status_code == _NOT_MODIFIED)
    return or_(Capture.status_code.is_(None), Capture.status_code.between(200, 299), not_modified)


def placed_captures(session: Session, capture_ids: Collection[int]) -> list[PlacedCapture]:
    """Return captures with the positions of their records, oldest first."""
    is_of_page = and_(Capture.mime_type.in_(HTML_TYPES), Capture.record_type != _REVISIT)
    at_record = and_(
        RecordProblem.warc_file_id == Capture.warc_file_id, RecordProblem.warc_offset == Capture.warc_offset
    )
    rows = session.execute(
        select(
            Capture.id,
            Capture.url,
            Capture.capture_timestamp,
            WarcFile.path,
            Capture.warc_offset,
            Capture.warc_length,
            ArchiveJob.output_dir,
            Capture.warc_record_id,
            RecordProblem.reason,
        )
        .join(WarcFile, Capture.warc_file_id == WarcFile.id)
        .join(ArchiveJob, WarcFile.job_id == ArchiveJob.id)
        .outerjoin(RecordProblem, and_(at_record, is_of_page))
        .where(Capture.id.in_(capture_ids))
        .order_by(Capture.capture_timestamp, Capture.id)
    )
    return [PlacedCapture(*row) for row in rows]


def indexed_pages(session: Session, capture_ids: Collection[int]) -> list[IndexedPage]:
    """Return the stored HTML pages of captures whose text is stored completely.

    Only HTML pages have regions of lines.
    """
    rows = session.execute(
        select(Capture.id, Capture.url, Capture.capture_timestamp, Snapshot.language, Document.id, Document.title)
        .join(Snapshot, Snapshot.capture_id == Capture.id)
        .join(Document, Snapshot.document_id == Document.id)
        .where(Capture.id.in_(capture_ids), func.length(Document.regions) > 0)
    ).all()
    documents = {row[4] for row in rows}
    files = asset_contents.page_files(session, documents)
    texts = _whole_texts(session, documents - files.keys())
    return [
        IndexedPage(*row, texts.get(row[4], ""), files.get(row[4]))
        for row in rows
        if row[4] in files or row[4] in texts
    ]


def _whole_texts(session: Session, document_ids: Collection[int]) -> dict[int, str]:
    """Return the texts of documents; a long text is stored up to a limit, and only its hash is that of the whole."""
    if not document_ids:
        return {}
    columns = Document.id, Document.normalized_url_group, Document.title, Document.text, Document.text_hash
    rows = session.execute(select(*columns).where(Document.id.in_(document_ids)))
    return {
        number: text
        for number, group, title, text, digest in rows
        if NewDocument(group, title, text).text_hash == digest
    }


def run_statuses(session: Session, capture_ids: Collection[int]) -> dict[RunPair, RunStatus]:
    """Return the status of plugin runs on captures."""
    rows = session.execute(
        select(PluginRun.capture_id, PluginRun.plugin, PluginRun.status).where(PluginRun.capture_id.in_(capture_ids))
    )
    return {(row[0], row[1]): RunStatus(row[2]) for row in rows}


def begin_runs(
    session: Session,
    pairs: Collection[RunPair],
    versions: Mapping[str, str | None],
    now: datetime,
    *,
    retry_failed: bool = False,
) -> list[BegunRun]:
    """Record that plugins begin with captures; return the runs that are not finished yet."""
    known = {
        (row.capture_id, row.plugin): row
        for row in session.execute(
            select(PluginRun.capture_id, PluginRun.plugin, PluginRun.status, PluginRun.attempt_count).where(
                PluginRun.capture_id.in_({pair[0] for pair in pairs})
            )
        )
    }
    open_pairs = [
        pair
        for pair in pairs
        if (row := known.get(pair)) is None or is_open(RunStatus(row.status), retry_failed=retry_failed)
    ]
    begun = [BegunRun(*pair, attempts=_next_attempt(known.get(pair))) for pair in open_pairs]
    rows = [
        (run.capture_id, run.plugin, versions[run.plugin], RunStatus.RUNNING.value, 0, None, now, run.attempts)
        for run in begun
    ]
    _BEGIN[session.get_bind().dialect.name].execute(session, rows)
    return begun


def is_open(status: RunStatus | None, *, retry_failed: bool) -> bool:
    """Return whether a run is still to be made, or made again."""
    return status not in _final(retry_failed)


def _next_attempt(row: Row[int, str, str, int] | None) -> int:
    return row.attempt_count + 1 if row is not None and row.status == RunStatus.RUNNING else 1


def settle_runs(session: Session, runs: Sequence[SettledRun], now: datetime) -> None:
    """Write the results of runs, begun or not."""
    rows = [
        (run.capture_id, run.plugin, run.plugin_version, run.status.value, run.asset_count, run.error, now, 1)
        for run in runs
    ]
    _SETTLE[session.get_bind().dialect.name].execute(session, rows)


_OUTCOME = ("plugin_version", "status", "asset_count", "error", "updated_at")


def _write(dialect: object, updated: Sequence[str]) -> ManyRows:
    statement = dialect.insert(PluginRun.__table__)  # type: ignore[attr-defined]
    changed = {name: statement.excluded[name] for name in updated}
    return ManyRows(
        statement.on_conflict_do_update(index_elements=["capture_id", "plugin"], set_=changed).inline(),
        {name: PluginRun.__table__.c[name] for name in ("capture_id", "plugin", *_OUTCOME, "attempt_count")},
    )


_BEGIN = {name: _write(of, (*_OUTCOME, "attempt_count")) for name, of in _DIALECTS.items()}
_SETTLE = {name: _write(of, _OUTCOME) for name, of in _DIALECTS.items()}


def failed_runs(session: Session, job_id: int, *, limit: int = 100) -> list[FailedRun]:
    """Return the captures of a job that plugins failed on, and why."""
    rows = session.execute(
        select(Capture.url, PluginRun.plugin, PluginRun.plugin_version, PluginRun.error)
        .join(Capture, PluginRun.capture_id == Capture.id)
        .where(Capture.job_id == job_id, PluginRun.status == RunStatus.FAILED)
        .order_by(Capture.capture_timestamp, Capture.id, PluginRun.plugin)
        .limit(limit)
    )
    return [FailedRun(row[0], row[1], row[2], row[3] or "") for row in rows]
