"""Questions as people type them: whole sentences, other forms of words, misspellings."""

from collections.abc import Iterator

import pytest
from sqlalchemy import delete, func, select

from tests.support.databases import FreshDatabase
from tests.support.shelf import Shelf
from webstrata.content.kinds import PageKind
from webstrata.content.reading import Body, read_page
from webstrata.db.engine import Database
from webstrata.db.schema.search_tables import SearchUpkeep, WordForm
from webstrata.db.schema.tables import Document
from webstrata.db.search.stored_forms import NAME, learn_some, learn_stored_forms
from webstrata.demo.site import DEMO_ORIGIN, build_site
from webstrata.model.archive import SnapshotView
from webstrata.model.search.values import Fallback, SearchRequest, SearchResponse, Sort, View
from webstrata.search.service import explain_search, search

SITE = "https://example.org"


@pytest.fixture(scope="module")
def demo(fresh_database_url: FreshDatabase) -> Iterator[Database]:
    """The pages of the demo site, both editions."""
    with fresh_database_url() as url:
        database = Database(url)
        shelf = Shelf(database)
        job = shelf.job("demo")
        for edition in (1, 2):
            for path, response in build_site(edition).items():
                headers = dict(response.headers)
                if response.status != 200 or "html" not in headers.get("Content-Type", ""):
                    continue
                address = f"{DEMO_ORIGIN}{path}"
                body = Body.of_response(address, response.body, 200, {k.lower(): v for k, v in headers.items()})
                page = read_page(PageKind.HTML, body, lambda url: url)
                shelf.page(
                    job,
                    address,
                    f"2025-0{edition}-01",
                    page.text,
                    title=page.title,
                    language=page.language or "en",
                    blocks=page.blocks,
                )
        yield database
        database.dispose()


def shown(hit: SnapshotView) -> str:
    return "".join(run.text for run in hit.marked_snippet)


def test_questions_find_the_pages_of_the_demo_that_answer_them(demo: Database) -> None:
    fever = search(demo, SearchRequest(q="what should I do when my child has a fever", view=View.PAGES)).results[0]
    assert fever.url.endswith("/en/guidance/fever-in-children")
    schedule = search(demo, SearchRequest(q="vaccins pour enfants", view=View.PAGES)).results[0]
    assert schedule.language == "fr"
    assert "vaccin" in schedule.url
    dose = search(demo, SearchRequest(q="how many mg of ibuprofen", view=View.PAGES)).results[0]
    assert "10 mg/kg" in shown(dose)
    assert dose.passage_heading == "Ibuprofen"


def test_the_passage_is_never_the_menu(database: Database, shelf: Shelf) -> None:
    text = "Fever Flu Measles\nFlu season\nWash your hands when flu goes round.\nFlu and fever"
    shelf.page(shelf.job(), f"{SITE}/a", "2026-01-01", text, title="Autumn", blocks="L1pL")
    (hit,) = search(database, SearchRequest(q="fever flu")).results
    assert (hit.passage_heading, shown(hit)) == ("Flu season", "Wash your hands when flu goes round.")
    (hit,) = search(database, SearchRequest(q="measles")).results
    assert hit.marked_snippet == ()


