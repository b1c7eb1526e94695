from collections.abc import Collection, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.model.search import pagerank
from webstrata.model.search.pagerank import DAMPING, TELEPORT, TOLERANCE, RankedPage, Settling

Graph = Mapping[int, list[int]]

graphs = st.dictionaries(
    st.integers(1, 12), st.lists(st.integers(1, 15), unique=True, max_size=6), min_size=1, max_size=12
).map(lambda graph: {page: [target for target in targets if target != page] for page, targets in graph.items()})
"""Pages that were captured, and what they link to: each other, pages that were not captured, nothing at all."""


class Ranks:
    """What is known of every page, kept as the database keeps it."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.mass = dict.fromkeys(_nodes(graph), 0.0)
        self.residual = {page: TELEPORT if page in graph else 0.0 for page in _nodes(graph)}
        self.asked: list[Collection[int]] = []

    def settle(self) -> None:
        while start := [page for page in self.graph if abs(self.residual[page]) > TOLERANCE]:
            settling = Settling(self._pages, self._links)
            settling.settle(start)
            for page, handed_on in settling.handed_on().items():
                self.mass[page] += handed_on
            for page, change in settling.changes().items():
                self.residual[page] += change

    def ranks(self) -> dict[int, float]:
        total = sum(self.mass[page] for page in self.graph)
        return {page: self.mass[page] / total for page in self.graph}

    def _pages(self, pages: Collection[int]) -> list[RankedPage]:
        self.asked.append(pages)
        return [RankedPage(page, self.residual[page], page in self.graph) for page in sorted(pages)]

    def _links(self, pages: Collection[int]) -> Graph:
        return {page: self.graph[page] for page in pages}


def _nodes(graph: Graph) -> set[int]:
    return {*graph, *(target for targets in graph.values() for target in targets)}


def power_iteration(graph: Graph) -> dict[int, float]:
    """Return PageRank as the textbook has it: a surfer who is bored, or stuck, goes on from any captured page."""
    rank = {page: 1 / len(graph) if page in graph else 0.0 for page in _nodes(graph)}
    for _ in range(300):
        handed = dict.fromkeys(rank, 0.0)
        stuck = 0.0
        for page, value in rank.items():
            targets = graph.get(page) or []
            stuck += 0.0 if targets else value
            for target in targets:
                handed[target] += DAMPING * value / len(targets)
        anywhere = (1 - DAMPING + DAMPING * stuck) / len(graph)
        rank = {page: value + (anywhere if page in graph else 0.0) for page, value in handed.items()}
    captured = sum(rank[page] for page in graph)
    return {page: rank[page] / captured for page in graph}


@given(graph=graphs)
def test_ranks_are_those_of_the_textbook(graph: Graph) -> None:
    ranks = Ranks(graph)
    ranks.settle()
    assert sum(ranks.ranks().values()) == pytest.approx(1)
    assert ranks.ranks() == pytest.approx(power_iteration(graph), rel=2 * TOLERANCE)


def test_pages_without_links_and_pages_in_a_circle_are_no_trouble() -> None:
    ranks = Ranks({1: [], 2: [3], 3: [2]})
    ranks.settle()
    assert ranks.ranks() == pytest.approx(power_iteration(ranks.graph), rel=2 * TOLERANCE)
    assert ranks.ranks()[2] > 2 * ranks.ranks()[1]


def test_what_many_link_to_ranks_above_what_few_do() -> None:
    ranks = Ranks({1: [4, 5], 2: [4], 3: [4], 4: [], 5: []})
    ranks.settle()
    found = ranks.ranks()
    assert sorted(found, key=found.__getitem__, reverse=True)[:2] == [4, 5]


def test_the_same_graph_gives_the_same_ranks_to_the_last_digit() -> None:
    graph = {page: [(page * 7 + step) % 50 + 1 for step in (3, 8, 21)] for page in range(1, 51)}
    first, second = Ranks(graph), Ranks(dict(reversed(graph.items())))
    first.settle()
    second.settle()
    assert first.mass == second.mass


def test_a_graph_that_does_not_fit_into_memory_is_settled_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = {page: [(page * 7 + step) % 60 + 1 for step in (3, 8, 21)] for page in range(1, 61)}
    monkeypatch.setattr(pagerank, "MOST_LINKS", 30)
    monkeypatch.setattr(pagerank, "_AT_ONCE", 5)
    ranks = Ranks(graph)
    ranks.settle()
    assert ranks.ranks() == pytest.approx(power_iteration(graph), rel=2 * TOLERANCE)


def test_a_small_change_far_away_is_not_looked_at_by_all() -> None:
    graph = {page: [page + 1] for page in range(1, 1000)} | {1000: []}
    ranks = Ranks(graph)
    ranks.settle()
    ranks.asked.clear()
    ranks.residual[1] += TELEPORT
    ranks.settle()
    assert 20 < len({page for pages in ranks.asked for page in pages}) < 40
