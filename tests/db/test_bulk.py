from datetime import UTC, datetime, timedelta, timezone

import pytest
from sqlalchemy import Table, bindparam, insert, null, select, update

from tests.support.shelf import Shelf
from webstrata.db.engine import Database
from webstrata.db.schema.tables import WarcFile
from webstrata.db.sql.bulk import ManyRows
from webstrata.errors import DatabaseError

FILES = WarcFile.__table__
assert isinstance(FILES, Table)
COUNTS = ("committed_bytes", "indexed_bytes", "index_version", "problem_count")
NAMES = ("job_id", "path", *COUNTS, "owner", "created_at")
ADD = ManyRows(insert(FILES).inline(), {name: FILES.c[name] for name in NAMES})
MOVE = ManyRows(
    update(FILES)
    .where(FILES.c.path == bindparam("known_as"))
    .values(committed_bytes=bindparam("size"), created_at=bindparam("moved"), owner=null()),
    {"moved": FILES.c.created_at, "known_as": FILES.c.path, "size": FILES.c.committed_bytes},
)
TOKYO = timezone(timedelta(hours=9))
WHEN = datetime(2026, 1, 1, 12, 0, 0, 123_456, tzinfo=TOKYO)


@pytest.fixture
def job(shelf: Shelf) -> int:
    return shelf.job()


def stored(database: Database, *paths: str) -> list[tuple[int, str | None, datetime]]:
    wanted = select(WarcFile.committed_bytes, WarcFile.owner, WarcFile.created_at)
    with database.read() as session:
        return [(*row,) for row in session.execute(wanted.where(WarcFile.path.in_(paths)).order_by(WarcFile.path))]


def test_rows_are_stored_as_their_columns_store_them(database: Database, job: int) -> None:
    with database.write() as session:
        ADD.execute(
            session, [(job, "a", 1, 0, 0, 0, "a\0b\udcff", WHEN), (job, "b", 5_000_000_000, 0, 0, 0, None, WHEN)]
        )
    assert stored(database, "a", "b") == [(1, "ab?", WHEN), (5_000_000_000, None, WHEN)]
    assert {moment.utcoffset() for _, _, moment in stored(database, "a")} == {timedelta(0)}


def test_rows_are_changed_by_name_whatever_the_order(database: Database, job: int) -> None:
    later = datetime(2027, 1, 1, tzinfo=UTC)
    with database.write() as session:
        ADD.execute(session, [(job, name, 1, 0, 0, 0, "me", WHEN) for name in "abc"])
        MOVE.execute(session, [(later, "a", 10), (WHEN, "c", 30)])
    assert stored(database, "a", "b", "c") == [(10, None, later), (1, "me", WHEN), (30, None, WHEN)]


def test_no_rows_are_no_statement(database: Database) -> None:
    with database.read() as session:
        ADD.execute(session, [])


def test_what_the_column_refuses_is_refused(database: Database, job: int) -> None:
    with database.write() as session, pytest.raises(ValueError, match="has no time zone"):
        ADD.execute(session, [(job, "a", 1, 0, 0, 0, None, datetime(2026, 1, 1))])  # noqa: DTZ001
    with pytest.raises(DatabaseError), database.write() as session:
        ADD.execute(session, [(job, "same", 1, 0, 0, 0, None, WHEN), (job, "same", 1, 0, 0, 0, None, WHEN)])
    assert stored(database, "a", "same") == []