@pytest.mark.parametrize(
    ("written", "questions"),
    [
        ("Send an e-mail today", ["email", "emails", "e-mail"]),
        ("Send an email today", ["e-mail", "email"]),
        ("Take 500 mg at noon", ["500mg", "500 mg"]),
        ("Take 500mg at noon", ["500 mg", "500mg"]),
        ("Imported from the U.S.A. in May", ["USA", "U.S.A."]),
        ("Imported from the USA in May", ["U.S.A.", "usa"]),
        ("Public healthcare for everyone", ["health care", "healthcare"]),
        ("Public health care for everyone", ["healthcare", "health-care"]),
        ("Les enfants sont vaccinés à l'école", ["vacciner", "vaccinées", "ecoles"]),
        ("Impfungen für Kinder", ["Impfung", "impfung"]),
        ("Two diagnoses for children and women", ["diagnosis", "child", "woman", "children"]),
        ("Les yeux fatigués", ["oeil", "œil fatigué"]),
    ],
)
def test_words_are_found_however_they_are_written(
    database: Database, shelf: Shelf, written: str, questions: list[str]
) -> None:
    language = "fr" if "Les " in written else "de" if "Kinder" in written else "en"
    job = shelf.job()
    page = shelf.page(job, f"{SITE}/a", "2026-01-01", written, language=language)
    shelf.page(job, f"{SITE}/b", "2026-01-01", "Something else about health, then care.", language="en")
    for q in questions:
        answer = search(database, SearchRequest(q=q))
        assert answer.results[0].id == page, q
        assert answer.fallback is Fallback.NONE, q


def test_quotes_and_exact_ask_for_the_form_as_written(database: Database, shelf: Shelf) -> None:
    job = shelf.job()
    one = shelf.page(job, f"{SITE}/a", "2026-01-02", "A vaccine is offered.")
    many = shelf.page(job, f"{SITE}/b", "2026-01-01", "Vaccines are offered.")

    def ids(**asked: object) -> list[int]:
        return [hit.id for hit in search(database, SearchRequest(**asked)).results]  # type: ignore[arg-type]

    assert ids(q="vaccines") == [many, one]
    assert ids(q="vaccine") == [one, many]
    assert ids(q='"vaccines"') == [many]
    assert ids(q="vaccines", exact=True) == [many]
    assert sorted(ids(q="(vaccines OR fever) AND offered")) == [one, many]
    assert ids(q="offered -vaccines") == [one]


def three_pages(shelf: Shelf) -> tuple[int, int, int]:
    job = shelf.job()
    whole = shelf.page(job, f"{SITE}/a", "2026-01-01", "Rabies, bats and the attic: what to do when one is inside.")
    most = shelf.page(job, f"{SITE}/b", "2026-01-02", "Bats in the attic are protected. What should you do about bats?")
    shelf.page(job, f"{SITE}/c", "2026-01-03", "What to do and when: the what, the when and the do of it all.")
    little = shelf.page(job, f"{SITE}/d", "2026-01-04", "The attic must be insulated.")
    return whole, most, little


@pytest.mark.parametrize("view", View)
def test_pages_with_most_words_follow_those_with_all_and_stop_words_decide_nothing(
    database: Database, shelf: Shelf, view: View
) -> None:
    whole, most, little = three_pages(shelf)
    request = SearchRequest(q="what do I do about bats with rabies in the attic", view=view, facets=True)
    answer = search(database, request)
    assert [hit.id for hit in answer.results] == [whole, most, little]
    assert (answer.total, answer.total_all_words, answer.fallback) == (3, 1, Fallback.NONE)
    assert [hit.missing_words for hit in answer.results] == [(), ("rabies",), ("bats", "rabies")]
    assert answer.facets is not None
    assert answer.facets["year"][0].count == 3
    newest = search(database, SearchRequest(q=request.q, view=view, sort=Sort.NEWEST))
    assert [hit.id for hit in newest.results] == [whole]
    newest = search(database, SearchRequest(q="zeppelin bats attic", view=view, sort=Sort.NEWEST))
    assert [hit.id for hit in newest.results] == [little, most, whole]
    assert [hit.id for hit in paged(database, request.q or "", view)] == [whole, most, little]


def paged(database: Database, q: str, view: View) -> Iterator[SnapshotView]:
    cursor: str | None = None
    while True:
        answer = search(database, SearchRequest(q=q, view=view, page_size=1, cursor=cursor))
        yield from answer.results
        if (cursor := answer.next_cursor) is None:
            return


