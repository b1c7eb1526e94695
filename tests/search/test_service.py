from datetime import date

import pytest

from tests.support.shelf import Shelf
from webstrata.db.engine import Database
from webstrata.model.search.values import SearchRequest, Sort, View
from webstrata.search.service import search

SITE = "https://example.org"
CORPUS = {
    "measles": ("Measles", "Measles is a viral infection. Two doses of the MMR vaccine protect for life: 0.5 mL each."),
    "rougeole": (
        "Rougeole",
        "La rougeole est une infection virale. L'été, à l'hôpital, élèves et garçons sont vaccinés.",
    ),
    "covid": (
        "COVID-19",
        "COVID-19 vaccines for 2024–2025. Call 1-800-555-0199 or e-mail info@example.org about H1N1.",
    ),
    "dose": ("Dose card", "Children of 10 kg take 120 mg (5 ml); of 20 kg 240 mg. Don't give more than 4 doses a day."),
    "heat": (
        "Extreme heat",
        "Stay cool. ÉTÉ and e\u0301te\u0301 are French for summer; Straße is German for street. ﬁnd H₂O.",
    ),
    "empty": ("", ""),
}
QUERIES = {
    "measles": {"measles"},
    "MEASLES": {"measles"},
    "infection": {"measles", "rougeole"},
    "infection virale": {"rougeole"},
    "Virale, INFECTION!": {"rougeole"},
    "été": {"rougeole", "heat"},
    "ete": {"rougeole", "heat"},
    "l'été": {"rougeole"},
    "hôpital": {"rougeole"},
    "hopital": {"rougeole"},
    "l’hôpital": {"rougeole"},
    "eleves garcons": {"rougeole"},
    "covid-19": {"covid"},
    "covid 19": {"covid"},
    "covid19": set(),
    "2024-2025": {"covid"},
    "1-800-555-0199": {"covid"},
    "h1n1": {"covid"},
    "e-mail": {"covid"},
    "info@example.org": {"covid"},
    "120": {"dose"},
    "10 kg": {"dose"},
    "120mg": set(),
    "don't": {"dose"},
    "0.5": {"measles"},
    "strasse": {"heat"},
    "find h2o": {"heat"},
    "vaccine": {"measles"},
    "vaccines": {"covid", "rougeole"},
    "vacc": set(),
    "rougeole measles": set(),
    "and": {"heat"},
    "or": {"covid"},
    "not": set(),
    "example": {"measles", "rougeole", "covid", "dose", "heat", "empty"},
    "dose": {"dose"},
    "nothing at all": set(),
}


IN_OTHER_FORMS = {
    "vaccine": {"measles", "covid", "rougeole"},
    "vaccines": {"measles", "covid", "rougeole"},
    "vacc": {"measles", "covid", "rougeole"},
    "dose": {"dose", "measles"},
    "infection virale": {"measles", "rougeole"},
    "Virale, INFECTION!": {"measles", "rougeole"},
    "covid19": {"covid"},
    "120mg": {"dose"},
}
"""What is found besides words as they are written: other forms, compounds in one piece, numbers with their unit."""
MOST_WORDS = {"rougeole measles": {"rougeole", "measles"}, "l'été": {"rougeole", "heat"}}


def ids_of(database: Database, request: SearchRequest) -> list[int]:
    return [view.id for view in search(database, request).results]


def fill(database: Database) -> dict[int, str]:
    """Put the corpus into a database and return which snapshot is which page."""
    shelf = Shelf(database)
    job = shelf.job()
    return {
        shelf.page(job, f"{SITE}/{path}", "2026-01-01", text, title=title): path
        for path, (title, text) in CORPUS.items()
    }


def test_every_database_finds_the_same_pages_for_the_same_words(database: Database) -> None:
    names = fill(database)
    found = {query: {names[i] for i in ids_of(database, SearchRequest(q=query))} for query in QUERIES}
    assert found == QUERIES | IN_OTHER_FORMS | MOST_WORDS
    exact = {query: {names[i] for i in ids_of(database, SearchRequest(q=query, exact=True))} for query in QUERIES}
    assert exact == QUERIES


def test_no_query_breaks_the_search(database: Database) -> None:
    fill(database)
    odd = ["'", '"', "\\", "*", "(", "NEAR(", "a:b", "-x", "^", "&", "|", "!", "<->", "%", "\0", "😀", "AND", "\ud800"]
    for text in odd:
        for query in (text, f"measles {text}", f"{text}measles{text}"):
            answer = search(database, SearchRequest(q=query))
            assert answer.total == len(answer.results)


