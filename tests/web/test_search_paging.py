from dataclasses import replace

import pytest

from webstrata.model.search.values import Cursor, SearchResponse
from webstrata.web.search.form import SearchForm, address
from webstrata.web.search.paging import Pager, pager

FORM = SearchForm(q="fever", language="fr")


def paged(page: int, total: int, *, capped: bool = False, cursor: str | None = None) -> Pager:
    found = pager(FORM, SearchResponse((), total, page, 20, total_capped=capped, next_cursor=cursor))
    assert found is not None
    return found


@pytest.mark.parametrize("total", [0, 1, 20])
def test_one_page_needs_no_pager(total: int) -> None:
    assert pager(FORM, SearchResponse((), total, 1, 20)) is None


def test_pages_are_turned_by_number() -> None:
    second = paged(2, 45, cursor="not-needed")
    assert second.place == "Page 2 of 3"
    assert second.previous == "/search?q=fever&language=fr"
    assert second.next == "/search?q=fever&language=fr&page=3"
    assert paged(3, 45).next is None
    assert paged(1, 45).previous is None


@pytest.mark.parametrize(
    ("page", "total", "numbers"),
    [
        (1, 60, "*1* 2 3"),
        (1, 20_000, "*1* 2 … 1000"),
        (500, 20_000, "1 … 499 *500* 501 … 1000"),
        (1000, 20_000, "1 … 999 *1000*"),
        (3, 100, "1 2 *3* 4 5"),
    ],
)
def test_the_first_the_last_and_the_neighbours_are_one_step_away(page: int, total: int, numbers: str) -> None:
    leaves = paged(page, total).leaves
    shown = [
        f"{'… ' if leaf.after_gap else ''}{f'*{leaf.number}*' if leaf.is_here else str(leaf.number)}" for leaf in leaves
    ]
    assert " ".join(shown) == numbers


def test_after_the_counted_results_a_cursor_leads_on() -> None:
    last = paged(2, 40, capped=True, cursor="abc")
    assert last.place == "Page 2 of more than 2"
    assert last.next == address(replace(FORM, page="3", cursor="abc"))


def test_after_the_counted_results_there_is_a_way_back() -> None:
    assert paged(3, 40, capped=True).previous == address(replace(FORM, page="2"))
    far = paged(5, 40, capped=True, cursor="def")
    assert far.place == "Page 5"
    assert far.previous == address(replace(FORM, page="4", cursor=Cursor(60).written()))
    assert far.next == address(replace(FORM, page="6", cursor="def"))
