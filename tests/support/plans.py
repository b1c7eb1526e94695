"""How much databases read for what a function asks of them: counted, not timed."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, event
from sqlalchemy.orm import Session

from webstrata.db.engine import Database

Asking = Callable[[Session], object]

_EXPLAINED = ("SELECT", "INSERT", "UPDATE", "DELETE", "WITH")
_STEPS_AT_ONCE = 10


@dataclass(frozen=True)
class Statement:
    """A statement as it was executed, with the parameters of its first row."""

    sql: str
    parameters: Any


@dataclass(frozen=True)
class Effort:
    """What a function cost: steps of SQLite's virtual machine, or rows that PostgreSQL read; and how it was done."""

    amount: int
    plan: tuple[str, ...]


class _UndoError(Exception):
    """Undoes what was written to be looked at."""


def effort_of(database: Database, asking: Asking) -> Effort:
    """Return what a function costs; what it writes is undone."""
    return _sqlite_effort(database, asking) if database.is_sqlite else _postgresql_effort(database, asking)


def _sqlite_effort(database: Database, asking: Asking) -> Effort:
    with _recorded(database) as statements, _counted_steps(database) as steps, _undone(database) as session:
        asking(session)
    with database.read() as session:
        plans = [_sqlite_plan(session.connection(), statement) for statement in statements]
    return Effort(sum(steps), tuple(line for plan in plans for line in plan))


@contextmanager
def _counted_steps(database: Database) -> Iterator[list[int]]:
    """Count the steps that SQLite takes meanwhile, on whichever connection."""
    steps: list[int] = []

    def count(driver: sqlite3.Connection, *_: object) -> None:
        driver.set_progress_handler(lambda: steps.append(_STEPS_AT_ONCE), _STEPS_AT_ONCE)

    def stop(driver: sqlite3.Connection, *_: object) -> None:
        driver.set_progress_handler(None, 0)

    event.listen(database.engine, "checkout", count)
    event.listen(database.engine, "checkin", stop)
    try:
        yield steps
    finally:
        event.remove(database.engine, "checkout", count)
        event.remove(database.engine, "checkin", stop)


def _sqlite_plan(connection: Connection, statement: Statement) -> list[str]:
    rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement.sql}", statement.parameters)
    return [row[3] for row in rows]


def _postgresql_effort(database: Database, asking: Asking) -> Effort:
    with _recorded(database) as statements, _undone(database) as session:
        asking(session)
    scans: list[tuple[int, str]] = []
    with _undone(database) as session:
        for statement in statements:
            explained = f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {statement.sql}"
            scans += _scans(
                session.connection().exec_driver_sql(explained, statement.parameters).scalar_one()[0]["Plan"]
            )
    return Effort(sum(rows for rows, _ in scans), tuple(f"{name}: {rows}" for rows, name in scans))


def _scans(node: dict[str, Any]) -> Iterator[tuple[int, str]]:
    """Yield what a plan read from tables, and how."""
    if "Relation Name" in node and "Scan" in node["Node Type"]:
        passed = node["Actual Rows"] + node.get("Rows Removed by Filter", 0)
        yield int(passed * node["Actual Loops"]), f"{node['Node Type']} of {node['Relation Name']}"
    for part in node.get("Plans", []):
        yield from _scans(part)


@contextmanager
def _recorded(database: Database) -> Iterator[list[Statement]]:
    """Record the statements that are executed meanwhile and have a plan."""
    found: list[Statement] = []

    def record(_connection: object, _cursor: object, sql: str, given: Any, _context: object, many: bool) -> None:
        if sql.lstrip().startswith(_EXPLAINED):
            found.append(Statement(sql, given[0] if many else given))

    event.listen(database.engine, "before_cursor_execute", record)
    try:
        yield found
    finally:
        event.remove(database.engine, "before_cursor_execute", record)


@contextmanager
def _undone(database: Database) -> Iterator[Session]:
    """Open a session whose writes are undone."""
    try:
        with database.write() as session:
            yield session
            raise _UndoError
    except _UndoError:
        pass
