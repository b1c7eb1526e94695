import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.model.search.query import Intent
from webstrata.model.search.values import Fallback, SearchRequest, SearchResponse, View
from webstrata.search.appearances import Appearances
from webstrata.web.search.texts import as_written, heading, how_often, interpretation, quote, sentence_of, site_of

URL = "https://health.example/fever"


def found(
    total: int,
    *,
    capped: bool = False,
    instead: str | None = None,
    intent: Intent = Intent.PLAIN,
    fallback: Fallback = Fallback.NONE,
) -> SearchResponse:
    return SearchResponse(
        (), total, 1, 20, total_capped=capped, instead=instead, intent=intent, fallback=fallback, next_cursor="x"
    )


@pytest.mark.parametrize(
    ("q", "view", "response", "words"),
    [
        ("fever", View.PAGES, found(1), "1 page says “fever”"),
        ("fever", View.SNAPSHOTS, found(1_234), "1,234 snapshots say “fever”"),
        ("fever", View.PAGES, found(20_000, capped=True), "More than 20,000 pages say “fever”"),
        ("feber", View.PAGES, found(2, instead="fever"), "2 pages say “fever”"),
        ("fever", View.PAGES, found(0), "No page says “fever”"),
        ('"six hours"', View.PAGES, found(2, intent=Intent.ADVANCED), "2 pages say “six hours”"),
        ("fever -dose", View.PAGES, found(2, intent=Intent.ADVANCED), "2 pages match fever -dose"),
        ("fever -dose", View.PAGES, found(0, intent=Intent.ADVANCED), "No page matches fever -dose"),
        (URL, View.PAGES, found(1, intent=Intent.URL), f"1 page at {URL}"),
        (URL, View.SNAPSHOTS, found(40, intent=Intent.URL), f"40 snapshots of {URL}"),
        (URL, View.SNAPSHOTS, found(0, intent=Intent.URL), f"No snapshot of {URL}"),
        (None, View.PAGES, found(100_000, capped=True), "More than 100,000 pages, newest first"),
        (None, View.SNAPSHOTS, found(0), "No snapshots here"),
    ],
)
def test_the_heading_is_the_answer(q: str | None, view: View, response: SearchResponse, words: str) -> None:
    assert heading(SearchRequest(q=q, view=view), response) == words


def test_it_is_known_how_a_question_was_taken() -> None:
    assert interpretation(SearchRequest(q="feber"), found(2, instead="fever", fallback=Fallback.FUZZY)).meant == "fever"
    assert interpretation(SearchRequest(q="fev"), found(2, fallback=Fallback.PREFIX)).by_beginnings
    assert interpretation(SearchRequest(q=URL), found(2)).address_unknown
    assert not interpretation(SearchRequest(q=URL), found(2, intent=Intent.URL)).address_unknown
    assert not interpretation(SearchRequest(q="fever"), found(2)).address_unknown


@pytest.mark.parametrize("fallback", [Fallback.FUZZY, Fallback.PREFIX, Fallback.PARTS])
def test_words_as_they_are_written_find_nothing_where_others_had_to_be_tried(fallback: Fallback) -> None:
    literal = as_written(found(7, instead="fever", fallback=fallback))
    assert (literal.total, literal.results, literal.next_cursor, literal.instead) == (0, (), None, "fever")


def test_words_that_are_there_find_what_they_find() -> None:
    assert as_written(found(7)) == found(7)


@pytest.mark.parametrize(
    ("q", "sentence"),
    [
        ('"Every six hours"', "Every six hours"),
        ('fever "every six hours" OR "two doses"', "every six hours"),
        ('fever -"every six hours"', None),
        ('fever -"six hours" "two doses"', "two doses"),
        ('"!"', None),
        ("every six hours", None),
        ('an "unfinished quote', None),
        ("", None),
    ],
)
def test_a_sentence_is_what_is_requested_in_quotes(q: str, sentence: str | None) -> None:
    assert sentence_of(q) == sentence


@pytest.mark.parametrize(
    ("q", "site"),
    [
        (URL, "health.example"),
        ("www.health.example/fever", "health.example"),
        ("health.example", "health.example"),
        ("fever dose", None),
        ("covid-2.5", None),
        ("http://10.0.0.1/fever", "10.0.0.1"),
        ("bücher.example", "bücher.example"),
        ("http://[", None),
    ],
)
def test_the_site_of_an_address_is_its_host(q: str, site: str | None) -> None:
    assert site_of(q) == site


@given(st.text(max_size=60))
def test_every_query_gets_a_heading(q: str) -> None:
    for response in (found(0), found(3, intent=Intent.URL), found(3, intent=Intent.ADVANCED, instead="fever")):
        assert heading(SearchRequest(q=q), response)
        interpretation(SearchRequest(q=q), response)
    sentence, site = sentence_of(q), site_of(q)
    assert sentence is None or sentence in q
    assert site is None or site


def test_a_sentence_is_quoted_whatever_is_in_it() -> None:
    assert quote('  give "one"  dose ') == '"give one dose"'


def test_how_often_a_sentence_stands_there_is_reported_in_words() -> None:
    assert how_often(Appearances(None, None, 1)) == "1 snapshot says it"
    assert how_often(Appearances(None, None, 12)) == "12 snapshots say it"
    assert how_often(Appearances(None, None, 20_000, capped=True)) == "More than 20,000 snapshots say it"