def test_all_words_scattered_over_a_long_text_do_not_come_before_the_page_that_answers(
    database: Database, shelf: Shelf
) -> None:
    job = shelf.job()
    filler = " ".join(f"paragraph{number} concerns nothing" for number in range(300))
    long = shelf.page(job, f"{SITE}/all", "2026-01-04", f"bats {filler} rabies {filler} attic {filler} ladder")
    answer = shelf.page(job, f"{SITE}/bats", "2026-01-03", "Bats in the attic may carry rabies. Rabies is deadly.")
    together = shelf.page(job, f"{SITE}/whole", "2026-01-02", f"A ladder to the attic with bats and rabies. {filler}")
    found = search(database, SearchRequest(q="rabies from bats in an attic without a ladder"))
    assert [hit.id for hit in found.results] == [together, answer, long]
    assert (found.total, found.total_all_words) == (3, 2)
    assert [hit.missing_words for hit in found.results] == [(), ("ladder",), ()]


def test_what_no_result_has_is_reported_and_can_be_required(database: Database, shelf: Shelf) -> None:
    _, most, little = three_pages(shelf)
    answer = search(database, SearchRequest(q="insulated attic chimney zeppelin"))
    assert answer.results[0].id == little
    assert answer.without == ("chimney", "zeppelin")
    assert (answer.fallback, answer.total_all_words) == (Fallback.MOST_WORDS, 0)
    assert search(database, SearchRequest(q='insulated attic "chimney"')).total == 0
    assert search(database, SearchRequest(q="insulated AND attic AND chimney")).total == 0
    assert search(database, SearchRequest(q="insulated attic chimney", ranking="v1")).total == 0  # type: ignore[arg-type]
    explanation = explain_search(database, SearchRequest(q="bats attic rabies"))
    scores = {hit.view.id: hit.score for hit in explanation.hits}
    first, second = explanation.hits[0].score, scores[most]
    assert first is not None
    assert second is not None
    assert first.all_words > second.all_words == 0
    assert first.nearness > 0


def test_misspelt_words_of_a_sentence_are_corrected_one_by_one(database: Database, shelf: Shelf) -> None:
    whole, *_ = three_pages(shelf)
    answer: SearchResponse = search(database, SearchRequest(q="what do I do about rabeis and bats in the attick"))
    assert answer.results[0].id == whole
    assert answer.instead == "what do i about rabies and bats in the attic"


def test_misspelt_short_words_and_stop_words_of_a_question_are_corrected(demo: Database) -> None:
    answer = search(demo, SearchRequest(q="what shuold I do when my chlid has a fevr", view=View.PAGES))
    assert answer.instead == "what should i do when my child has a fever"
    assert answer.results[0].url.endswith("/en/guidance/fever-in-children")


@pytest.mark.parametrize("question", ["Harvard sport results", "what is a trie and how do I use it"])
def test_unknown_words_are_not_taken_for_others_that_are_merely_alike(
    database: Database, shelf: Shelf, question: str
) -> None:
    job = shelf.job()
    page = shelf.page(job, f"{SITE}/a", "2026-01-01", "Use a tree: sport results of last year, sorted.")
    shelf.page(job, f"{SITE}/b", "2026-01-02", "Fire is a hazard.")
    answer = search(database, SearchRequest(q=question))
    assert ([hit.id for hit in answer.results], answer.instead) == ([page], None)
    assert answer.without in {("harvard",), ("trie",)}


def test_a_word_is_corrected_only_where_the_rest_of_the_question_speaks_for_it(
    database: Database, shelf: Shelf
) -> None:
    job = shelf.job()
    shelf.page(job, f"{SITE}/a", "2026-01-01", "The harbour master greets captains.")
    page = shelf.page(job, f"{SITE}/b", "2026-01-02", "Opening hours of the swimming pool on holidays.")
    answer = search(database, SearchRequest(q="capitains opening hours of the pool"))
    assert ([hit.id for hit in answer.results], answer.instead) == ([page], None)
    answer = search(database, SearchRequest(q="capitains and the harbour"))
    assert answer.instead == "captains and the harbour"


