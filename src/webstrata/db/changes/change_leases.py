"""Leases of sources for change tracking: one process at a time computes the events of a source."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import CursorResult, delete, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from webstrata.db.schema.change_tables import ChangeLease
from webstrata.errors import LeaseLostError


@dataclass(frozen=True)
class SourceLease:
    """The right to compute the events of a source."""

    source_id: int
    token: str


def take(
    session: Session,
    lease: SourceLease,
    owner: str,
    until: datetime,
    *,
    now: datetime,
    is_dead: Callable[[str], bool],
) -> bool:
    """Take the lease unless a process that may be alive has it; return whether it was taken."""
    requested = {"owner": owner, "token": lease.token, "expires_at": until}
    dialect = sqlite if session.get_bind().dialect.name == "sqlite" else postgresql
    row = dialect.insert(ChangeLease).values(source_id=lease.source_id, **requested)
    if session.scalar(row.on_conflict_do_nothing().returning(ChangeLease.source_id)) is not None:
        return True
    held = session.scalars(
        select(ChangeLease).where(ChangeLease.source_id == lease.source_id).with_for_update()
    ).one_or_none()
    if held is None or (held.expires_at > now and not is_dead(held.owner)):
        return False
    session.execute(update(ChangeLease).where(ChangeLease.source_id == lease.source_id).values(**requested))
    return True


def renew(session: Session, lease: SourceLease, until: datetime) -> None:
    """Prolong a lease; LeaseLostError when another owner has it."""
    renewed = session.execute(
        update(ChangeLease)
        .where(ChangeLease.source_id == lease.source_id, ChangeLease.token == lease.token)
        .values(expires_at=until)
    )
    assert isinstance(renewed, CursorResult)
    if renewed.rowcount == 0:
        raise _lost(lease)


def check(session: Session, lease: SourceLease) -> None:
    """Raise LeaseLostError when another owner has the lease; until the transaction ends, no one can take it."""
    held = select(ChangeLease.source_id).where(
        ChangeLease.source_id == lease.source_id, ChangeLease.token == lease.token
    )
    if session.scalar(held.with_for_update()) is None:
        raise _lost(lease)


def release(session: Session, lease: SourceLease) -> None:
    """Release a lease, if this owner still holds it."""
    session.execute(
        delete(ChangeLease).where(ChangeLease.source_id == lease.source_id, ChangeLease.token == lease.token)
    )


def _lost(lease: SourceLease) -> LeaseLostError:
    return LeaseLostError(f"the changes of source {lease.source_id} are being computed by another process by now")
