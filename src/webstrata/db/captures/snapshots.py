"""Writes snapshots, and the rows of pages that sum them up."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, case, delete, func, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session, aliased

from webstrata.db.captures.previous_captures import link_previous
from webstrata.db.schema.link_tables import PageSignal, SnapshotOutlink
from webstrata.db.schema.tables import Page, Snapshot
from webstrata.db.search.entries import refresh_entries
from webstrata.db.sources.totals import PageSums, hold_totals, move_totals, page_sums
from webstrata.db.sql import ids
from webstrata.db.sql.bulk import ManyRows
from webstrata.db.sql.planner_hints import unindexed
from webstrata.model.quality import GOOD


@dataclass(frozen=True)
class NewSnapshot:
    """A page as it was indexed."""

    job_id: int
    source_id: int
    capture_id: int
    document_id: int
    url: str
    normalized_url_group: str
    capture_timestamp: datetime
    mime_type: str | None
    status_code: int | None
    title: str
    snippet: str
    language: str | None
    warc_path: str
    warc_record_id: str | None
    warc_offset: int
    warc_length: int
    content_hash: str | None
    id: int | None = None
    """The id that was promised; None for the next free one."""
    quality: float | None = None
    quality_kind: str | None = None
    quality_reasons: str | None = None


@dataclass(frozen=True)
class KnownSnapshot:
    """The facts of an existing snapshot that the index needs."""

    id: int
    document_id: int | None
    normalized_url_group: str | None


@dataclass(frozen=True)
class CopiedPage:
    """The content of a page in a snapshot."""

    document_id: int
    normalized_url_group: str
    mime_type: str | None
    status_code: int | None
    title: str
    snippet: str
    language: str | None
    content_hash: str | None
    outlinks_from: int | None
    quality: float | None
    quality_kind: str | None
    quality_reasons: str | None


_COPIED = tuple(field.name for field in fields(CopiedPage))
_SAVED = tuple(field.name for field in fields(NewSnapshot) if field.name != "id")


def _save(dialect: Any) -> ManyRows:  # noqa: ANN401 - the dialects share no type
    statement = dialect.insert(Snapshot.__table__)
    updated = {name: statement.excluded[name] for name in _SAVED if name != "capture_id"}
    columns = Snapshot.__table__.c
    return ManyRows(
        statement.on_conflict_do_update(index_elements=["capture_id"], set_=updated).inline(),
        {name: columns[name] for name in (*_SAVED, "id")},
    )


_SAVE = {"sqlite": _save(sqlite), "postgresql": _save(postgresql)}


@dataclass(frozen=True)
class JobComparison:
    """The numbers of new, changed and unchanged pages of a job."""

    new: int
    different: int
    same: int


def is_ok() -> ColumnElement[bool]:
    """Select a response that is no error, or whose status is unknown."""
    return or_(Snapshot.status_code.is_(None), Snapshot.status_code.between(200, 299))


def is_good() -> ColumnElement[bool]:
    """Select captures that show their page: by their quality, or by their status when no quality was stored."""
    return case((Snapshot.quality.is_not(None), Snapshot.quality >= GOOD), else_=is_ok())


def save_snapshots(session: Session, snapshots: Sequence[NewSnapshot]) -> None:
    """Write snapshots and link them to the captures before them; a snapshot of the same WARC record retains its id."""
    if not snapshots:
        return
    free = iter(ids.reserve(session, "snapshots", sum(snapshot.id is None for snapshot in snapshots)))
    rows = [
        [*(getattr(snapshot, name) for name in _SAVED), next(free) if snapshot.id is None else snapshot.id]
        for snapshot in snapshots
    ]
    _SAVE[session.get_bind().dialect.name].execute(session, rows)
    link_previous(session, [row[-1] for row in rows])


def set_record_place(session: Session, snapshot_id: int, offset: int, length: int) -> None:
    """Store where a snapshot's record lies in its file."""
    session.execute(update(Snapshot).where(Snapshot.id == snapshot_id).values(warc_offset=offset, warc_length=length))


def known_snapshots(session: Session, capture_ids: Collection[int]) -> dict[int, KnownSnapshot]:
    """Return the snapshots of captures, by capture id."""
    rows = session.execute(
        select(Snapshot.capture_id, Snapshot.id, Snapshot.document_id, Snapshot.normalized_url_group).where(
            Snapshot.capture_id.in_(capture_ids)
        )
    )
    return {row[0]: KnownSnapshot(*row[1:]) for row in rows if row[0] is not None}


def delete_snapshots(session: Session, snapshot_ids: Collection[int]) -> None:
    """Delete snapshots; their ids are never used again."""
    session.execute(delete(Snapshot).where(Snapshot.id.in_(snapshot_ids)))