def test_of_pages_that_match_a_long_question_about_as_well_the_one_with_all_words_comes_first(
    database: Database, shelf: Shelf
) -> None:
    job = shelf.job()
    whole = shelf.page(job, f"{SITE}/a", "2026-01-01", "Ferries, bicycles, dogs, islands and tickets.")
    often = shelf.page(job, f"{SITE}/b", "2026-01-02", "Bicycles, dogs, ferries, islands, islands and rain.")
    other = shelf.page(job, f"{SITE}/c", "2026-01-03", "An island.")
    request = SearchRequest(q="which ferries to the islands have tickets for bicycles and dogs")
    answer = search(database, request)
    assert [hit.id for hit in answer.results] == [whole, often, other]
    assert (answer.total, answer.total_all_words) == (3, 1)


def test_hits_and_lengths_order_pages_whose_texts_are_not_read(
    database: Database, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webstrata.db.search.ranked.MOST_READ", 0)
    job = shelf.job()
    once = shelf.page(job, f"{SITE}/a", "2026-01-05", "A heron by the lake.")
    long = shelf.page(job, f"{SITE}/b", "2026-01-04", "A heron by the lake." + " Reeds and water." * 30)
    often = shelf.page(job, f"{SITE}/c", "2026-01-03", "Herons, a heron, and more herons.")
    title = shelf.page(job, f"{SITE}/d", "2026-01-02", "One by the lake.", title="Herons")
    answer = search(database, SearchRequest(q="how many herons are at the zoo"))
    assert [hit.id for hit in answer.results] == [often, title, once, long]


@pytest.mark.parametrize(
    ("written", "language", "questions"),
    [
        ("北京市卫生局建议儿童接种流感疫苗。发烧时请咨询医生。", "zh", ["儿童", "流感疫苗", "发烧 儿童", "咨"]),
        ("東京都では毎年インフルエンザの予防接種を実施。", "ja", ["インフルエンザ", "予防接種", "東京"]),
        ("กระทรวงสาธารณสุขแนะนำวัคซีนไข้หวัดใหญ่สำหรับเด็ก", "th", ["วัคซีน"]),
    ],
)
def test_words_of_scripts_without_spaces_are_found_inside_clauses(
    database: Database, shelf: Shelf, written: str, language: str, questions: list[str]
) -> None:
    job = shelf.job()
    page = shelf.page(job, f"{SITE}/a", "2026-01-01", written, language=language)
    shelf.page(job, f"{SITE}/b", "2026-01-02", "医院明天关门", language="zh")
    for q in questions:
        answer = search(database, SearchRequest(q=q))
        assert [hit.id for hit in answer.results] == [page], q
        assert answer.total_all_words == 1, q
    assert search(database, SearchRequest(q="儿童", exact=True)).total == 0


def test_forms_are_learned_from_stored_texts_some_at_a_time(
    database: Database, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = shelf.job()
    pages = [
        shelf.page(job, f"{SITE}/{number}", "2026-01-01", text, language=language)
        for number, (text, language) in enumerate([("Vaccines", "en"), ("Des écoles", "fr"), ("E-mails", "en")])
    ]
    questions = ["vaccinated", "école", "email"]
    with database.write() as session:
        session.execute(delete(WordForm))
        last = session.scalar(select(func.max(Document.id)))
        session.merge(SearchUpkeep(name=NAME, last_document_id=0, until_document_id=last))
    assert [search(database, SearchRequest(q=q)).fallback for q in questions] != [Fallback.NONE] * 3
    monkeypatch.setattr("webstrata.db.search.stored_forms._BATCH", 1)
    with database.write() as session:
        assert learn_some(session)
    learn_stored_forms(database)
    found = [search(database, SearchRequest(q=q)) for q in questions]
    assert [(answer.results[0].id, answer.fallback) for answer in found] == [(page, Fallback.NONE) for page in pages]
    with database.write() as session:
        assert not learn_some(session)
