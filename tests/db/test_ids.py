from sqlalchemy import delete, select

from tests.support.shelf import Shelf
from webstrata.db.engine import Database
from webstrata.db.schema.tables import Snapshot
from webstrata.db.sql import ids


def test_ids_ascend_and_are_never_given_twice(database: Database) -> None:
    with database.write() as session:
        first = ids.reserve(session, "snapshots", 3)
    with database.write() as session:
        second = ids.reserve(session, "snapshots", 2)
    given = [*first, *second]
    assert given == sorted(set(given))
    assert len(given) == 5


def test_no_ids_are_taken_when_none_are_wanted(database: Database) -> None:
    with database.write() as session:
        assert ids.reserve(session, "snapshots", 0) == []
        (only,) = ids.reserve(session, "snapshots", 1)
        (following,) = ids.reserve(session, "snapshots", 1)
    assert following == only + 1


def test_an_id_is_not_given_again_when_its_row_is_gone(database: Database, shelf: Shelf) -> None:
    gone = shelf.page(shelf.job(), "https://example.org/a", "2026-01-01")
    with database.write() as session:
        session.execute(delete(Snapshot).where(Snapshot.id == gone))
        (given,) = ids.reserve(session, "snapshots", 1)
    assert given > gone


def test_new_ids_are_larger_than_one_that_was_promised(database: Database) -> None:
    with database.write() as session:
        ids.lift(session, "snapshots", 1_000)
        ids.lift(session, "snapshots", 10)
        (given,) = ids.reserve(session, "snapshots", 1)
    assert given > 1_000


def test_ids_that_are_in_use_are_known(database: Database, shelf: Shelf) -> None:
    page = shelf.page(shelf.job(), "https://example.org/a", "2026-01-01")
    with database.read() as session:
        assert ids.taken(session, "snapshots", [page, page + 1]) == {page}
        assert ids.taken(session, "snapshots", []) == set()
        assert ids.highest(session, "snapshots") == session.scalar(select(Snapshot.id))
        assert ids.highest(session, "page_signals") == 0
