"""Query hints that keep the planner off an unsuitable index."""

from typing import TypeVar

from sqlalchemy import ColumnElement, func
from sqlalchemy.orm import InstrumentedAttribute

Value = TypeVar("Value")


def unindexed(column: InstrumentedAttribute[Value]) -> ColumnElement[Value]:
    """Return an expression of a column's value for which no index is used.

    Without statistics, SQLite assumes that a source's third of a million snapshots are as few as a page's three.
    PostgreSQL sorts all rows that an index finds instead of continuing after the last part of a list.
    """
    return func.coalesce(column, column)
