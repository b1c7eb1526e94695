"""The search page over one archive with sources, years and languages to tell apart."""

from datetime import timedelta

import pytest
from starlette.testclient import TestClient

from tests.web.archive import MAY, SITE, Answer, keep
from tests.web.conftest import Page
from webstrata.app import App
from webstrata.db.search import searching
from webstrata.model.search.values import Cursor
from webstrata.site import create_site

WATER = "https://water.example/"
YEAR = timedelta(days=365)
SIX = "Give a dose every six hours while the fever lasts, and call the doctor when it does not go."
FOUR = "Give a dose every four hours while the fever lasts, and call the doctor when it does not go."
FRENCH = "Donnez une dose toutes les six heures tant que dure la fièvre, et appelez le médecin si elle ne passe pas."


@pytest.fixture(scope="module")
def ids(shared_app: App) -> list[int]:
    """Three captures of a page, one in French, and many of another source."""
    health = [
        Answer(f"{SITE}fever", "Fever and coronavirus", SIX),
        Answer(f"{SITE}fever", "Fever and coronavirus", f"{SIX} Edition 2.", MAY + YEAR),
        Answer(f"{SITE}fever", "Fever and coronavirus", FOUR, MAY + 2 * YEAR),
        Answer(f"{SITE}fievre", "La fièvre", FRENCH, MAY + YEAR, language="fr"),
    ]
    water = [Answer(f"{WATER}{n}", f"Water {n}", f"Drink glass {n} of water.", MAY) for n in range(45)]
    kept = keep(shared_app, health)
    keep(shared_app, water, code="water", name="Water Board", site=WATER)
    return kept


@pytest.fixture(scope="module")
def reader(shared_app: App, ids: list[int]) -> TestClient:
    """A reader of that archive."""
    return TestClient(create_site(shared_app))


def test_results_can_be_narrowed_down_and_widened_again(reader: TestClient) -> None:
    page = Page(reader.get("/search"))
    assert page.texts(".facet h3") == ["Year", "Source", "Language"]
    assert "Water Board 45" in page.texts(".facet li")
    narrowed = Page(reader.get(page.links(".facet a")["Health Agency"] or ""))
    assert narrowed.text("h1") == "2 pages, newest first"
    assert narrowed.texts(".facet h3") == ["Year", "Language"]
    french = Page(reader.get(narrowed.links(".facet a")["French"] or ""))
    assert french.texts(".capture-title") == ["La fièvre"]
    assert french.links(".tags a") == {
        "Remove filter: Health Agency ✕": "/search?language=fr",
        "Remove filter: French ✕": "/search?source=health",
    }


def test_chosen_facets_outlast_other_words(reader: TestClient) -> None:
    page = Page(reader.get("/search?q=dose&language=fr&type=html&year=2025"))
    kept = {node.attributes["name"]: node.attributes["value"] for node in page.all("#search input[type=hidden]")}
    assert kept == {"language": "fr", "type": "html", "year": "2025"}


def test_a_misspelt_word_is_understood_and_can_be_insisted_on(reader: TestClient) -> None:
    page = Page(reader.get("/search?q=coronovirus"))
    assert page.text("h1") == "1 page says “coronavirus”"
    assert "No page contains “coronovirus”. These are the results for coronavirus." in page.text(".notice")
    literal = Page(reader.get(page.links(".notice a")["Search only for “coronovirus”"] or ""))
    assert literal.text("h1") == "No page says “coronovirus”"
    assert literal.links(".tags a") == {"Remove filter: Words as they are written ✕": "/search?q=coronovirus"}
    assert not literal.all(".facet")


def test_beginnings_of_words_are_found_and_it_is_reported(reader: TestClient) -> None:
    assert "begin with them" in Page(reader.get("/search?q=coronav")).text(".notice")


def test_parts_of_words_in_titles_are_found_and_it_is_reported(reader: TestClient) -> None:
    page = Page(reader.get("/search?q=onavir"))
    assert page.text("h1") == "1 page says “onavir”"
    assert "longer words in their title or URL that contain them" in page.text(".notice")


def test_an_address_leads_to_its_timeline_and_its_captures(reader: TestClient, ids: list[int]) -> None:
    page = Page(reader.get(f"/search?q={SITE}fever"))
    assert page.text("h1") == f"1 page at {SITE}fever"
    links = page.links(".results a")
    assert links["The timeline of this page"] == f"/snapshot/{ids[2]}#timeline"
    captures = Page(reader.get(links["The snapshots of this page"] or ""))
    assert captures.text("h1") == f"3 snapshots of {SITE}fever"
    assert len(captures.all(".capture")) == 3


