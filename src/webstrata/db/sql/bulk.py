"""Bulk statements: one for many rows, without SQLAlchemy's work for each row."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat

from sqlalchemy import ColumnElement, Dialect, Insert, Update
from sqlalchemy.orm import Session
from sqlalchemy.sql.schema import ScalarElementColumnDefault

Row = Sequence[object]
Storing = Callable[[object], object]

_STATEMENTS_KEPT = 64


@dataclass(frozen=True, eq=False)
class ManyRows:
    """An insert or update whose parameters are plain rows; the columns' types convert the values.

    Values that are equal in all rows are part of the statement. SQLAlchemy itself processes a dictionary per row, which
    takes three times as long as SQLite takes to store the row.
    """

    statement: Insert | Update
    parameters: Mapping[str, ColumnElement[object]]

    def execute(self, session: Session, rows: Sequence[Row]) -> None:
        """Run the statement for every row, its values in the order of the parameters."""
        if not rows:
            return
        connection = session.connection()
        prepared = _prepare(self, connection.dialect)
        connection.exec_driver_sql(prepared.sql, prepared.bound(rows))


@dataclass(frozen=True)
class _Prepared:
    """A statement compiled for a database."""

    sql: str
    names: tuple[str, ...]
    storing: tuple[Storing | None, ...]
    order: tuple[str, ...] | None
    """The parameters in the order of the statement; None when they are named."""
    usual: Mapping[str, object]
    """The values of columns that are not parameters."""

    def bound(self, rows: Sequence[Row]) -> "list[tuple[object, ...]] | list[dict[str, object]]":
        columns = map(_bind_values, zip(*rows, strict=True), self.storing)
        if self.order is None:
            return [dict(zip(self.names, row, strict=True), **self.usual) for row in zip(*columns, strict=True)]
        by_name = dict(zip(self.names, columns, strict=True))
        by_name |= {name: repeat(value, len(rows)) for name, value in self.usual.items()}
        return list(zip(*(by_name[name] for name in self.order), strict=True))


def _bind_values(values: tuple[object, ...], storing: Storing | None) -> Iterable[object]:
    if storing is None:
        return values
    # Cached: all rows of a batch have the same time, and converting it for each would take as long as storing the row.
    if len(set(map(id, values))) == 1:
        return repeat(storing(values[0]), len(values))
    return map(storing, values)


@lru_cache(_STATEMENTS_KEPT)
def _prepare(many: ManyRows, dialect: Dialect) -> _Prepared:
    compiled = many.statement.compile(dialect=dialect, column_keys=list(many.parameters))
    storing = (column.type.dialect_impl(dialect).bind_processor(dialect) for column in many.parameters.values())
    order = None if compiled.positiontup is None else tuple(compiled.positiontup)
    defaults = {column.key: column.default for column in compiled.insert_prefetch}
    usual = {name: default.arg for name, default in defaults.items() if isinstance(default, ScalarElementColumnDefault)}
    return _Prepared(str(compiled), tuple(many.parameters), tuple(storing), order, usual)
