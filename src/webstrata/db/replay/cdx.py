"""Captures of a range of URLs, in the order of their keys and times, read in parts from where the last part ended."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, UnaryExpression, func, literal, or_, select, tuple_
from sqlalchemy.orm import InstrumentedAttribute, Session

from webstrata.db.replay.closest import CAPTURES, IS_WITHHELD, to_capture
from webstrata.db.schema.retention_tables import Tombstone
from webstrata.db.schema.tables import Capture, Source
from webstrata.db.sources.totals import HIDDEN_SOURCE
from webstrata.db.sql.planner_hints import unindexed
from webstrata.model.captures import ArchivedCapture
from webstrata.model.replay.cdx import ListPosition
from webstrata.model.replay.url_ranges import KeyRange

_ORDER = (Capture.url_key, Capture.capture_timestamp, Capture.id)


@dataclass(frozen=True)
class CaptureScope:
    """The scope of a list of public captures: keys, and times to the second, both inclusive."""

    keys: KeyRange
    earliest: datetime | None = None
    latest: datetime | None = None
    is_reverse: bool = False


def list_captures(
    session: Session, scope: CaptureScope, *, after: ListPosition | None = None, limit: int
) -> list[ArchivedCapture]:
    """Return the next captures of a list."""
    statement = CAPTURES.where(*_conditions(session, scope, after)).order_by(*_order(scope)).limit(limit)
    return [to_capture(row) for row in session.execute(statement)]


def position_of(session: Session, scope: CaptureScope, number: int) -> ListPosition | None:
    """Return the position after a number of captures of a list; None when it has fewer."""
    statement = select(*_ORDER).where(*_conditions(session, scope)).order_by(*_order(scope))
    found = session.execute(statement.offset(number - 1).limit(1)).first()
    return ListPosition(*found) if found else None


def count_captures(session: Session, scope: CaptureScope) -> int:
    """Return how many captures a list has."""
    return session.scalar(select(func.count()).select_from(Capture).where(*_conditions(session, scope))) or 0


def _order(scope: CaptureScope) -> list[InstrumentedAttribute[Any] | UnaryExpression[Any]]:
    return [column.desc() if scope.is_reverse else column for column in _ORDER]


def _conditions(session: Session, scope: CaptureScope, after: ListPosition | None = None) -> list[ColumnElement[bool]]:
    found = _bounds(scope) if after is None else _bounds_after(scope, after)
    if scope.earliest is not None:
        found.append(Capture.capture_timestamp >= scope.earliest)
    if scope.latest is not None:
        found.append(Capture.capture_timestamp <= scope.latest.replace(microsecond=999_999))
    # Queried first: hardly any archive has a hidden source, and without one the index alone is enough to count.
    hidden = session.scalar(select(Source.id).where(Source.code == HIDDEN_SOURCE))
    if hidden is not None:
        found.append(unindexed(Capture.source_id) != hidden)
    if session.scalar(select(Tombstone.snapshot_id).limit(1)) is not None:
        found.append(~IS_WITHHELD)
    return found


def _bounds(scope: CaptureScope) -> list[ColumnElement[bool]]:
    key, keys = Capture.url_key, scope.keys
    return [key == keys.start] if keys.end is None else [key >= keys.start, key < keys.end]


def _bounds_after(scope: CaptureScope, after: ListPosition) -> list[ColumnElement[bool]]:
    """Return the condition for rows after a place, with a bound that the index can use."""
    key, moment, number = _ORDER
    is_beyond = number < after.capture_id if scope.is_reverse else number > after.capture_id
    if scope.keys.end is None:
        bound = moment <= after.captured_at if scope.is_reverse else moment >= after.captured_at
        return [key == scope.keys.start, bound, or_(moment != after.captured_at, is_beyond)]
    pair = tuple_(key, moment)
    place = tuple_(literal(after.url_key, key.type), literal(after.captured_at, moment.type))
    bounds = [key >= scope.keys.start, pair <= place] if scope.is_reverse else [pair >= place, key < scope.keys.end]
    return [*bounds, or_(key != after.url_key, moment != after.captured_at, is_beyond)]
