import threading
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from sqlalchemy import func, select, text

from webstrata.db import engine
from webstrata.db.engine import Database
from webstrata.db.schema.tables import ArchiveJob, Source
from webstrata.errors import DatabaseError, DatabaseUnavailableError, SettingsError, StorageError, WebstrataError


def add_source(database: Database, code: str = "hc") -> None:
    with database.write() as session:
        session.add(Source(code=code, name=code))


def count_sources(database: Database) -> int:
    with database.read() as session:
        return session.scalar(select(func.count()).select_from(Source)) or 0


def test_what_a_write_session_wrote_is_there_afterwards(database: Database) -> None:
    add_source(database)
    assert count_sources(database) == 1


def test_an_error_in_a_write_session_undoes_all_of_it(database: Database) -> None:
    class OwnError(WebstrataError):
        pass

    def fail() -> None:
        with database.write() as session:
            session.add(Source(code="hc", name="hc"))
            session.flush()
            raise OwnError

    with pytest.raises(OwnError):
        fail()
    assert count_sources(database) == 0
    add_source(database)


def test_what_a_read_session_changes_is_dropped_or_refused(database: Database) -> None:
    refused = nullcontext() if database.is_sqlite else pytest.raises(DatabaseError, match="read-only transaction")
    with refused, database.read() as session:
        session.add(Source(code="hc", name="hc"))
        session.flush()
    assert count_sources(database) == 0
    add_source(database)
    assert count_sources(database) == 1


def test_a_statement_that_is_read_with_again_and_again_stays_prepared(postgres_url: str) -> None:
    database = Database(postgres_url)
    for _ in range(10):
        count_sources(database)
    with database.read() as session:
        prepared = session.scalars(text("SELECT statement FROM pg_prepared_statements")).all()
    database.dispose()
    assert any("FROM sources" in statement for statement in prepared)


