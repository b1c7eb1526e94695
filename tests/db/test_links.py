import random
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select

from tests.support.linked import Arrival, LinkedArchive, group
from tests.support.recount import recount_signals
from webstrata.db.engine import Database
from webstrata.db.schema.link_tables import SnapshotOutlink
from webstrata.db.schema.tables import Snapshot
from webstrata.index.signals import refresh_pagerank

PAGES = "abcdef"


@pytest.fixture
def archive(database: Database) -> LinkedArchive:
    return LinkedArchive(database)


def stored_links(database: Database) -> int:
    with database.read() as session:
        return session.scalar(select(func.count()).select_from(SnapshotOutlink)) or 0


def holders(database: Database) -> list[int | None]:
    with database.read() as session:
        return list(session.scalars(select(Snapshot.outlinks_from).order_by(Snapshot.id)))


def test_pages_are_counted_on_both_ends_of_a_link(archive: LinkedArchive) -> None:
    archive.add(Arrival("a", "bcx"), Arrival("b", "cx"), Arrival("c"))
    assert archive.links() == {"a": {"b", "c", "x"}, "b": {"c", "x"}}
    assert {page: archive.counts(page) for page in "abcx"} == {"a": (0, 3), "b": (1, 2), "c": (2, 0), "x": (2, 0)}


def test_a_page_that_was_linked_to_before_it_was_captured_has_its_links(archive: LinkedArchive) -> None:
    archive.add(Arrival("a", "z"))
    archive.add(Arrival("z", "a"))
    assert archive.counts("z") == (1, 1)


def test_a_link_to_itself_is_none(archive: LinkedArchive) -> None:
    archive.add(Arrival("a", "ab"))
    assert archive.counts("a") == (0, 1)


def test_the_same_links_are_stored_once(archive: LinkedArchive, database: Database) -> None:
    first, second = archive.add(Arrival("a", "bc", 1), Arrival("a", "cb", 2))
    (third,) = archive.add(Arrival("a", "bc", 3))
    assert holders(database) == [first, first, first]
    assert stored_links(database) == 2
    (fourth,) = archive.add(Arrival("a", "bd", 4))
    assert holders(database) == [first, first, first, fourth]
    assert stored_links(database) == 4
    assert archive.links() == {"a": {"b", "d"}}
    assert len({first, second, third, fourth}) == 4


def test_an_error_page_neither_changes_nor_duplicates_a_pages_links(archive: LinkedArchive, database: Database) -> None:
    (good,) = archive.add(Arrival("a", "bc", 1))
    (gone,) = archive.add(Arrival("a", "h", 2, status=404))
    assert archive.links() == {"a": {"b", "c"}}
    archive.add(Arrival("a", "h", 3, status=404))
    archive.add(Arrival("a", "bc", 4))
    assert holders(database) == [good, gone, gone, good]
    assert archive.counts("h") == (0, 0)


def test_an_older_capture_that_arrives_later_changes_nothing(archive: LinkedArchive) -> None:
    archive.add(Arrival("a", "b", 9))
    archive.add(Arrival("a", "cd", 1))
    assert archive.links() == {"a": {"b"}}
    assert [archive.counts(page)[0] for page in "bcd"] == [1, 0, 0]


def test_a_page_of_two_sources_counts_once_by_its_newest_capture(archive: LinkedArchive) -> None:
    archive.add(Arrival("a", "b", 1, source="hc"))
    archive.add(Arrival("a", "bc", 2, source="phac"))
    assert (archive.counts("a"), archive.counts("b"), archive.counts("c")) == ((0, 2), (1, 0), (1, 0))
    archive.add(Arrival("a", "d", 1, source="hc"))
    assert archive.links() == {"a": {"b", "c"}}


def test_indexing_again_finds_other_links_and_spares_the_captures_that_shared_them(
    archive: LinkedArchive, database: Database
) -> None:
    first, second, third = archive.add(*(Arrival("a", "bc", day) for day in (1, 2, 3)))
    archive.again(first, "x")
    assert holders(database) == [first, second, second]
    assert archive.links() == {"a": {"b", "c"}}
    archive.again(third, "bcd")
    assert holders(database) == [first, second, third]
    assert archive.links() == {"a": {"b", "c", "d"}}
    assert [archive.counts(page)[0] for page in "bcdx"] == [1, 1, 1, 0]