def test_an_address_without_captures_leads_to_its_site(reader: TestClient) -> None:
    page = Page(reader.get(f"/search?q={SITE}measles"))
    assert page.text("h1") == f"No page at {SITE}measles"
    assert page.links(".empty a")["Search for pages of health.example"] == "/search?q=url%3Ahealth.example"
    site = Page(reader.get("/search?q=url%3Ahealth.example"))
    assert sorted(site.texts(".capture-title")) == ["Fever and coronavirus", "La fièvre"]


def test_results_are_those_of_the_given_date(reader: TestClient, ids: list[int]) -> None:
    page = Page(reader.get("/search?q=dose&asOf=2024-12-31"))
    assert page.text(".stood") == "The archive as of the end of 31 December 2024."
    assert page.one("#asOf").attributes["value"] == "2024-12-31"
    assert page.links(".capture-title a") == {"Fever and coronavirus": f"/snapshot/{ids[0]}"}
    assert page.links(".tags a") == {"Remove filter: As of 31 December 2024 ✕": "/search?q=dose"}


def test_a_quoted_sentence_has_its_first_and_last_appearance(reader: TestClient, ids: list[int]) -> None:
    page = Page(reader.get("/search", params={"q": '"every six hours"', "source": "health"}))
    when = page.links(".results a")["First and last appearance of “every six hours”"]
    told = Page(reader.get(when or ""))
    assert told.text("h1") == "First and last appearance of “every six hours”"
    assert told.text(".lead") == "2 snapshots say it, word for word, in Health Agency: from 3 May 2024 to 3 May 2025."
    assert [node.attributes["href"] for node in told.all(".capture-title a")] == [
        f"/snapshot/{ids[0]}",
        f"/snapshot/{ids[1]}",
    ]
    every = Page(reader.get(told.links()["All snapshots that say it"] or ""))
    assert every.text("h1") == "2 snapshots say “every six hours”"


@pytest.mark.parametrize(
    ("sentence", "words"),
    [("every five hours", "No snapshot contains “every five hours”"), ("", "First and last appearance of a sentence")],
)
def test_a_sentence_that_never_appeared_has_a_page_too(reader: TestClient, sentence: str, words: str) -> None:
    page = Page(reader.get("/search/appearances", params={"q": sentence}))
    assert (page.status, page.text("h1")) == (200, words)


def test_an_overlong_sentence_is_refused(reader: TestClient) -> None:
    page = Page(reader.get("/search/appearances", params={"q": "x" * 1_001}))
    assert page.status == 422
    assert "at most 1,000 characters" in page.text()


def test_the_query_language_is_explained_beside_the_box_and_where_nothing_is_found(reader: TestClient) -> None:
    assert '"every six hours"' in Page(reader.get("/search?q=dose")).text("details.language")
    assert len(Page(reader.get("/search?q=zebra")).all(".empty .ways li")) == 3


def test_every_result_is_reached_though_not_all_are_counted(
    reader: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "MOST_BROWSED", 20)
    page = Page(reader.get("/search?source=water&view=snapshots"))
    assert page.text("h1") == "More than 20 snapshots, newest first"
    assert "Page 1 of more than 1" in page.text(".pager")
    titles, places = page.texts(".capture-title"), [page.text(".pager span:not(.off)")]
    while following := page.links(".pager a").get("Next →"):
        page = Page(reader.get(following))
        titles += page.texts(".capture-title")
        places += page.texts(".pager span:not(.off)")
    assert sorted(titles) == sorted(f"Water {n}" for n in range(45))
    assert places == ["Page 1 of more than 1", "Page 2", "Page 3"]
    before = Page(reader.get(page.links(".pager a")["← Previous"] or ""))
    assert before.texts(".capture-title") == titles[20:40]


def test_the_page_numbers_lead_anywhere(reader: TestClient) -> None:
    page = Page(reader.get("/search?source=water&page=2"))
    assert page.links(".leaves a") == {
        "Page 1": "/search?source=water",
        "Page 2": "/search?source=water&page=2",
        "Page 3": "/search?source=water&page=3",
    }
    assert page.texts(".leaves [aria-current=page]") == ["Page 2"]


def test_a_place_among_the_results_that_is_none_is_explained(reader: TestClient) -> None:
    page = Page(reader.get("/search?q=dose&cursor=nonsense"))
    assert page.status == 422
    assert "start again at the first page" in page.text(".problems")
    assert Page(reader.get(f"/search?q=dose&cursor={Cursor(0).written()}")).status == 200
