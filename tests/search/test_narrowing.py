"""Filters, facets, the archive as it stood, addresses, appearances, explanations."""

from datetime import date

import pytest
from sqlalchemy import select, update

from tests.support.shelf import Shelf
from webstrata.db.captures.documents import forget_documents
from webstrata.db.captures.snapshots import delete_snapshots, refresh_pages
from webstrata.db.engine import Database
from webstrata.db.schema.link_tables import PageSignal
from webstrata.db.schema.search_tables import SearchEntry, VocabularyWord
from webstrata.db.schema.tables import Snapshot, Source
from webstrata.errors import UsageError
from webstrata.model.search.query import AnyOf, Field, Intent, Words
from webstrata.model.search.ranking import Ranking
from webstrata.model.search.values import Cursor, FacetCount, Fallback, FileKind, SearchRequest, Sort, View, read_cursor
from webstrata.search.appearances import appearances
from webstrata.search.service import explain_search, search

SITE = "https://example.org"


def ids_of(database: Database, request: SearchRequest) -> list[int]:
    return [view.id for view in search(database, request).results]


def describe(database: Database, snapshot_id: int, **columns: object) -> None:
    """Change what a snapshot is, as indexing it again would."""
    with database.write() as session:
        session.execute(update(Snapshot).where(Snapshot.id == snapshot_id).values(**columns))
        row = session.get_one(Snapshot, snapshot_id)
        assert row.source_id is not None
        assert row.normalized_url_group is not None
        refresh_pages(session, row.source_id, [row.normalized_url_group])


def test_results_are_those_of_the_given_date(database: Database, shelf: Shelf) -> None:
    job = shelf.job()
    first = shelf.page(job, f"{SITE}/a", "2024-01-01", "flu then")
    second = shelf.page(job, f"{SITE}/a", "2025-01-01", "flu now")
    later = shelf.page(job, f"{SITE}/b", "2025-06-01", "flu")
    for q in ("flu", None):
        assert ids_of(database, SearchRequest(q=q, view=View.PAGES, sort=Sort.NEWEST)) == [later, second]
        for day, shown in (("2024-12-31", [first]), ("2025-01-01", [second]), ("2023-12-31", [])):
            request = SearchRequest(q=q, view=View.PAGES, sort=Sort.NEWEST, as_of=date.fromisoformat(day))
            assert ids_of(database, request) == shown
    assert ids_of(database, SearchRequest(as_of=date(2025, 1, 1), to_date=date(2024, 6, 1))) == [first]


def test_results_are_narrowed_and_counted_by_source_year_language_and_type(database: Database, shelf: Shelf) -> None:
    one = shelf.page(shelf.job("hc"), f"{SITE}/a", "2024-01-01", "flu")
    two = shelf.page(shelf.job("hc"), f"{SITE}/b", "2025-01-01", "flu")
    three = shelf.page(shelf.job("phac"), f"{SITE}/c", "2025-01-02", "flu")
    shelf.page(shelf.job("test"), f"{SITE}/d", "2025-01-02", "flu")
    describe(database, two, language="fr")
    describe(database, three, mime_type="application/pdf", language=None)
    for q in ("flu", None):
        assert ids_of(database, SearchRequest(q=q, year=2025, sort=Sort.NEWEST)) == [three, two]
        assert ids_of(database, SearchRequest(q=q, language="fr")) == [two]
        assert ids_of(database, SearchRequest(q=q, kind=FileKind.PDF)) == [three]
        assert ids_of(database, SearchRequest(q=q, kind=FileKind.HTML, year=2024)) == [one]
        assert ids_of(database, SearchRequest(q=q, year=9999)) == []
        found = search(database, SearchRequest(q=q, facets=True)).facets
        assert found == {
            "source": (FacetCount("hc", 2), FacetCount("phac", 1)),
            "year": (FacetCount("2025", 2), FacetCount("2024", 1)),
            "language": (FacetCount("en", 1), FacetCount("fr", 1)),
            "type": (FacetCount("html", 2), FacetCount("pdf", 1)),
        }
    assert search(database, SearchRequest(q="flu")).facets is None
    none = search(database, SearchRequest(q="nothing", facets=True)).facets
    assert none == {"source": (), "year": (), "language": (), "type": ()}