def test_a_connection_that_the_server_closed_while_it_rested_is_replaced(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    database, other = Database(postgres_url), Database(postgres_url)
    count_sources(database)
    with other.read() as session:
        session.execute(
            text(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        )
    monkeypatch.setattr(engine, "REST_SECONDS", 0.0)
    assert count_sources(database) == 0
    database.dispose()
    other.dispose()


def test_a_row_without_its_parent_is_refused(database: Database) -> None:
    def orphan() -> None:
        with database.write() as session:
            session.add(ArchiveJob(source_id=999, name="x", output_dir="x"))

    with pytest.raises(DatabaseError):
        orphan()


def test_the_same_key_twice_is_a_database_error(database: Database) -> None:
    add_source(database)
    with pytest.raises(DatabaseError):
        add_source(database)


def test_moments_come_back_as_they_were_in_utc(database: Database) -> None:
    tokyo = datetime(2026, 1, 1, 8, 30, 0, 123456, tzinfo=timezone(timedelta(hours=9)))
    with database.write() as session:
        session.add(Source(code="hc", name="hc", created_at=tokyo))
    with database.read() as session:
        found = session.scalars(select(Source.created_at)).one()
        smallest = session.scalar(select(func.min(Source.created_at)))
    assert found == smallest == tokyo
    assert found.tzinfo == UTC
    assert found.isoformat() == "2025-12-31T23:30:00.123456+00:00"


def test_moments_sort_as_they_happened(database: Database) -> None:
    moments = [datetime(2026, 1, 1, hour, tzinfo=timezone(timedelta(hours=hour))) for hour in (9, 1, 5)]
    moments += [datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, microsecond=1, tzinfo=UTC)]
    with database.write() as session:
        session.add_all(Source(code=str(n), name="x", created_at=moment) for n, moment in enumerate(moments))
    with database.read() as session:
        assert session.scalars(select(Source.created_at).order_by(Source.created_at)).all() == sorted(moments)


def test_a_moment_without_a_time_zone_is_refused(database: Database) -> None:
    def naive() -> None:
        with database.write() as session:
            session.add(Source(code="hc", name="hc", created_at=datetime(2026, 1, 1)))  # noqa: DTZ001

    with pytest.raises(Exception, match="has no time zone"):
        naive()


def test_text_that_no_database_can_hold_is_stored_without_it(database: Database) -> None:
    with database.write() as session:
        session.add(Source(code="hc", name="a\0b\ud800c 日本 😀"))
    with database.read() as session:
        assert session.scalars(select(Source.name)).one() == "ab?c 日本 😀"


def test_a_writer_waits_for_the_one_before_it(database: Database) -> None:
    inside, go_on = threading.Event(), threading.Event()

    def slow() -> None:
        with database.write() as session:
            session.add(Source(code="first", name="x"))
            session.flush()
            inside.set()
            assert go_on.wait(30)

    thread = threading.Thread(target=slow)
    thread.start()
    assert inside.wait(30)
    assert count_sources(database) == 0, "reading goes on beside a writer, and does not see what is not committed"
    go_on.set()
    add_source(database, "second")
    thread.join(30)
    assert count_sources(database) == 2


def test_sqlite_is_set_up_to_be_safe_and_shared(sqlite_url: str) -> None:
    database = Database(sqlite_url)
    with database.read() as session:
        pragmas = {
            name: session.execute(text(f"PRAGMA {name}")).scalar()
            for name in ("journal_mode", "foreign_keys", "synchronous", "busy_timeout")
        }
    assert pragmas == {"journal_mode": "wal", "foreign_keys": 1, "synchronous": 2, "busy_timeout": 15_000}
    database.dispose()


def test_a_sqlite_writer_takes_the_lock_from_the_start(sqlite_url: str) -> None:
    one, other = Database(sqlite_url), Database(sqlite_url)
    with one.write() as session, other.engine.connect() as connection:
        session.execute(select(Source.id)).all()
        driver = connection.connection.dbapi_connection
        assert driver is not None
        driver.execute("PRAGMA busy_timeout=0")
        with pytest.raises(Exception, match="locked"):
            driver.execute("BEGIN IMMEDIATE")
    one.dispose()
    other.dispose()


def test_an_unavailable_database_is_reported(database: Database, tmp_path: Path) -> None:
    database.ping()
    silent = Database("postgresql://nobody:geheim@127.0.0.1:1/x?connect_timeout=5")
    with pytest.raises(
        DatabaseUnavailableError, match=r"postgresql\+psycopg://nobody:\*\*\*@127\.0\.0\.1:1/x"
    ) as caught:
        silent.ping()
    assert "geheim" not in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_a_file_that_is_no_sqlite_database_is_a_database_error(tmp_path: Path) -> None:
    file = tmp_path / "x.db"
    file.write_bytes(b"this is no database at all" * 100)
    with pytest.raises(DatabaseError, match=r"is not a SQLite database: move it away, and `webstrata rebuild`"):
        Database(f"sqlite:///{file}").ping()


def test_the_folder_of_a_sqlite_file_is_made(tmp_path: Path) -> None:
    Database(f"sqlite:///{tmp_path / 'a' / 'b' / 'x.db'}").ping()
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StorageError):
        Database(f"sqlite:///{tmp_path / 'file' / 'x.db'}")


@pytest.mark.parametrize(
    "url",
    [
        "",
        "nonsense",
        "mysql://localhost/x",
        "sqlite://",
        "sqlite:///:memory:",
        "postgresql://me:p@ss:w/rd%20@db/x",
        "postgresql://me:p@ss@db/x",
        "postgresql://me@db:port/x",
    ],
)
def test_an_address_that_cannot_be_one_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(SettingsError, match="expected sqlite") as caught:
        Database(url)
    assert "ss" not in str(caught.value).replace("password", "")


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://me:p%40ss@db/x", "postgresql+psycopg://me:***@db/x"),
        ("postgresql:///x?password=geheim&host=db&sslpassword=x", "postgresql+psycopg:///x?host=db"),
        ("postgresql://me@db/x", "postgresql+psycopg://me@db/x"),
    ],
)
def test_an_address_is_shown_without_its_passwords(url: str, shown: str) -> None:
    assert Database(url).shown == shown


def test_an_odd_password_reaches_the_server_as_it_is() -> None:
    assert Database("postgresql://me:p%40ss%3Aw%2Frd%2520@db/x").url.password == "p@ss:w/rd%20"
