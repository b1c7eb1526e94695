"""PageRank as the database keeps it."""

import random

import pytest
from sqlalchemy import update

from tests.support.linked import Arrival, LinkedArchive
from tests.support.recount import recount_signals
from webstrata.db.engine import Database
from webstrata.db.schema.link_tables import PageSignal
from webstrata.index.signals import refresh_pagerank
from webstrata.model.search.pagerank import TOLERANCE, Settling

WITHIN = 4 * TOLERANCE


@pytest.fixture
def archive(database: Database) -> LinkedArchive:
    return LinkedArchive(database)


def ranks(archive: LinkedArchive) -> dict[str, float]:
    return {page: row.pagerank for page, row in archive.signals().items() if row.snapshot_id is not None}


def from_nothing(archive: LinkedArchive) -> dict[str, float]:
    """Return the ranks that come out when nothing is known of earlier ones."""
    with archive.database.write() as session:
        session.execute(update(PageSignal).values(rank_mass=0.0, pagerank=0.0))
    recount_signals(archive.database)
    refresh_pagerank(archive.database)
    return ranks(archive)


def test_ranks_add_up_to_one_over_the_captured_pages(archive: LinkedArchive) -> None:
    archive.add(Arrival("a", "bcx"), Arrival("b", "cx"), Arrival("c", "a"), Arrival("d"))
    assert refresh_pagerank(archive.database) == 4
    found = ranks(archive)
    assert sum(found.values()) == pytest.approx(1, abs=TOLERANCE)
    assert found["a"] > found["c"] > found["b"] > found["d"] > 0
    assert archive.signals()["x"].pagerank == 0
    assert refresh_pagerank(archive.database) == 0


def test_ranks_kept_up_are_those_worked_out_from_nothing(archive: LinkedArchive) -> None:
    order = random.Random(7)
    names = [f"p{n}" for n in range(40)]
    for day in range(4):
        pages = [Arrival(name, order.sample(names, 5), day) for name in order.sample(names, 15)]
        archive.add(*pages)
        refresh_pagerank(archive.database)
    kept = ranks(archive)
    assert kept == pytest.approx(from_nothing(archive), rel=WITHIN)
    assert sum(kept.values()) == pytest.approx(1, abs=TOLERANCE)


def test_a_page_that_is_no_longer_there_has_no_rank(archive: LinkedArchive) -> None:
    first, _ = archive.add(Arrival("a", "b"), Arrival("b", "a"))
    refresh_pagerank(archive.database)
    archive.delete([first])
    refresh_pagerank(archive.database)
    assert archive.signals()["a"].pagerank == 0
    assert ranks(archive) == {"b": pytest.approx(1, abs=TOLERANCE)}


def test_links_that_change_while_ranks_are_worked_out_are_not_lost(
    archive: LinkedArchive, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive.add(*(Arrival(page, links) for page, links in {"a": "bc", "b": "a", "c": "ab", "d": "a"}.items()))
    settle = Settling.settle

    def meanwhile(settling: Settling, *rest: object) -> None:
        settle(settling, *rest)  # type: ignore[arg-type]
        monkeypatch.undo()
        archive.add(Arrival("a", "d", 5), Arrival("e", "a", 5))

    monkeypatch.setattr(Settling, "settle", meanwhile)
    refresh_pagerank(archive.database)
    refresh_pagerank(archive.database)
    assert ranks(archive) == pytest.approx(from_nothing(archive), rel=WITHIN)


def test_what_is_cancelled_goes_on_next_time(archive: LinkedArchive) -> None:
    archive.add(Arrival("a", "b"), Arrival("b", "a"))
    assert refresh_pagerank(archive.database, cancelled=lambda: True) == 0
    assert set(ranks(archive).values()) == {0}
    assert refresh_pagerank(archive.database) == 2
