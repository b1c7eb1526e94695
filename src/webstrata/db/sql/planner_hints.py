"""Query hints that keep the planner off an unsuitable index."""

from typing import TypeVar

from sqlalchemy import ColumnElement, func
from sqlalchemy.orm import InstrumentedAttribute

Value = TypeVar("Value")


def unindexed(column: InstrumentedAttribute[Value]) -> ColumnElement[Value]:
    """Return a column to compare with, for which no index is used.

    SQLite counts nothing by itself, so that it takes a source's third of a million snapshots to be as few as a page's
    three; PostgreSQL sorts all that an index finds rather than read on where the last part of a list ended.
    """
    return func.coalesce(column, column)
