"""The word for the state of the database is another one after every change, whoever made it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text, update

from tests.support.forks import own_processes
from tests.support.shelf import Shelf
from tests.support.waiting import wait_until
from webstrata.db.engine import Database
from webstrata.db.schema.tables import Source
from webstrata.db.sql.revision import Revision


@pytest.fixture
def revision(database: Database) -> Iterator[Revision]:
    opened = Revision(database)
    yield opened
    opened.close()


def rename(url: str, name: str) -> None:
    database = Database(url)
    with database.write() as session:
        session.execute(update(Source).values(name=name))
    database.dispose()


def test_as_long_as_nothing_is_written_the_word_stays(database: Database, revision: Revision) -> None:
    def stays() -> bool:
        first = revision.now()
        with database.read() as session:
            session.execute(text("SELECT count(*) FROM snapshots")).one()
        with database.write() as session:
            session.execute(text("SELECT 1")).one()
        return first is not None and revision.now() == first

    # Tried again: what other databases of the same server write changes the word as well.
    wait_until(stays, "the word stays")


def test_every_commit_changes_the_revision_and_none_repeats(
    revision: Revision, shelf: Shelf, database_url: str
) -> None:
    seen = [revision.now()]
    shelf.page(shelf.job(), "https://example.org/a", "2026-01-01")
    seen.append(revision.now())
    for name in ("One", "Two", "One"):
        rename(database_url, name)
        seen.append(revision.now())
    assert None not in seen
    assert len(set(seen)) == len(seen)


def test_another_processs_commit_changes_the_word(revision: Revision, shelf: Shelf, database_url: str) -> None:
    shelf.job()
    before = revision.now()
    writer = own_processes().Process(target=rename, args=(database_url, "Renamed elsewhere"))
    writer.start()
    writer.join()
    assert writer.exitcode == 0
    assert revision.now() not in (before, None)


def test_what_was_seen_over_another_connection_is_not_taken_for_the_same(
    database: Database, revision: Revision
) -> None:
    before = revision.now()
    database.dispose()
    assert revision.now() not in (before, None)


def test_an_unavailable_database_has_no_revision(database_kind: str, tmp_path: Path) -> None:
    away = f"sqlite:///{tmp_path}" if database_kind == "sqlite" else "postgresql://nobody@127.0.0.1:1/none"
    assert Revision(Database(away)).now() is None
