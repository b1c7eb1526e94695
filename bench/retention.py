"""Retention: a pass over a collection of 1,000,000 rows of which 100 are expired, with the plans of its queries."""

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import event, text

from bench.databases import databases
from bench.report import Measurement
from webstrata.db.engine import Database
from webstrata.db.migrate import make_ready
from webstrata.model.retention.rules import DEFAULT_TTL_DAYS
from webstrata.retention.sweep import run_manual_pass

_ROWS = 1_000_000
_EXPIRED = 100
_COLLECTION = "scrape_metadata"
_NUMBERS = {
    "sqlite": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :rows) ",
    "postgresql": "WITH n(i) AS (SELECT generate_series(1, :rows)) ",
}
_FILL = (
    "INSERT INTO scrape_metadata (created_at, url, url_hash, status_code, is_blocked, is_js_only) "
    "SELECT CASE WHEN i <= :expired THEN :old ELSE :new END, 'https://site.example/' || i, i, 200, {no}, {no} FROM n"
)


def measure(folder: Path) -> list[Measurement]:
    """Return the time of a pass on each database, with its query plans printed."""
    return [_measure(name, Database(url)) for name, url in databases(folder)]


def _measure(name: str, database: Database) -> Measurement:
    make_ready(database)
    now = datetime.now(UTC)
    _fill(database, now)
    asked: list[tuple[str, object]] = []
    event.listen(database.engine, "before_cursor_execute", lambda _c, _u, sql, values, *_: asked.append((sql, values)))
    began = time.perf_counter()
    done = run_manual_pass(database, now, dry_run=False).collections[_COLLECTION]
    seconds = time.perf_counter() - began
    assert (done.deleted, done.remaining) == (_EXPIRED, 0), done
    for line in _plans(database, asked):
        print(f"{name}: {line}")
    database.engine.dispose()
    what = f"retention pass over {_ROWS:,} rows, {_EXPIRED} expired, {name}"
    return Measurement(what, seconds, "s", asked="≤ 1")


def _fill(database: Database, now: datetime) -> None:
    old = now - timedelta(days=DEFAULT_TTL_DAYS[_COLLECTION] + 1)
    kind = "sqlite" if database.is_sqlite else "postgresql"
    moments = [one.replace(tzinfo=None).isoformat(" ") if database.is_sqlite else one for one in (old, now)]
    statement = _NUMBERS[kind] + _FILL.format(no="0" if database.is_sqlite else "false")
    if not database.is_sqlite:
        statement = statement.replace(":old", "CAST(:old AS timestamptz)").replace(":new", "CAST(:new AS timestamptz)")
    values = {"rows": _ROWS, "expired": _EXPIRED, "old": moments[0], "new": moments[1]}
    with database.write() as session:
        session.execute(text(statement), values)
    with database.write() as session:
        session.execute(text("ANALYZE"))


def _plans(database: Database, asked: list[tuple[str, object]]) -> list[str]:
    """Return the plans of the queries for a collection's rows."""
    prefix = "EXPLAIN QUERY PLAN " if database.is_sqlite else "EXPLAIN "
    lines = []
    with database.engine.connect() as connection:
        for sql, values in asked:
            if sql.startswith("SELECT") and f"FROM {_COLLECTION}" in sql.replace("\n", ""):
                rows = connection.exec_driver_sql(prefix + sql, values)  # type: ignore[arg-type]
                lines += [str(row[-1]) for row in rows]
    return lines
