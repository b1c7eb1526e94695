"""Several queries in one statement (UNION ALL): each has a name and returns some columns."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from typing import Any, NamedTuple

# ruff: noqa: S608 - the parts of a statement are constants; users' input is passed as parameters

_MOST_COLUMNS = 5


class UnionPart(NamedTuple):
    """A named query, and the columns that it returns."""

    query: str
    columns: tuple[str, ...]


Columns = Mapping[str, Sequence[Any]]
"""The result of a query, column by column."""


def union_query(dialect: str, parts: Mapping[str, UnionPart]) -> str:
    """Return one query that combines several queries."""
    spelled = _as_rows if dialect == "sqlite" else _as_columns
    return " UNION ALL ".join(
        f"SELECT '{name}', {spelled(part.columns)} FROM ({part.query}) AS {name}" for name, part in parts.items()
    )


def split_rows(dialect: str, parts: Mapping[str, UnionPart], rows: Iterable[Sequence[Any]]) -> dict[str, Columns]:
    """Return the results in the rows of `union_query`, by the names of the queries."""
    found = _transposed(rows) if dialect == "sqlite" else {row[0]: row[1] for row in rows}
    return {
        name: {column: values or () for column, values in zip(part.columns, found.get(name, repeat(())), strict=False)}
        for name, part in parts.items()
    }


def _as_rows(columns: Sequence[str]) -> str:
    return ", ".join((*columns, *repeat("NULL", _MOST_COLUMNS - len(columns))))


def _as_columns(columns: Sequence[str]) -> str:
    # As arrays: PostgreSQL and its driver take longer to transfer hundreds of rows than to find them. Not on SQLite,
    # which is in this process and writes only 15 digits of a number.
    return f"json_build_array({', '.join(f'json_agg({column})' for column in columns)})"


def _transposed(rows: Iterable[Sequence[Any]]) -> dict[str, Iterable[Sequence[Any]]]:
    parts: defaultdict[str, list[Sequence[Any]]] = defaultdict(list)
    for name, *values in rows:
        parts[name].append(values)
    return {name: zip(*some, strict=True) for name, some in parts.items()}
