"""Export history: which lists were exported, by whom, and how many rows they had."""

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import update
from sqlalchemy.orm import Session

from webstrata.db.engine import ACTOR
from webstrata.db.schema.collection_tables import ExportRow
from webstrata.model.actors import PROGRAM, Actor


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


def finish_export(session: Session, export_id: int, item_count: int, now: datetime) -> None:
    """Record that an export is complete, and how many items it had."""
    session.execute(update(ExportRow).where(ExportRow.id == export_id).values(item_count=item_count, finished_at=now))