def copied(session: Session, snapshot_ids: Collection[int]) -> dict[int, CopiedPage]:
    """Return the contents of snapshots, to be copied for captures with the same payload and URL."""
    rows = session.execute(
        select(Snapshot.id, *(getattr(Snapshot, name) for name in _COPIED)).where(Snapshot.id.in_(snapshot_ids))
    )
    return {row[0]: CopiedPage(*row[1:]) for row in rows}


def linked_pages(session: Session, holders: Collection[int]) -> dict[int, tuple[str, ...]]:
    """Return the link targets that are stored under snapshots, by snapshot."""
    found: dict[int, list[str]] = {}
    rows = session.execute(
        select(SnapshotOutlink.snapshot_id, PageSignal.normalized_url_group)
        .join(PageSignal, SnapshotOutlink.target_id == PageSignal.id)
        .where(SnapshotOutlink.snapshot_id.in_(holders))
    )
    for holder, group in rows:
        found.setdefault(holder, []).append(group)
    return {holder: tuple(groups) for holder, groups in found.items()}


def refresh_pages(session: Session, source_id: int, groups: Collection[str]) -> None:
    """Update the counts of pages that got or lost a snapshot, and of their source."""
    if not groups:
        return
    hold_totals(session, source_id)
    before = page_sums(session, source_id, groups)
    rows = [row._asdict() for row in session.execute(_page_rows(source_id, groups))]
    left = {row["normalized_url_group"] for row in rows}
    session.execute(delete(Page).where(Page.source_id == source_id, Page.normalized_url_group.in_(set(groups) - left)))
    if rows:
        _save_pages(session, rows)
        refresh_entries(session, source_id, left)
    after = PageSums(sum(row["snapshot_count"] for row in rows), len(rows))
    move_totals(session, source_id, before, after)


def _save_pages(session: Session, rows: list[dict[str, Any]]) -> None:
    dialect = sqlite if session.get_bind().dialect.name == "sqlite" else postgresql
    statement = dialect.insert(Page)
    updated = {
        name: statement.excluded[name]
        for name in (
            "first_capture_timestamp",
            "last_capture_timestamp",
            "snapshot_count",
            "latest_snapshot_id",
            "latest_ok_snapshot_id",
            "latest_ok_timestamp",
        )
    }
    session.execute(
        statement.on_conflict_do_update(index_elements=["source_id", "normalized_url_group"], set_=updated), rows
    )


def _page_rows(source_id: int, groups: Collection[str]) -> Select[*tuple[Any, ...]]:
    """Select the columns of the pages table from the snapshots of pages."""
    newest = func.row_number().over(
        partition_by=Snapshot.normalized_url_group,
        order_by=(Snapshot.capture_timestamp.desc(), Snapshot.id.desc()),
    )
    # A block page with status 200 is shown only if there is no better capture.
    newest_ok = func.row_number().over(
        partition_by=(Snapshot.normalized_url_group, is_ok()),
        order_by=(case((is_good(), 0), else_=1), Snapshot.capture_timestamp.desc(), Snapshot.id.desc()),
    )
    ranked = (
        select(
            Snapshot.id,
            Snapshot.source_id,
            Snapshot.normalized_url_group,
            Snapshot.capture_timestamp,
            is_ok().label("ok"),
            newest.label("place"),
            newest_ok.label("place_among_ok"),
        )
        .where(unindexed(Snapshot.source_id) == source_id, Snapshot.normalized_url_group.in_(groups))
        .subquery()
    )
    shown = and_(ranked.c.ok, ranked.c.place_among_ok == 1)
    return select(
        ranked.c.source_id,
        ranked.c.normalized_url_group,
        func.min(ranked.c.capture_timestamp).label("first_capture_timestamp"),
        func.max(ranked.c.capture_timestamp).label("last_capture_timestamp"),
        func.count().label("snapshot_count"),
        func.max(case((ranked.c.place == 1, ranked.c.id))).label("latest_snapshot_id"),
        func.max(case((shown, ranked.c.id))).label("latest_ok_snapshot_id"),
        func.max(case((shown, ranked.c.capture_timestamp))).label("latest_ok_timestamp"),
    ).group_by(ranked.c.source_id, ranked.c.normalized_url_group)


def compare_with_before(session: Session, job_id: int) -> JobComparison:
    """Return how many pages of a job differ from their previous captures."""
    before = aliased(Snapshot)
    is_different = before.content_hash != Snapshot.content_hash
    linked, nothing, different = session.execute(
        select(func.count(), _count_where(before.content_hash.is_(None)), _count_where(is_different))
        .select_from(Snapshot)
        .join(before, Snapshot.previous_id == before.id)
        .where(Snapshot.job_id == job_id, Snapshot.previous_id.is_not(None))
    ).one()
    same = linked - nothing - different
    return JobComparison(count_of_job(session, job_id) - same - different, different, same)


def _count_where(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.count(case((condition, 1)))


def count_of_job(session: Session, job_id: int) -> int:
    """Return how many snapshots a job has."""
    return session.scalar(select(func.count()).where(Snapshot.job_id == job_id)) or 0