def test_an_address_finds_the_captures_of_its_page_however_it_is_written(database: Database, shelf: Shelf) -> None:
    job = shelf.job()
    old = shelf.page(job, f"{SITE}/flu", "2024-01-01", "then")
    new = shelf.page(job, "http://www.example.org/flu/?from=home", "2025-01-01", "now")
    shelf.page(job, f"{SITE}/flu/more", "2025-01-02", f"see {SITE}/flu")
    for q in ("https://example.org/flu", "example.org/flu/", "WWW.example.org/flu#top", "url:http://example.org/flu"):
        answer = search(database, SearchRequest(q=q))
        assert ([hit.id for hit in answer.results], answer.intent) == ([new, old], Intent.URL)
        assert ids_of(database, SearchRequest(q=q, view=View.PAGES)) == [new]


def test_an_address_with_a_parameter_that_distinguishes_pages_finds_just_that_page(
    database: Database, shelf: Shelf
) -> None:
    job = shelf.job()
    one = shelf.page(job, f"{SITE}/p?id=1", "2024-01-01", "one")
    with database.write() as session:
        session.execute(update(Source).values(page_parameters=["id"]))
        session.execute(update(Snapshot).values(normalized_url_group=f"{SITE}/p?id=1"))
        refresh_pages(session, session.scalars(select(Source.id)).one(), [f"{SITE}/p", f"{SITE}/p?id=1"])
    assert ids_of(database, SearchRequest(q=f"{SITE}/p?id=1")) == [one]
    assert ids_of(database, SearchRequest(q=f"{SITE}/p?id=2")) == []


def test_an_address_that_no_one_captured_is_searched_as_words(database: Database, shelf: Shelf) -> None:
    page = shelf.page(shelf.job(), f"{SITE}/a", "2024-01-01", "0.5 mL; write to info@example.net")
    for q in ("0.5", "info@example.net", "https://nobody.example.net/", "a.b.c"):
        answer = search(database, SearchRequest(q=q))
        assert [hit.id for hit in answer.results] == ([page] if q in {"0.5", "info@example.net"} else [])


def test_a_misspelt_word_finds_the_intended_one_and_the_response_reports_it(database: Database, shelf: Shelf) -> None:
    page = shelf.page(shelf.job(), f"{SITE}/a", "2024-01-01", "wash your hands", title="Coronavirus and you")
    answer = search(database, SearchRequest(q="coronovirus hands"))
    assert [hit.id for hit in answer.results] == [page]
    assert (answer.fallback, answer.instead) == (Fallback.FUZZY, "coronavirus hands")
    advanced = search(database, SearchRequest(q="title:coronovirus -dogs"))
    assert ([hit.id for hit in advanced.results], advanced.intent) == ([page], Intent.ADVANCED)
    partly = search(database, SearchRequest(q="coronovirus dogs"))
    assert ([hit.id for hit in partly.results], partly.instead) == ([page], "coronavirus dogs")
    assert (partly.fallback, partly.without) == (Fallback.MOST_WORDS, ("dogs",))


def test_a_misspelt_word_is_corrected_from_the_words_of_texts(database: Database, shelf: Shelf) -> None:
    page = shelf.page(shelf.job(), f"{SITE}/a", "2024-01-01", "Book a mooring before you arrive.", title="Harbour")
    answer = search(database, SearchRequest(q="moaring"))
    assert ([hit.id for hit in answer.results], answer.instead) == ([page], "mooring")


