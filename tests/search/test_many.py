"""More results than are ranked: the best first, then the newest, and none twice or never."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.search.corpus import corpus, stock
from tests.support.databases import FreshDatabase
from webstrata.db.engine import Database
from webstrata.db.search import candidates, scores, time_order
from webstrata.model.search.values import SearchRequest, SearchResponse, Sort, View
from webstrata.search.service import explain_search, search

RANKED, PAGE = 20, 7
PAGES = [page for page in corpus() if page.language == "en"][:120]


@pytest.fixture(scope="module")
def archive(fresh_database_url: FreshDatabase) -> Iterator[Database]:
    with fresh_database_url() as url:
        database = Database(url)
        stock(database, PAGES)
        yield database
        database.dispose()


@pytest.fixture
def few_are_ranked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, "MOST_RANKED", RANKED)
    monkeypatch.setattr(candidates, "MOST_CHOSEN", RANKED)
    monkeypatch.setattr(candidates, "MOST_TITLES", 5)
    for module in (candidates, scores):
        monkeypatch.setattr(module, "MOST_JUDGED", 8)


def every_page(database: Database, request: SearchRequest) -> list[int]:
    ids: list[int] = []
    for number in range(1, 100):
        answer = search(database, replace(request, page=number, page_size=PAGE))
        if not answer.results:
            return ids
        ids += [hit.id for hit in answer.results]
    raise AssertionError("the results have no end")


def by_cursor(database: Database, request: SearchRequest) -> tuple[list[int], SearchResponse]:
    ids: list[int] = []
    cursor = None
    for _ in range(100):
        answer = search(database, replace(request, page_size=PAGE, cursor=cursor))
        ids += [hit.id for hit in answer.results]
        if (cursor := answer.next_cursor) is None:
            return ids, answer
    raise AssertionError("the cursor has no end")


@pytest.mark.parametrize("view", View)
def test_the_ranked_ones_are_followed_by_the_others_without_gap_or_repeat(
    archive: Database, few_are_ranked: None, view: View
) -> None:
    request = SearchRequest(q="page", view=view)
    found = every_page(archive, request)
    assert sorted(found) == list(range(1, len(PAGES) + 1))
    assert by_cursor(archive, request)[0] == found
    done = explain_search(archive, SearchRequest(q="page", view=view, page_size=100))
    ranked = [hit for hit in done.hits if hit.score is not None]
    assert list(done.hits[: len(ranked)]) == ranked
    assert len(ranked) == RANKED
    assert done.response.total == len(PAGES)
    assert not done.response.total_capped
    behind = [hit.view.captured_at for hit in done.hits[RANKED:]]
    assert behind == sorted(behind, reverse=True)


@pytest.mark.parametrize("view", View)
def test_the_order_is_the_same_however_few_are_asked_for_at_once(archive: Database, view: View) -> None:
    request = SearchRequest(q="page", view=view)
    hits = [
        hit for number in (1, 2) for hit in explain_search(archive, replace(request, page=number, page_size=100)).hits
    ]
    # Many share their score: it is time that tells which of them are on a page.
    assert len({hit.total for hit in hits}) < len(hits) / 2
    assert every_page(archive, request) == [hit.view.id for hit in hits]


def test_a_title_is_among_the_ranked_however_old_it_is(archive: Database, few_are_ranked: None) -> None:
    (first, *_) = search(archive, SearchRequest(q="measles")).results
    assert first.title == "Measles"
    assert search(archive, SearchRequest(q="page")).total > RANKED


@pytest.mark.parametrize("view", View)
def test_what_is_not_wanted_is_not_ranked_for_its_title(archive: Database, few_are_ranked: None, view: View) -> None:
    everything = every_page(archive, SearchRequest(q="page", view=view))
    measles = every_page(archive, SearchRequest(q="page title:measles", view=view))
    assert measles
    found = every_page(archive, SearchRequest(q="page NOT title:measles", view=view))
    assert len(found) > RANKED
    assert sorted([*found, *measles]) == sorted(everything)


@pytest.mark.parametrize("view", View)
@pytest.mark.parametrize("sort", Sort)
def test_counting_stops_somewhere_and_reports_it_and_only_a_cursor_goes_on(
    archive: Database, few_are_ranked: None, monkeypatch: pytest.MonkeyPatch, view: View, sort: Sort
) -> None:
    for module in (time_order, candidates):
        monkeypatch.setattr(module, "MOST_COUNTED", 50)
    monkeypatch.setattr("webstrata.db.search.searching.MOST_COUNTED", 50)
    request = SearchRequest(q="page", view=view, sort=sort)
    found = every_page(archive, request)
    assert 50 <= len(found) < 50 + PAGE
    answer = search(archive, request)
    assert (answer.total, answer.total_capped) == (50, True)
    everything, last = by_cursor(archive, request)
    assert everything[: len(found)] == found
    assert sorted(everything) == list(range(1, len(PAGES) + 1))
    assert last.total == 50


@pytest.mark.parametrize("view", View)
def test_browsing_goes_on_after_what_was_counted_by_a_cursor(
    archive: Database, monkeypatch: pytest.MonkeyPatch, view: View
) -> None:
    for module in ("time_order", "searching"):
        monkeypatch.setattr(f"webstrata.db.search.{module}.MOST_BROWSED", 30)
    answer = search(archive, SearchRequest(view=view))
    assert (answer.total, answer.total_capped) == (30, True)
    assert search(archive, SearchRequest(view=view, page=3)).results == ()
    everything, _ = by_cursor(archive, SearchRequest(view=view))
    assert everything == list(range(len(PAGES), 0, -1))


@pytest.mark.parametrize("walking", [True, False])
def test_walking_and_gathering_find_the_same(
    archive: Database, few_are_ranked: None, monkeypatch: pytest.MonkeyPatch, walking: bool
) -> None:
    requests = [SearchRequest(q=q, view=view, sort=Sort.NEWEST) for q in ("page", "fever") for view in View]
    expected = [every_page(archive, request) for request in requests]
    monkeypatch.setattr(time_order, "walks", lambda wanted, found, archive: walking)
    assert [every_page(archive, request) for request in requests] == expected
