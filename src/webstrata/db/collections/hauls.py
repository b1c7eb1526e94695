"""Hauls: saved sets of captures to compare, share by link and export."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from webstrata.db.captures.page_metadata import load_listings
from webstrata.db.collections.price_history import stored_money
from webstrata.db.engine import ACTOR
from webstrata.db.operations import audit_log
from webstrata.db.schema.collection_tables import HaulCapture, HaulRow
from webstrata.db.schema.tables import Snapshot, Source
from webstrata.errors import NotFoundError, UsageError
from webstrata.model.actors import PROGRAM, Actor
from webstrata.model.collections.listing import Money

MAX_CAPTURES = 20
"""How many captures a haul has at most."""

_ID_BYTES = 16
_LEAST_EXTENSION = timedelta(minutes=10)


@dataclass(frozen=True)
class HauledCapture:
    """A capture of a haul, with the listing that it shows: name, price and availability at that time."""

    snapshot_id: int
    source_code: str | None
    url: str
    title: str | None
    captured_at: datetime | None
    name: str | None
    price: Money | None
    availability: str | None
    brand: str | None
    is_there: bool
    """Whether the snapshot still exists."""


@dataclass(frozen=True)
class HaulView:
    """A haul with its captures, in the order in which they were chosen."""

    id: str
    name: str
    actor: str
    created_at: datetime | None
    captures: tuple[HauledCapture, ...]


@dataclass(frozen=True)
class HaulSummary:
    """A haul in a list."""

    id: str
    name: str
    actor: str
    created_at: datetime | None
    count: int


def add_haul(session: Session, name: str, snapshot_ids: Sequence[int], now: datetime) -> str:
    """Save captures as a haul and return its id; UsageError unless there are 1 to MAX_CAPTURES known ones."""
    chosen = list(dict.fromkeys(snapshot_ids))
    if not 1 <= len(chosen) <= MAX_CAPTURES:
        raise UsageError(f"a haul has 1 to {MAX_CAPTURES} captures, not {len(chosen)}")
    known = set(session.scalars(select(Snapshot.id).where(Snapshot.id.in_(chosen))))
    if unknown := [str(one) for one in chosen if one not in known]:
        raise UsageError(f"there is no snapshot {', '.join(unknown)}")
    actor = session.info.get(ACTOR, PROGRAM)
    assert isinstance(actor, Actor)
    haul = HaulRow(id=secrets.token_hex(_ID_BYTES), name=name, actor=actor.name, created_at=now)
    session.add(haul)
    session.flush()
    session.add_all(
        HaulCapture(haul_id=haul.id, position=position, snapshot_id=one) for position, one in enumerate(chosen)
    )
    audit_log.record(session, "haul.create", "hauls", name=name, captures=len(chosen))
    return haul.id


def load_haul(session: Session, haul_id: str) -> HaulView:
    """Return a haul with its captures; NotFoundError when there is none."""
    haul = session.get(HaulRow, haul_id)
    if haul is None:
        raise NotFoundError("there is no such haul: it may have expired")
    query = (
        select(HaulCapture.snapshot_id, Snapshot, Source.code)
        .outerjoin(Snapshot, Snapshot.id == HaulCapture.snapshot_id)
        .outerjoin(Source, Source.id == Snapshot.source_id)
        .where(HaulCapture.haul_id == haul_id)
        .order_by(HaulCapture.position)
    )
    rows: list[tuple[int, Snapshot | None, str | None]] = [(*row,) for row in session.execute(query)]
    captured = {number: snapshot.capture_id or 0 for number, snapshot, _ in rows if snapshot is not None}
    read = load_listings(session, list(captured.values()))
    captures = (_capture(*row, read.get(captured.get(row[0], 0))) for row in rows)
    return HaulView(haul.id, haul.name, haul.actor, haul.created_at, tuple(captures))


def list_hauls(
    session: Session, *, limit: int, offset: int = 0, words: str | None = None
) -> tuple[list[HaulSummary], int]:
    """Return hauls, those with some words in their names or all, newest first, and how many there are in all."""
    named = [HaulRow.name.icontains(word, autoescape=True) for word in (words or "").split()]
    count = select(func.count()).where(HaulCapture.haul_id == HaulRow.id).correlate(HaulRow).scalar_subquery()
    total = session.scalar(select(func.count()).select_from(HaulRow).where(*named)) or 0
    columns = (HaulRow.id, HaulRow.name, HaulRow.actor, HaulRow.created_at, count)
    newest = HaulRow.created_at.desc(), HaulRow.id
    chosen = select(HaulRow.id).where(*named).order_by(*newest).limit(limit).offset(offset)
    rows = session.execute(select(*columns).where(HaulRow.id.in_(chosen)).order_by(*newest))
    return [HaulSummary(*row) for row in rows], total


def delete_haul(session: Session, haul_id: str) -> None:
    """Delete a haul; NotFoundError when there is none. Its captures stay."""
    gone = session.execute(delete(HaulRow).where(HaulRow.id == haul_id).returning(HaulRow.name)).first()
    if gone is None:
        raise NotFoundError("there is no such haul: it may have expired")
    audit_log.record(session, "haul.delete", "hauls", name=gone.name)


def use_haul(session: Session, haul_id: str, until: datetime) -> None:
    """Protect a haul from retention until a time, as an export or a comparison of it is running."""
    # This runs for every reader: the time is not updated for a few minutes more.
    later = (HaulRow.in_use_until.is_(None)) | (HaulRow.in_use_until < until - _LEAST_EXTENSION)
    session.execute(update(HaulRow).where(HaulRow.id == haul_id, later).values(in_use_until=until))


def _capture(
    snapshot_id: int, snapshot: Snapshot | None, source: str | None, listing: Mapping[str, object] | None
) -> HauledCapture:
    facts = {name: str(value) for name, value in (listing or {}).items() if value is not None}
    return HauledCapture(
        snapshot_id=snapshot_id,
        source_code=source,
        url=snapshot.url if snapshot else "",
        title=snapshot.title if snapshot else None,
        captured_at=snapshot.capture_timestamp if snapshot else None,
        name=facts.get("name"),
        price=stored_money(facts.get("price"), facts.get("currency")),
        availability=facts.get("availability"),
        brand=facts.get("brand"),
        is_there=snapshot is not None,
    )
