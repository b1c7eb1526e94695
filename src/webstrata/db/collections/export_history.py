"""Export history: what was exported, by whom, how many items it had, and which exports are running."""

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta

from sqlalchemy import exists, select, update
from sqlalchemy.orm import Session

from webstrata.db.engine import ACTOR
from webstrata.db.schema.collection_tables import ExportRow
from webstrata.db.schema.tables import ArchiveJob, Capture, Snapshot, Source
from webstrata.model.actors import PROGRAM, Actor
from webstrata.model.urls import surt

LONGEST_EXPORT = timedelta(hours=6)
"""An export that has not ended after this time counts as killed, and its files may be deleted."""


def begin_export(session: Session, kind: str, export_format: str, filters: Mapping[str, object], now: datetime) -> int:
    """Record that the session's actor begins an export, and return its number."""
    actor = session.info.get(ACTOR, PROGRAM)
    assert isinstance(actor, Actor)
    row = ExportRow(
        created_at=now,
        kind=kind,
        format=export_format,
        actor=actor.name,
        client=actor.client,
        request_id=actor.request_id,
        filters={name: value for name, value in filters.items() if value is not None},
    )
    session.add(row)
    session.flush()
    return row.id


def finish_export(session: Session, export_id: int, item_count: int | None, now: datetime) -> None:
    """Record the end of an export and its number of items; None when it was interrupted."""
    session.execute(update(ExportRow).where(ExportRow.id == export_id).values(item_count=item_count, finished_at=now))


def running_exports(session: Session, job_ids: Collection[int], now: datetime) -> list[int]:
    """Return the exports that may be reading files of some jobs."""
    running = select(ExportRow).where(
        ExportRow.created_at > now - LONGEST_EXPORT,
        ExportRow.finished_at.is_(None),
        ExportRow.kind.in_(("captures", "assets")),
    )
    rows = session.scalars(running.order_by(ExportRow.id)).all()
    return [row.id for row in rows if _may_read(session, row.filters or {}, job_ids)]


def _may_read(session: Session, filters: Mapping[str, object], job_ids: Collection[int]) -> bool:
    jobs = select(ArchiveJob.id).where(ArchiveJob.id.in_(job_ids))
    snapshots = select(Snapshot.id).where(Snapshot.job_id.in_(job_ids))
    captures = select(Capture.id).where(Capture.job_id.in_(job_ids))
    match filters:
        case {"job": int() as job_id}:
            return job_id in job_ids
        case {"source": str() as code}:
            of_jobs = jobs.join(Source, Source.id == ArchiveJob.source_id).where(Source.code == code)
        case {"snapshot": int() as snapshot_id}:
            of_jobs = snapshots.where(Snapshot.id == snapshot_id)
        case {"url": str() as url}:
            of_jobs = captures.where(Capture.url_key == surt(url))
        case _:
            of_jobs = jobs
    return bool(session.scalar(select(exists(of_jobs))))
