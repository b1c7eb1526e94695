"""Host permits: each host has numbered slots that are held, rest and are free again."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import ColumnElement, Table, case, delete, func, literal, select, tuple_, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from webstrata.db.schema.crawl_tables import HostPermit
from webstrata.db.types import UtcDateTime

_PERMITS = HostPermit.__table__
assert isinstance(_PERMITS, Table)

_CHANGED_AT_ONCE = 1_000


@dataclass(frozen=True)
class BusySlot:
    """A slot that is not free now."""

    host: str
    held: bool
    """Whether an owner holds it, who may release it at any moment; otherwise its delay lasts."""
    free_in: timedelta


def busy_slots(session: Session, slots: int, host: str | None = None) -> list[BusySlot]:
    """Return which of the first `slots` slots are not free now, of one host or of all."""
    now = _now(session)
    statement = select(HostPermit).where(HostPermit.slot < slots, HostPermit.free_at > now)
    if host is not None:
        statement = statement.where(HostPermit.host == host)
    return [BusySlot(row.host, row.token is not None, row.free_at - now) for row in session.scalars(statement)]


def take_slot(session: Session, host: str, owner: str, token: str, *, slots: int, hold: timedelta) -> int | None:
    """Take a free slot of a host and return its number; None without one."""
    now = _now(session)
    rows = select(HostPermit.slot).where(HostPermit.host == host, HostPermit.free_at > now)
    busy = set(session.scalars(rows))
    held = {"owner": owner, "token": token, "free_at": now + hold}
    for slot in sorted(set(range(slots)) - busy):
        if _upsert(session, host, slot, held, now):
            return slot
    return None


def _upsert(session: Session, host: str, slot: int, held: dict[str, object], now: datetime) -> bool:
    """Write a slot's row unless another process was quicker: the condition is checked under the row's lock."""
    dialect = sqlite if session.get_bind().dialect.name == "sqlite" else postgresql
    statement = (
        dialect.insert(_PERMITS)
        .values(host=host, slot=slot, **held)
        .on_conflict_do_update(index_elements=["host", "slot"], set_=held, where=_PERMITS.c.free_at <= now)
        .returning(_PERMITS.c.slot)
    )
    return session.execute(statement).first() is not None


def give_slot_back(session: Session, host: str, slot: int, token: str, rest: timedelta) -> None:
    """Start the rest of a slot that is still held with a token."""
    session.execute(
        update(HostPermit)
        .where(HostPermit.host == host, HostPermit.slot == slot, HostPermit.token == token)
        .values(token=None, free_at=_now(session) + rest)
        .execution_options(synchronize_session=False)
    )


def forget_owner(session: Session, owner: str, rest: timedelta) -> None:
    """Start the delay of the slots that an owner holds, for each at most the time that it was held."""
    at = literal(_now(session) + rest, UtcDateTime())
    keys = _lock_rows(session, (HostPermit.owner == owner) & HostPermit.token.is_not(None))
    session.execute(
        update(HostPermit)
        .where(_among(keys))
        .values(token=None, free_at=case((HostPermit.free_at < at, HostPermit.free_at), else_=at))
        .execution_options(synchronize_session=False)
    )


def prune(session: Session, older_than: timedelta) -> None:
    """Delete the rows of slots that have long been free."""
    keys = _lock_rows(session, HostPermit.free_at < _now(session) - older_than)
    session.execute(delete(HostPermit).where(_among(keys)).execution_options(synchronize_session=False))


def _lock_rows(session: Session, condition: ColumnElement[bool]) -> list[tuple[str, int]]:
    """Return the keys of some rows, locked; rows that others have locked are skipped, to prevent deadlocks."""
    rows = select(HostPermit.host, HostPermit.slot).where(condition).limit(_CHANGED_AT_ONCE)
    return [(host, slot) for host, slot in session.execute(rows.with_for_update(skip_locked=True))]


def _among(keys: list[tuple[str, int]]) -> ColumnElement[bool]:
    return tuple_(HostPermit.host, HostPermit.slot).in_(keys)


def _now(session: Session) -> datetime:
    """Return the time by the clock that all users of a database share."""
    if session.get_bind().dialect.name == "sqlite":
        return datetime.now(UTC)
    return session.execute(select(func.clock_timestamp(type_=UtcDateTime()))).scalar_one()
