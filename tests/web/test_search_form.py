from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import QueryParams

from webstrata.model.search.values import Cursor, FileKind, SearchRequest, Sort, View
from webstrata.web.search.form import SearchForm, address, appearances_address, problems, read_form, to_request


def test_an_empty_form_asks_for_all_pages_newest_first() -> None:
    asked = to_request(read_form({}))
    assert asked == SearchRequest(view=View.PAGES)
    assert asked.effective_sort is Sort.NEWEST


def test_every_field_is_read() -> None:
    fields = {
        "q": " fever ",
        "source": "Health",
        "view": "snapshots",
        "sort": "newest",
        "from": "2024-01-01",
        "to": "2024-02-01",
        "includeNon2xx": "true",
        "includeDuplicates": "on",
        "page": "3",
        "asOf": "2024-03-01",
        "language": "FR",
        "type": "pdf",
        "year": "2024",
        "exact": "true",
        "cursor": Cursor(40).written(),
    }
    form = read_form(fields)
    assert problems(form) == {}
    assert to_request(form) == SearchRequest(
        q="fever",
        source="health",
        sort=Sort.NEWEST,
        view=View.SNAPSHOTS,
        include_non_2xx=True,
        include_duplicates=True,
        from_date=date(2024, 1, 1),
        to_date=date(2024, 2, 1),
        page=3,
        as_of=date(2024, 3, 1),
        language="fr",
        kind=FileKind.PDF,
        year=2024,
        cursor=Cursor(40).written(),
        exact=True,
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("q", "x" * 257),
        ("view", "all"),
        ("sort", "oldest"),
        ("from", "2024-13-01"),
        ("from", "20240101"),
        ("to", "yesterday"),
        ("page", "0"),
        ("page", "-1"),
        ("page", "two"),
        ("page", "²"),
        ("page", "9" * 30),
        ("asOf", "soon"),
        ("language", "x" * 17),
        ("type", "video"),
        ("year", "0"),
        ("year", "10000"),
        ("cursor", "!"),
        ("cursor", Cursor(40).written() + "x" * 200),
    ],
)
def test_a_field_that_makes_no_sense_is_named(name: str, value: str) -> None:
    assert list(problems(read_form({name: value}))) == [name]


def test_a_period_must_not_end_before_it_starts() -> None:
    assert list(problems(read_form({"from": "2024-05-02", "to": "2024-05-01"}))) == ["to"]
    assert problems(read_form({"from": "2024-05-02", "to": "2024-05-02"})) == {}
    assert problems(read_form({"from": "2024-05-02"})) == {}
    assert problems(read_form({"to": "2024-05-02"})) == {}


def test_characters_that_no_database_takes_are_read_as_spaces() -> None:
    assert read_form({"q": "fever\x00dose"}).q == "fever dose"


def test_an_address_leaves_out_what_is_empty_or_the_default() -> None:
    assert address(SearchForm()) == "/search"
    assert address(SearchForm(q="fever & dose", view="pages", page="1")) == "/search?q=fever+%26+dose"


words = st.text(st.characters(min_codepoint=33, max_codepoint=0x2FF, categories=["L", "N", "P"]), max_size=20)


@given(
    st.builds(
        SearchForm,
        q=words,
        source=words.map(str.lower).filter(lambda code: code == code.lower()),
        view=st.sampled_from(["", "snapshots"]),
        sort=st.sampled_from(["", "relevance", "newest"]),
        from_date=st.dates().map(str),
        include_non_2xx=st.booleans(),
        include_duplicates=st.booleans(),
        page=st.sampled_from(["", "2", "17"]),
        as_of=st.dates().map(str),
        language=st.sampled_from(["", "fr"]),
        kind=st.sampled_from(["", *FileKind]).map(str),
        year=st.sampled_from(["", "2024"]),
        exact=st.booleans(),
        cursor=st.sampled_from(["", Cursor(40).written()]),
    )
)
def test_an_address_states_all_of_what_was_asked(form: SearchForm) -> None:
    query = address(form).removeprefix("/search").removeprefix("?")
    assert read_form(QueryParams(query)) == form


def test_only_what_limits_the_results_narrows_the_form() -> None:
    assert not SearchForm(q="fever", sort="newest").narrowed
    assert all(
        replace(SearchForm(), **{name: "x"}).narrowed  # type: ignore[arg-type]
        for name in ("source", "from_date", "to_date", "as_of", "language", "kind", "year")
    )


def test_the_question_from_its_first_result_on_has_no_page() -> None:
    form = SearchForm(q="fever", language="fr", page="7", cursor=Cursor(120).written())
    assert form.at_first_page == SearchForm(q="fever", language="fr")


def test_a_sentence_has_an_address_in_all_sources_and_in_one() -> None:
    assert appearances_address("six hours", "") == "/search/appearances?q=six+hours"
    assert appearances_address("six & more", "hc") == "/search/appearances?q=six+%26+more&source=hc"
