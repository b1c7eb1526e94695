"""Snapshots and the pages they add up to, as the index writes them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, case, delete, func, or_, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session, aliased

from webstrata.db.tables import Page, Snapshot


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
    content_hash: str


@dataclass(frozen=True)
class Comparison:
    """A job's pages beside what was captured of them before."""

    new: int
    different: int
    same: int


def is_ok() -> ColumnElement[bool]:
    """Select what a reader wants to see: an answer that is no error, or whose status nobody knows."""
    return or_(Snapshot.status_code.is_(None), Snapshot.status_code.between(200, 299))


def save_snapshots(session: Session, snapshots: Sequence[NewSnapshot]) -> None:
    """Write snapshots; one that is there already, by its WARC record, keeps its id."""
    if not snapshots:
        return
    dialect = sqlite if session.get_bind().dialect.name == "sqlite" else postgresql
    statement = dialect.insert(Snapshot)
    updated = {
        name: statement.excluded[name]
        for name in ("document_id", "normalized_url_group", "mime_type", "title", "snippet", "language", "content_hash")
    }
    session.execute(
        statement.on_conflict_do_update(index_elements=["capture_id"], set_=updated), [vars(s) for s in snapshots]
    )


def refresh_pages(session: Session, source_id: int, groups: Collection[str]) -> None:
    """Count anew the pages that got or lost a snapshot."""
    if not groups:
        return
    rows = [row._asdict() for row in session.execute(_page_rows(source_id, groups))]
    left = {row["normalized_url_group"] for row in rows}
    session.execute(delete(Page).where(Page.source_id == source_id, Page.normalized_url_group.in_(set(groups) - left)))
    if not rows:
        return
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
        )
    }
    session.execute(
        statement.on_conflict_do_update(index_elements=["source_id", "normalized_url_group"], set_=updated), rows
    )


def _page_rows(source_id: int, groups: Collection[str]) -> Select[*tuple[Any, ...]]:
    """Select what the pages table says of pages, from their snapshots."""
    newest = func.row_number().over(
        partition_by=Snapshot.normalized_url_group,
        order_by=(Snapshot.capture_timestamp.desc(), Snapshot.id.desc()),
    )
    newest_ok = func.row_number().over(
        partition_by=(Snapshot.normalized_url_group, is_ok()),
        order_by=(Snapshot.capture_timestamp.desc(), Snapshot.id.desc()),
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
        .where(Snapshot.source_id == source_id, Snapshot.normalized_url_group.in_(groups))
        .subquery()
    )
    return select(
        ranked.c.source_id,
        ranked.c.normalized_url_group,
        func.min(ranked.c.capture_timestamp).label("first_capture_timestamp"),
        func.max(ranked.c.capture_timestamp).label("last_capture_timestamp"),
        func.count().label("snapshot_count"),
        func.max(case((ranked.c.place == 1, ranked.c.id))).label("latest_snapshot_id"),
        func.max(case((and_(ranked.c.ok, ranked.c.place_among_ok == 1), ranked.c.id))).label("latest_ok_snapshot_id"),
    ).group_by(ranked.c.source_id, ranked.c.normalized_url_group)


def compare_with_before(session: Session, job_id: int) -> Comparison:
    """Return how a job's pages differ from the captures before them."""
    earlier = aliased(Snapshot)
    before = (
        select(earlier.content_hash)
        .where(
            earlier.source_id == Snapshot.source_id,
            earlier.normalized_url_group == Snapshot.normalized_url_group,
            earlier.url == Snapshot.url,
            earlier.job_id != Snapshot.job_id,
            earlier.capture_timestamp < Snapshot.capture_timestamp,
        )
        .order_by(earlier.capture_timestamp.desc(), earlier.id.desc())
        .limit(1)
        .scalar_subquery()
    )
    kind = case((before.is_(None), "new"), (before != Snapshot.content_hash, "different"), else_="same")
    rows = session.execute(select(kind, func.count()).where(Snapshot.job_id == job_id).group_by(kind))
    counted = {row[0]: row[1] for row in rows}
    return Comparison(counted.get("new", 0), counted.get("different", 0), counted.get("same", 0))


def count_of_job(session: Session, job_id: int) -> int:
    """Return how many snapshots a job has."""
    return session.scalar(select(func.count()).where(Snapshot.job_id == job_id)) or 0
