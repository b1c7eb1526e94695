"""Many values in one statement: lists as one parameter each, and rows as one array for each column."""

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlalchemy import CursorResult, TextClause, TextualSelect, text
from sqlalchemy.orm import Session
from sqlalchemy.types import TypeEngine

from webstrata.db.sql.bulk import ManyRows, Row

_MARK = "<{}>"
_ALL = re.compile(r"<all ([\w.]+)>")
_STATEMENTS_KEPT = 64


@dataclass(frozen=True, eq=False)
class Among:
    """A query with lists as parameters:

    `IN <name>` compares with the values of that list. A list of any length is one parameter, so the statement is always
    the same. `<all column>` aggregates the numbers of a group of rows into one value, which `gathered` parses.
    """

    query: str
    kinds: tuple[tuple[str, str], ...]
    """The lists' names and their PostgreSQL types."""
    types: tuple[tuple[str, TypeEngine[Any]], ...] = ()
    """The types of result columns that need a conversion."""
    few: bool = False
    """Whether the lists are short: then PostgreSQL plans in half the time, but checks every value."""

    def execute(
        self, session: Session, lists: dict[str, Collection[object]], **others: object
    ) -> CursorResult[*tuple[Any, ...]]:
        """Run the query."""
        connection = session.connection()
        sqlite = connection.dialect.name == "sqlite"
        given = {name: json.dumps([*values]) if sqlite else [*values] for name, values in lists.items()}
        return connection.execute(_compile(self, sqlite), {**given, **others})


def gathered(numbers: str | list[int]) -> list[int]:
    """Return the numbers of a group of rows."""
    if not isinstance(numbers, str):
        return numbers
    found: list[int] = json.loads(numbers)
    return found


@lru_cache(_STATEMENTS_KEPT)
def _compile(among: Among, sqlite: bool) -> TextClause | TextualSelect:
    query = _ALL.sub(r"json_group_array(\1)" if sqlite else r"array_agg(\1)", among.query)
    for name, kind in among.kinds:
        of_json = f"(SELECT value FROM json_each(:{name}))"  # noqa: S608 - contains no input
        mark, array = _MARK.format(name), f"CAST(:{name} AS {kind}[])"
        if among.few and not sqlite:
            query = query.replace(f"IN {mark}", f"= ANY({array})")
        query = query.replace(mark, of_json if sqlite else f"(SELECT unnest({array}))")
    return text(query).columns(**dict(among.types)) if among.types else text(query)


def as_list(dialect: str, values: Collection[float]) -> object:
    """Return numbers as a single parameter for a database."""
    return json.dumps([*values]) if dialect == "sqlite" else as_array(values)


def as_array(values: Collection[float]) -> str:
    """Return numbers as the text of a PostgreSQL array, as the driver would convert each number separately."""
    return f"{{{','.join(map(str, values))}}}"


@dataclass(frozen=True, eq=False)
class ManyColumns:
    """An insert or update of many rows: one by one on SQLite, in a single statement on PostgreSQL."""

    one_by_one: ManyRows
    at_once: str
    """The same for PostgreSQL, reading each parameter as an array."""

    def execute(self, session: Session, rows: Sequence[Row]) -> None:
        """Run the statement for every row, its values in the order of the parameters."""
        if not rows:
            return
        connection = session.connection()
        if connection.dialect.name == "sqlite":
            self.one_by_one.execute(session, rows)
            return
        columns = map(list, zip(*rows, strict=True))
        connection.execute(text(self.at_once), dict(zip(self.one_by_one.parameters, columns, strict=True)))
