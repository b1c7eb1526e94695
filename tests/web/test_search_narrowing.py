from webstrata.model.search.values import FacetCount, SearchResponse
from webstrata.web.search.form import SearchForm
from webstrata.web.search.narrowing import VALUES_FOLDED, VALUES_SHOWN, chips, counted_of, facets

NAMES = {"hc": "Health Agency", "wb": "Water Board"}


def response(total: int = 10, *, capped: bool = False, **counts: dict[str, int]) -> SearchResponse:
    given = {name: tuple(FacetCount(*pair) for pair in values.items()) for name, values in counts.items()}
    return SearchResponse((), total, 1, 20, total_capped=capped, facets={"source": (FacetCount("hc", total),)} | given)


def test_results_divide_by_what_distinguishes_them() -> None:
    found = response(source={"hc": 7, "wb": 3}, year={"2023": 4, "2024": 6}, language={"fr": 10}, type={"html": 10})
    years, sources = facets(SearchForm(q="fever", page="3", cursor="x"), found, NAMES)
    assert [(choice.words, choice.count, choice.share) for choice in years.choices] == [
        ("2024", 6, 100),
        ("2023", 4, 66),
    ]
    assert [(choice.words, choice.address) for choice in sources.choices] == [
        ("Health Agency", "/search?q=fever&source=hc"),
        ("Water Board", "/search?q=fever&source=wb"),
    ]


def test_a_value_that_only_some_results_have_divides_them() -> None:
    (languages,) = facets(SearchForm(), response(language={"fr-ca": 4}), NAMES)
    assert [(choice.words, choice.address) for choice in languages.choices] == [
        ("French (fr-ca)", "/search?language=fr-ca")
    ]


def test_kinds_of_files_have_names_that_readers_know() -> None:
    (kinds,) = facets(SearchForm(), response(type={"html": 6, "pdf": 2, "text": 1, "other": 1}), NAMES)
    assert [choice.words for choice in kinds.choices] == ["Web pages", "PDF files", "Plain texts", "Other files"]
    assert kinds.choices[1].address == "/search?type=pdf"


def test_what_is_chosen_is_not_offered_again() -> None:
    found = response(source={"hc": 7, "wb": 3}, year={"2023": 4, "2024": 6})
    assert facets(SearchForm(source="hc", year="2024"), found, NAMES) == ()


def test_nothing_found_divides_into_nothing() -> None:
    assert facets(SearchForm(q="zebra"), SearchResponse((), 0, 1, 20, facets={"source": (), "year": ()}), NAMES) == ()
    assert facets(SearchForm(q="zebra"), SearchResponse((), 0, 1, 20), NAMES) == ()


def test_many_values_are_folded_and_very_many_left_out() -> None:
    everything = VALUES_SHOWN + VALUES_FOLDED + 5
    (sources,) = facets(SearchForm(), response(source={f"s{n:02}": 100 - n for n in range(everything)}), NAMES)
    assert (len(sources.choices), len(sources.folded), sources.left_out) == (VALUES_SHOWN, VALUES_FOLDED, 5)


def test_a_single_value_is_not_worth_a_fold() -> None:
    (sources,) = facets(SearchForm(), response(source={f"s{n}": 9 for n in range(VALUES_SHOWN + 1)}), NAMES)
    assert (len(sources.choices), len(sources.folded)) == (VALUES_SHOWN + 1, 0)


def test_counts_of_only_some_results_are_known_as_such() -> None:
    assert counted_of(response(10)) is None
    assert counted_of(response(10, capped=True)) == 10
    assert counted_of(response(30, source={"hc": 7, "wb": 3})) == 10


def test_each_filter_can_be_taken_away_alone() -> None:
    form = SearchForm(
        q="fever", source="hc", as_of="2024-05-03", language="fr", kind="pdf", year="2023", page="4", cursor="x"
    )
    assert {chip.words: chip.without for chip in chips(form, NAMES)} == {
        "As of 3 May 2024": "/search?q=fever&source=hc&language=fr&type=pdf&year=2023",
        "2023": "/search?q=fever&asOf=2024-05-03&source=hc&language=fr&type=pdf",
        "Health Agency": "/search?q=fever&asOf=2024-05-03&language=fr&type=pdf&year=2023",
        "French": "/search?q=fever&asOf=2024-05-03&source=hc&type=pdf&year=2023",
        "PDF files": "/search?q=fever&asOf=2024-05-03&source=hc&language=fr&year=2023",
    }


def test_what_widens_a_search_can_be_taken_away_too() -> None:
    form = SearchForm(
        from_date="2024-01-01", to_date="2024-12-31", include_non_2xx=True, include_duplicates=True, exact=True
    )
    assert [chip.words for chip in chips(form, NAMES)] == [
        "From 1 January 2024",
        "Until 31 December 2024",
        "With errors and redirects",
        "With snapshots where nothing changed",
        "Words as they are written",
    ]
    assert chips(SearchForm(q="fever", sort="newest", view="snapshots"), NAMES) == ()
