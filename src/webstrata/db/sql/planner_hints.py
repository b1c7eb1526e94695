"""Query hints that keep the planner off an unsuitable index."""

from typing import Any, TypeVar

from sqlalchemy import ColumnElement, SQLColumnExpression, func
from sqlalchemy.orm import InstrumentedAttribute

Value = TypeVar("Value")


def exactly(column: SQLColumnExpression[Any], value: object) -> ColumnElement[bool]:
    """Return the condition that a column has a value, for rows in an order that begins with the column.

    PostgreSQL drops a column that equals one value from the order, and then prefers to read on from the end of another
    index until it meets enough such rows: of an old source or job it would read the whole table. A range it looks up.
    """
    return column.between(value, value)


def unindexed(column: InstrumentedAttribute[Value]) -> ColumnElement[Value]:
    """Return an expression of a column's value for which no index is used.

    Without statistics, SQLite assumes that a source's third of a million snapshots are as few as a page's three.
    PostgreSQL sorts all rows that an index finds instead of continuing after the last part of a list.
    """
    return func.coalesce(column, column)