def test_a_hit_in_the_title_comes_before_one_in_the_text(database: Database, shelf: Shelf) -> None:
    job = shelf.job()
    filler = "many other words stand here so that one word more or less does not count for much in this text "
    text = shelf.page(job, f"{SITE}/a", "2026-01-03", f"{filler} grippe", title="One")
    title = shelf.page(job, f"{SITE}/b", "2026-01-01", filler, title="La grippe")
    often = shelf.page(job, f"{SITE}/c", "2026-01-02", f"grippe {filler} grippe {filler} grippe", title="Two")
    assert ids_of(database, SearchRequest(q="grippe")) == [title, often, text]
    assert ids_of(database, SearchRequest(q="grippe", sort=Sort.NEWEST)) == [text, often, title]


def test_browsing_shows_the_newest_first(database: Database, shelf: Shelf) -> None:
    job = shelf.job()
    old, new = (shelf.page(job, f"{SITE}/{n}", f"2026-01-0{n}") for n in (1, 2))
    same = shelf.page(job, f"{SITE}/3", "2026-01-02")
    assert ids_of(database, SearchRequest()) == [same, new, old]
    assert ids_of(database, SearchRequest(sort=Sort.RELEVANCE)) == [same, new, old]


def test_a_search_is_narrowed_to_a_source(database: Database, shelf: Shelf) -> None:
    hc = shelf.page(shelf.job("hc"), f"{SITE}/a", "2026-01-01", "flu")
    phac = shelf.page(shelf.job("phac"), f"{SITE}/a", "2026-01-02", "flu")
    for q in ("flu", None):
        assert ids_of(database, SearchRequest(q=q, sort=Sort.NEWEST)) == [phac, hc]
        assert ids_of(database, SearchRequest(q=q, source="hc")) == [hc]
        assert ids_of(database, SearchRequest(q=q, source="HC")) == [hc]
        assert ids_of(database, SearchRequest(q=q, source="nobody")) == []


def test_the_test_source_is_never_found(database: Database, shelf: Shelf) -> None:
    shelf.page(shelf.job("test"), f"{SITE}/a", "2026-01-01", "flu")
    for view in View:
        for q in ("flu", None):
            for source in (None, "test"):
                assert ids_of(database, SearchRequest(q=q, view=view, source=source)) == []


@pytest.mark.parametrize(
    ("first", "last", "days"),
    [
        (None, None, [1, 2, 3]),
        (date(2026, 1, 2), None, [2, 3]),
        (None, date(2026, 1, 2), [1, 2]),
        (date(2026, 1, 2), date(2026, 1, 2), [2]),
        (date(2026, 1, 4), None, []),
        (date(2026, 1, 3), date(2026, 1, 1), []),
        (date.min, date.max, [1, 2, 3]),
    ],
)
def test_days_are_utc_days_and_both_ends_count(
    database: Database, shelf: Shelf, first: date | None, last: date | None, days: list[int]
) -> None:
    job = shelf.job()
    for day, time in ((1, "23:59:59.999999"), (2, "00:00:00"), (2, "23:59:59.999999"), (3, "00:00:00")):
        shelf.page(job, f"{SITE}/{day}{time[:2]}", f"2026-01-0{day}T{time}", "flu")
    for q in ("flu", None):
        for view in View:
            answer = search(database, SearchRequest(q=q, view=view, from_date=first, to_date=last))
            assert sorted({view.captured_at.day for view in answer.results}) == days


def test_errors_and_redirects_are_left_out_unless_asked_for_and_come_last(database: Database, shelf: Shelf) -> None:
    job = shelf.job()
    statuses = {404: 1, 200: 2, 301: 3, None: 4, 206: 5, 503: 6}
    pages = {
        status: shelf.page(job, f"{SITE}/{day}", f"2026-01-0{day}", "flu", status=status)
        for status, day in statuses.items()
    }
    good = [pages[status] for status in (206, None, 200)]
    everything = [pages[status] for status in (206, 200, 301, None, 503, 404)]
    for view in View:
        assert ids_of(database, SearchRequest(view=view)) == good
        assert ids_of(database, SearchRequest(view=view, include_non_2xx=True)) == everything
        assert ids_of(database, SearchRequest(q="flu", view=view, sort=Sort.NEWEST)) == good
        assert ids_of(database, SearchRequest(q="flu", view=view, include_non_2xx=True))[:2] != [pages[404]]


def test_captures_of_one_day_that_changed_nothing_are_shown_once(database: Database, shelf: Shelf) -> None:
    job = shelf.job()

    def capture(at: str, text: str, status: int = 200, path: str = "a") -> int:
        return shelf.page(job, f"{SITE}/{path}", at, text, status=status)

    capture("2026-01-01T00:00:00", "flu")
    capture("2026-01-01T12:00:00", "flu")
    last = capture("2026-01-01T23:59:59", "flu")
    changed = capture("2026-01-01T13:00:00", "flu two")
    next_day = capture("2026-01-02T00:00:00", "flu")
    twins = [capture("2026-01-03T12:00:00", "flu") for _ in range(2)]
    elsewhere = capture("2026-01-01T12:00:00", "flu", path="b")
    for q in ("flu", None):
        shown = ids_of(database, SearchRequest(q=q, sort=Sort.NEWEST))
        assert sorted(shown) == sorted([last, changed, next_day, twins[1], elsewhere])
        assert len(ids_of(database, SearchRequest(q=q, include_duplicates=True))) == 8