def test_a_long_text_and_a_full_vocabulary_learn_no_more_words_of_texts(
    database: Database, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = shelf.job()
    shelf.page(job, f"{SITE}/a", "2024-01-01", f"mooring {'a ' * 10_000} anchorage", title="Harbour")
    assert _vocabulary(database) == {"example", "harbour", "mooring"}
    monkeypatch.setattr("webstrata.db.vocabulary.MOST_WORDS_OF_TEXTS", 1)
    shelf.page(job, f"{SITE}/b", "2024-01-01", "lighthouse", title="Breakwater")
    assert _vocabulary(database) == {"example", "harbour", "mooring", "breakwater"}


def test_parts_of_words_in_titles_and_addresses_are_found_when_nothing_else_is(
    database: Database, shelf: Shelf
) -> None:
    job = shelf.job()
    titled = shelf.page(job, f"{SITE}/a", "2024-01-01", "Wash your hands.", title="Coronavirus and you")
    named = shelf.page(job, f"{SITE}/coronavirus-vaccines", "2024-01-02", "Nothing else.", title="Offer")
    shelf.page(job, f"{SITE}/c", "2024-01-03", "The text has coronavirus alone.", title="News")
    for q, expected in {
        "onavir": {titled, named},
        "navirus hands": {titled},
        "accin": {named},
        "navirus dogs": set(),
    }.items():
        answer = search(database, SearchRequest(q=q))
        assert {hit.id for hit in answer.results} == expected, q
        how = Fallback.MOST_WORDS if q == "navirus hands" else Fallback.PARTS
        assert answer.fallback is (how if expected else Fallback.NONE)
    assert explain_search(database, SearchRequest(q="accin")).searched == AnyOf(
        (Words(("accin",)), Words(("vaccines",), Field.TITLE), Words(("vaccines",), Field.URL))
    )


def test_beginnings_are_marked_in_the_passage(database: Database, shelf: Shelf) -> None:
    shelf.page(shelf.job(), f"{SITE}/a", "2024-01-01", "All vaccines, and vaccination itself.")
    (hit,) = search(database, SearchRequest(q="vacc")).results
    assert [run.text for run in hit.marked_snippet if run.marked] == ["vaccines", "vaccination"]


def test_words_are_learnt_from_titles_addresses_and_texts_and_not_twice(database: Database, shelf: Shelf) -> None:
    job = shelf.job()
    for day in (1, 2):
        shelf.page(job, f"{SITE}/grippe-aviaire/h5n1", f"2024-01-0{day}", f"text {day}", title="Été à Québec: 2024!")
    assert _vocabulary(database) == {"aviaire", "example", "grippe", "quebec", "text"}


def _vocabulary(database: Database) -> set[str]:
    with database.read() as session:
        words = session.scalars(select(VocabularyWord.word)).all()
    assert len(words) == len(set(words))
    return set(words)


def test_what_is_deleted_is_found_no_more(database: Database, shelf: Shelf) -> None:
    job = shelf.job()
    gone, kept = (shelf.page(job, f"{SITE}/{name}", "2024-01-01", f"flu {name}") for name in ("gone", "kept"))
    with database.write() as session:
        row = session.get_one(Snapshot, gone)
        source, group, document = row.source_id, row.normalized_url_group, row.document_id
        assert source is not None
        assert group is not None
        assert document is not None
        delete_snapshots(session, [gone])
        refresh_pages(session, source, [group])
        forget_documents(session, [document])
    for request in (SearchRequest(q="flu"), SearchRequest(), SearchRequest(view=View.PAGES)):
        assert ids_of(database, request) == [kept]
    with database.read() as session:
        assert session.scalars(select(SearchEntry.snapshot_id)).all() == [kept]


def test_links_and_short_clean_addresses_decide_between_equal_texts(database: Database, shelf: Shelf) -> None:
    job = shelf.job()
    deep = shelf.page(job, f"{SITE}/a/b/c/d/e", "2024-01-09", "flu")
    tracked = shelf.page(job, f"{SITE}/t?utm_source=mail", "2024-01-08", "flu")
    queried = shelf.page(job, f"{SITE}/q?page=2", "2024-01-07", "flu")
    plain = shelf.page(job, f"{SITE}/p", "2024-01-01", "flu")
    linked = shelf.page(job, f"{SITE}/l", "2024-01-01", "flu")
    with database.write() as session:
        moment = session.get_one(Snapshot, linked).capture_timestamp
        session.add(PageSignal(normalized_url_group=f"{SITE}/l", inlink_count=50, updated_at=moment))
    done = explain_search(database, SearchRequest(q="flu"))
    assert [hit.view.id for hit in done.hits] == [linked, plain, queried, tracked, deep]
    by_id = {hit.view.id: hit for hit in done.hits}
    assert [hit.total for hit in done.hits] == sorted((hit.total or 0 for hit in done.hits), reverse=True)
    score = by_id[linked].score
    assert score is not None
    assert score.authority > 0
    assert by_id[tracked].url_cost > by_id[queried].url_cost > by_id[plain].url_cost == 0
    by_text = explain_search(database, SearchRequest(q="flu", ranking=Ranking.V1))
    assert all(hit.score is not None and hit.total == hit.score.text for hit in by_text.hits)


def test_a_sentence_first_and_last_appeared(database: Database, shelf: Shelf) -> None:
    job, other = shelf.job("hc"), shelf.job("phac")
    shelf.page(job, f"{SITE}/a", "2024-01-01", "Wear a mask if you can.")
    first = shelf.page(job, f"{SITE}/a", "2024-02-01", "You must wear a mask. Stay home.")
    middle = shelf.page(other, f"{SITE}/b", "2024-02-02", "you must wear a MASK")
    last = shelf.page(job, f"{SITE}/a", "2024-03-01", "You must wear a mask. Go out.")
    shelf.page(job, f"{SITE}/a", "2024-04-01", "You must wear no mask.", title="You must wear a mask")
    shelf.page(job, f"{SITE}/a", "2024-05-01", "You must wear a mask", status=404)
    found = appearances(database, "You must wear a mask!")
    assert found.first is not None
    assert found.last is not None
    assert (found.first.id, found.last.id, found.captures, found.capped) == (first, last, 3, False)
    only = appearances(database, "you must wear a mask", "PHAC")
    assert (only.first, only.last) == (only.last, only.first)
    assert only.first is not None
    assert only.first.id == middle
    for sentence in ("you must not", "!", "mask a wear"):
        nothing = appearances(database, sentence)
        assert (nothing.first, nothing.last, nothing.captures) == (None, None, 0)
    assert appearances(database, "mask", "nobody").captures == 0


def test_a_phrase_does_not_reach_from_the_title_into_the_text(database: Database, shelf: Shelf) -> None:
    job = shelf.job()
    shelf.page(job, f"{SITE}/end", "2024-01-01", "begin here", title="the end")
    for q in ('"end begin"', '"the end begin"', '"end https"', "title:begin", "snippet:end", "url:begin"):
        assert ids_of(database, SearchRequest(q=q)) == [], q
    for q in ('"the end"', '"begin here"', '"org end"', "title:end", "url:end", "snippet:begin", "begin title:end"):
        assert len(ids_of(database, SearchRequest(q=q))) == 1, q


@pytest.mark.parametrize("cursor", [Cursor(0), Cursor(7), Cursor(40, read_cursor(Cursor(1).written()).at)])
def test_a_cursor_is_read_as_it_was_written(cursor: Cursor) -> None:
    assert read_cursor(cursor.written()) == cursor


@pytest.mark.parametrize(
    "word", ["", "x", "e30", "W10", "WzFd!", "é", "Wy0xXQ", "WzEsICJub3ciLCAxXQ", "WzEsMiwzLDRd", "a" * 200]
)
def test_what_is_no_cursor_is_refused(database: Database, word: str) -> None:
    with pytest.raises(UsageError, match="is not a cursor"):
        read_cursor(word)
    if word:
        with pytest.raises(UsageError):
            search(database, SearchRequest(cursor=word))
