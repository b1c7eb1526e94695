import os
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import inspect, text

from tests.support.program import Program
from tests.support.waiting import wait_until
from webstrata.db import migrate
from webstrata.db.engine import Database
from webstrata.db.migrate import current, downgrade, head, make_ready, upgrade
from webstrata.db.schema.every_table import Base
from webstrata.db.schema.tables import Source
from webstrata.errors import SchemaVersionError, StorageError, UsageError

PROCESSES = 4
MAKE_READY = """
import os
import sys
from webstrata.db.engine import Database
from webstrata.db.migrate import current, head, make_ready
database = Database(sys.argv[1])
print("here", flush=True)
os.read(os.open(sys.argv[2], os.O_RDONLY), 1)
make_ready(database)
assert current(database) == head()
"""


@pytest.fixture
def empty(empty_database_url: str) -> Database:
    return Database(empty_database_url)


def tables(database: Database) -> set[str]:
    with database.read() as session:
        return set(inspect(session.connection()).get_table_names())


def execute(database: Database, statement: str) -> None:
    with database.write() as session:
        session.execute(text(statement))


def test_migrations_make_what_the_tables_say(database: Database) -> None:
    with database.read() as session:
        context = MigrationContext.configure(session.connection(), opts={"compare_type": True})
        differences = compare_metadata(context, Base.metadata)
    assert [difference for difference in differences if not _is_of_the_search_index(difference)] == []


def _is_of_the_search_index(difference: object) -> bool:
    return any(name in repr(difference) for name in ("documents_fts", "search_vector", "vocabulary_trigrams"))


def test_postgresql_does_not_try_to_compress_lists_of_words(database: Database) -> None:
    if database.is_sqlite:
        return
    query = "SELECT attstorage FROM pg_attribute WHERE attrelid = 'documents'::regclass AND attname = 'search_vector'"
    with database.read() as session:
        assert session.scalar(text(query)) == "e"


def test_every_migration_is_in_a_file_named_after_it_and_the_last_is_ours() -> None:
    scripts = ScriptDirectory(str(Path(migrate.__file__).parent / "migrations"))
    assert {Path(script.path).name.partition("_")[0] for script in scripts.walk_revisions()} == {
        script.revision for script in scripts.walk_revisions()
    }
    assert scripts.get_heads() == [head()]


def test_every_migration_goes_up_and_down_and_up_again(empty: Database) -> None:
    upgrade(empty)
    assert current(empty) == head()
    assert set(Base.metadata.tables) <= tables(empty)
    downgrade(empty, "base")
    assert current(empty) is None
    assert tables(empty) <= {"alembic_version"}
    upgrade(empty)
    assert current(empty) == head()
    empty.dispose()


def test_upgrading_twice_changes_nothing_and_keeps_what_is_there(database: Database) -> None:
    with database.write() as session:
        session.add(Source(code="hc", name="hc"))
    upgrade(database)
    with database.read() as session:
        assert session.query(Source).count() == 1


def test_an_empty_database_is_made_ready(empty: Database) -> None:
    make_ready(empty)
    assert current(empty) == head()
    make_ready(empty)
    empty.dispose()


def test_a_database_at_an_unknown_version_requires_a_newer_program(database: Database) -> None:
    execute(database, "UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(SchemaVersionError, match=r"at schema version 9999, unknown .* install a newer webstrata"):
        make_ready(database)


def test_a_database_at_an_older_version_names_the_command_that_mends_it(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = head()
    monkeypatch.setattr(migrate, "head", lambda: "next")
    with pytest.raises(SchemaVersionError, match=rf"at schema version {at}; .* needs next: run `webstrata db upgrade`"):
        make_ready(database)


def test_a_foreign_database_is_left_alone(empty: Database) -> None:
    execute(empty, "CREATE TABLE wp_posts (id INTEGER)")
    with pytest.raises(
        SchemaVersionError, match="is the database of another program: WEBSTRATA_DATABASE_URL must name"
    ):
        make_ready(empty)
    assert tables(empty) == {"wp_posts"}
    empty.dispose()


def test_a_schema_that_another_process_made_in_between_is_no_foreign_one(
    empty: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = migrate.current

    def current_then_made(database: Database) -> str | None:
        found = real(database)
        upgrade(database)
        return found

    monkeypatch.setattr(migrate, "current", current_then_made)
    make_ready(empty)
    empty.dispose()


def test_many_processes_may_make_a_database_ready_at_once(empty_database_url: str, tmp_path: Path) -> None:
    program, gate = tmp_path / "program.py", tmp_path / "gate"
    program.write_text(MAKE_READY)
    os.mkfifo(gate)
    opened = os.open(gate, os.O_RDWR)
    command = (sys.executable, str(program))
    with ExitStack() as stack:
        begun = [
            stack.enter_context(Program(tmp_path / str(n), command=command).started(empty_database_url, str(gate)))
            for n in range(PROCESSES)
        ]
        wait_until(lambda: all(process.output == "here\n" for process in begun), "all are at the gate")
        os.write(opened, bytes(PROCESSES))
        assert [(process.ended(), process.output) for process in begun] == [(0, "here\n")] * PROCESSES
    os.close(opened)


def test_a_revision_that_is_not_there_is_a_usage_error(database: Database) -> None:
    with pytest.raises(UsageError, match="no_such"):
        downgrade(database, "no_such")
    assert current(database) == head()


def test_a_migration_of_sqlite_that_would_lose_a_rows_parent_changes_nothing(sqlite_url: str) -> None:
    database = Database(sqlite_url)
    with database.engine.connect() as connection:
        driver = connection.connection.dbapi_connection
        assert driver is not None
        driver.execute("PRAGMA foreign_keys=OFF")
        driver.execute(
            "INSERT INTO warc_files(id, job_id, path, committed_bytes, indexed_bytes, created_at)"
            " VALUES (1, 99, 'x', 0, 0, '2026-01-01 00:00:00.000000')"
        )
    with pytest.raises(SchemaVersionError, match="rows of warc_files without their archive_jobs"):
        upgrade(database)
    database.dispose()


def test_a_lock_file_beside_sqlite_that_cannot_be_made_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "x.db.migrate-lock").mkdir()
    with pytest.raises(StorageError, match="migrate-lock"):
        upgrade(Database(f"sqlite:///{tmp_path / 'x.db'}"))