def test_an_error_page_does_not_hide_the_good_one_it_repeats(database: Database, shelf: Shelf) -> None:
    job = shelf.job()
    good = shelf.page(job, f"{SITE}/a", "2026-01-01T10:00:00", "soft error", status=200)
    shelf.page(job, f"{SITE}/a", "2026-01-01T11:00:00", "soft error", status=500)
    for view in View:
        assert ids_of(database, SearchRequest(view=view)) == [good]
        assert ids_of(database, SearchRequest(q="soft", view=view)) == [good]


def test_the_pages_view_shows_the_newest_matching_capture_of_each_page(database: Database, shelf: Shelf) -> None:
    job = shelf.job()
    flu_then = shelf.page(job, f"{SITE}/a", "2026-01-01", "flu")
    shelf.page(job, f"{SITE}/a", "2026-01-02", "measles")
    gone = shelf.page(job, f"{SITE}/a", "2026-01-03", "not here", status=404)
    other = shelf.page(job, "http://www.example.org/b/", "2026-01-02", "flu")
    request = SearchRequest(q="flu", view=View.PAGES, sort=Sort.NEWEST)
    answer = search(database, request)
    assert ([view.id for view in answer.results], answer.total) == ([other, flu_then], 2)
    assert [view.page_snapshots_count for view in answer.results] == [1, 3]
    assert gone in ids_of(database, SearchRequest(view=View.PAGES, include_non_2xx=True))


def test_browsing_pages_is_the_same_on_the_fast_way_and_on_the_long_one(database: Database, shelf: Shelf) -> None:
    for source in ("hc", "test"):
        job = shelf.job(source)
        for number in range(10):
            day, status = number % 5 + 1, (200, 404, 200, None, 301)[number % 5]
            shelf.page(job, f"{SITE}/{number % 7}", f"2026-01-0{day}", f"text {number % 3}", status=status)
    for request in (
        SearchRequest(view=View.PAGES),
        SearchRequest(view=View.PAGES, include_non_2xx=True),
        SearchRequest(view=View.PAGES, include_duplicates=True),
        SearchRequest(view=View.PAGES, source="hc"),
        SearchRequest(view=View.PAGES, source="test"),
        SearchRequest(view=View.PAGES, sort=Sort.RELEVANCE),
        SearchRequest(view=View.PAGES, page=2, page_size=3),
        SearchRequest(view=View.PAGES, source="nobody"),
    ):
        assert search(database, request) == search(database, request, pages_fastpath=False)


@pytest.mark.parametrize("view", View)
@pytest.mark.parametrize("q", ["flu", None])
def test_pages_of_results_follow_each_other_without_gap_or_repeat(
    database: Database, shelf: Shelf, view: View, q: str | None
) -> None:
    job = shelf.job()
    ids = [shelf.page(job, f"{SITE}/{number}", "2026-01-01", "flu") for number in range(7)]
    shown = []
    for page in range(1, 5):
        answer = search(database, SearchRequest(q=q, view=view, page=page, page_size=3))
        assert (answer.total, answer.page, answer.page_size) == (7, page, 3)
        shown.append([view.id for view in answer.results])
    assert [len(page_ids) for page_ids in shown] == [3, 3, 1, 0]
    assert sorted(snapshot for page_ids in shown for snapshot in page_ids) == ids


def test_an_empty_archive_answers_too(database: Database) -> None:
    for request in (SearchRequest(), SearchRequest(q="flu"), SearchRequest(view=View.PAGES), SearchRequest(q=" - ")):
        answer = search(database, request)
        assert (answer.results, answer.total) == ((), 0)


def test_hits_are_marked_in_a_passage_of_the_full_text(database: Database, shelf: Shelf) -> None:
    text = "Début. " + "Autre chose. " * 100 + "À l'HÔPITAL, on vaccine. " + "Encore. " * 100
    shelf.page(shelf.job(), f"{SITE}/a", "2026-01-01", text, title="Un titre")
    (hit,) = search(database, SearchRequest(q="hopital vaccine titre")).results
    assert [run.text for run in hit.marked_snippet if run.marked] == ["HÔPITAL", "vaccine"]
    passage = "".join(run.text for run in hit.marked_snippet)
    assert passage.startswith("… ")
    assert passage.endswith(" …")
    assert len(passage) < 300


def test_nothing_is_marked_when_nothing_was_searched_or_only_the_title_matched(
    database: Database, shelf: Shelf
) -> None:
    shelf.page(shelf.job(), f"{SITE}/a", "2026-01-01", "text", title="Titre")
    for request in (SearchRequest(), SearchRequest(q="titre")):
        (hit,) = search(database, request).results
        assert hit.marked_snippet == ()
        assert hit.snippet == "text"