def test_a_capture_that_becomes_another_pages_takes_its_links_along(archive: LinkedArchive) -> None:
    archive.add(Arrival("a", "b", 1))
    (newest,) = archive.add(Arrival("a", "cd", 2))
    archive.regrouped(newest, "e", "cd")
    assert archive.links() == {"a": {"b"}, "e": {"c", "d"}}
    assert [archive.counts(page)[0] for page in "bcd"] == [1, 1, 1]


def test_what_is_deleted_leaves_the_page_as_it_was_before(archive: LinkedArchive, database: Database) -> None:
    first, second, third = archive.add(Arrival("a", "bc", 1), Arrival("a", "bc", 2), Arrival("a", "d", 3))
    archive.delete([third])
    assert archive.links() == {"a": {"b", "c"}}
    assert archive.counts("d") == (0, 0)
    archive.delete([first])
    assert archive.links() == {"a": {"b", "c"}}, "who shared them has them for itself"
    archive.delete([second])
    assert archive.links() == {}
    assert [archive.counts(page) for page in "abc"] == [(0, 0)] * 3
    assert stored_links(database) == 0


def test_a_rolled_back_batch_leaves_nothing_that_the_next_one_uses(archive: LinkedArchive, database: Database) -> None:
    archive.add(Arrival("a", "b"))
    with database.write() as session:
        archive.add_in(session, Arrival("c", "xyz"))
        archive.add_in(session, Arrival("c", "xyzw"))
        session.rollback()
    archive.add(Arrival("d", "wzyx"))
    assert archive.links() == {"a": {"b"}, "d": {"w", "x", "y", "z"}}


def test_two_processes_that_link_to_each_others_pages_wait_for_each_other(database: Database) -> None:
    archives = [LinkedArchive(database) for _ in range(2)]
    start = threading.Barrier(2)

    def index(number: int) -> None:
        order = random.Random(number)
        names = [f"{n}" for n in range(40)]
        archives[number].add(Arrival(f"own{number}", source=f"s{number}"))
        start.wait()
        for day in range(15):
            pages = order.sample(names, 10)
            archives[number].add(*(Arrival(page, order.sample(names, 10), day, source=f"s{number}") for page in pages))

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(index, range(2)))
    assert_exact(archives[0])


arrivals = st.builds(
    Arrival,
    page=st.sampled_from(PAGES),
    links=st.lists(st.sampled_from(PAGES + "xy"), unique=True, max_size=5),
    day=st.integers(0, 5),
    status=st.sampled_from([200, 200, None, 404]),
    source=st.sampled_from(["hc", "phac"]),
)
steps = st.lists(
    st.one_of(
        st.lists(arrivals, min_size=1, max_size=4),
        st.tuples(st.just("again"), st.integers(0, 20), st.lists(st.sampled_from(PAGES), unique=True, max_size=3)),
        st.tuples(st.just("regroup"), st.integers(0, 20), st.sampled_from(PAGES)),
        st.tuples(st.just("delete"), st.sets(st.integers(0, 20), min_size=1, max_size=3)),
        st.just("rank"),
    ),
    max_size=8,
)


@given(steps=steps)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_signals_kept_up_by_differences_are_those_that_a_recount_finds(
    archive: LinkedArchive, steps: list[Any]
) -> None:
    archive.clear()
    there: list[int] = []
    for step in steps:
        if isinstance(step, list):
            there += archive.add(*step)
        elif step == "rank":
            refresh_pagerank(archive.database)
        elif there:
            there = taken(archive, there, *step)
    assert_exact(archive)


def taken(archive: LinkedArchive, there: list[int], what: str, which: Any, told: object = None) -> list[int]:
    """Take a step that changes snapshots which are there, and return which are there then."""
    chosen = [there[number % len(there)] for number in (which if isinstance(which, set) else {which})]
    if what == "delete":
        archive.delete(chosen)
        return [snapshot for snapshot in there if snapshot not in chosen]
    if what == "regroup":
        archive.regrouped(chosen[0], str(told), "ab")
    elif isinstance(told, list):
        archive.again(chosen[0], told)
    return there


def assert_exact(archive: LinkedArchive) -> None:
    kept = archive.signals()
    recount_signals(archive.database)
    counted = archive.signals()
    assert kept.keys() == counted.keys()
    for page, row in counted.items():
        assert (kept[page].snapshot_id, kept[page].inlink_count, kept[page].outlink_count) == (
            row.snapshot_id,
            row.inlink_count,
            row.outlink_count,
        ), group(page)
        assert kept[page].rank_residual == pytest.approx(row.rank_residual, abs=1e-9), group(page)
