"""The audit log: who changed what, and how it was before and after. Entries are added and read, never changed."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from webstrata.db.engine import ACTOR
from webstrata.db.schema.base import utcnow
from webstrata.db.schema.public_tables import AuditEntry
from webstrata.db.sql.counting import count_rows
from webstrata.logs import without_secrets
from webstrata.model.actors import PROGRAM, Actor


@dataclass(frozen=True)
class LoggedChange:
    """One entry of the audit log."""

    id: int
    at: datetime
    actor: str
    action: str
    target: str
    details: Mapping[str, object]
    request_id: str | None
    client: str | None


@dataclass(frozen=True)
class ChangeFilter:
    """Filter of audit log entries; None means any."""

    target: str | None = None
    action: str | None = None
    actor: str | None = None


def record(
    session: Session,
    action: str,
    target: str,
    *,
    before: Mapping[str, object] | None = None,
    after: Mapping[str, object] | None = None,
    **details: object,
) -> None:
    """Record a change in the transaction that makes it, under the name of the session's actor."""
    actor = session.info.get(ACTOR, PROGRAM)
    assert isinstance(actor, Actor)
    entry = {"before": before, "after": after, **details}
    session.add(
        AuditEntry(
            at=utcnow(),
            actor=actor.name,
            action=action,
            target=target,
            details=without_secrets({name: value for name, value in entry.items() if value is not None}),
            request_id=actor.request_id,
            client=actor.client,
        )
    )


def entries(
    session: Session, filters: ChangeFilter, *, limit: int, offset: int = 0
) -> tuple[tuple[LoggedChange, ...], int]:
    """Return entries, newest first, and how many there are; exact unless `is_capped`."""
    columns = {AuditEntry.target: filters.target, AuditEntry.action: filters.action, AuditEntry.actor: filters.actor}
    conditions = [column == value for column, value in columns.items() if value is not None]
    matching = select(AuditEntry.id).where(*conditions)
    newest = select(AuditEntry).where(*conditions).order_by(AuditEntry.id.desc())
    rows = session.scalars(newest.limit(limit).offset(offset))
    return tuple(map(_change, rows)), count_rows(session, matching)


def find_entry(session: Session, entry_id: int) -> LoggedChange | None:
    """Return one entry; None when there is none."""
    row = session.get(AuditEntry, entry_id)
    return None if row is None else _change(row)


def _change(row: AuditEntry) -> LoggedChange:
    return LoggedChange(
        id=row.id,
        at=row.at,
        actor=row.actor,
        action=row.action,
        target=row.target,
        details=dict(row.details or {}),
        request_id=row.request_id,
        client=row.client,
    )
