"""Exports of long lists, read in parts, so that a slow client holds no transaction and the list is never completely in
memory."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from webstrata.db.changes.change_lists import EventFilter, EventView, export_events
from webstrata.db.engine import Database
from webstrata.db.schema.tables import ArchiveJob, Snapshot, Source
from webstrata.db.sources.totals import HIDDEN_SOURCE
from webstrata.db.sql.planner_hints import unindexed

PART = 2_000
"""The number of rows per part."""


@dataclass(frozen=True)
class ExportScope:
    """Filter of an export: ids after one, a source, days of capture."""

    after_id: int = 0
    limit: int = PART
    source_id: int | None = None
    from_date: date | None = None
    to_date: date | None = None


@dataclass(frozen=True, slots=True)
class ExportedSnapshot:
    """A snapshot as exports list it."""

    id: int
    source_code: str
    source_name: str
    url: str
    normalized_url_group: str | None
    captured_at: datetime
    language: str | None
    status_code: int | None
    mime_type: str | None
    title: str | None
    job_id: int | None
    job_name: str | None


def exported_snapshots(database: Database, scope: ExportScope) -> Iterator[list[ExportedSnapshot]]:
    """Yield the public snapshots in parts, ids ascending."""
    after_id, left = scope.after_id, scope.limit
    while left > 0:
        with database.read() as session:
            part = _part(session, scope, after_id, min(left, PART))
        if not part:
            return
        yield part
        after_id, left = part[-1].id, left - len(part)


def exported_events(
    database: Database, filters: EventFilter, *, after_id: int, limit: int
) -> Iterator[list[EventView]]:
    """Yield the public change events that match the filter in parts, ids ascending."""
    left = limit
    while left > 0:
        with database.read() as session:
            part = list(export_events(session, filters, after_id=after_id, limit=min(left, PART)))
        if not part:
            return
        yield part
        after_id, left = part[-1].id, left - len(part)


def _part(session: Session, scope: ExportScope, after_id: int, limit: int) -> list[ExportedSnapshot]:
    # Ordered by id, so that every part begins where the last one ended.
    captured_at = unindexed(Snapshot.capture_timestamp)
    statement = _snapshots().where(Snapshot.id > after_id, unindexed(Source.code) != HIDDEN_SOURCE)
    if scope.source_id is not None:
        statement = statement.where(unindexed(Snapshot.source_id) == scope.source_id)
    if scope.from_date is not None:
        statement = statement.where(captured_at >= datetime.combine(scope.from_date, time.min, UTC))
    if scope.to_date is not None:
        statement = statement.where(captured_at <= datetime.combine(scope.to_date, time.max, UTC))
    return [ExportedSnapshot(*row) for row in session.execute(statement.order_by(Snapshot.id).limit(limit))]


def _snapshots() -> Select[*tuple[Any, ...]]:
    """Select snapshots in the order of an `ExportedSnapshot`."""
    return (
        select(
            Snapshot.id,
            Source.code,
            Source.name,
            Snapshot.url,
            Snapshot.normalized_url_group,
            Snapshot.capture_timestamp,
            Snapshot.language,
            Snapshot.status_code,
            Snapshot.mime_type,
            Snapshot.title,
            Snapshot.job_id,
            ArchiveJob.name,
        )
        .join(Source, Snapshot.source_id == Source.id)
        .outerjoin(ArchiveJob, Snapshot.job_id == ArchiveJob.id)
    )
