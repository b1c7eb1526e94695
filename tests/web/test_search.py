from datetime import timedelta

import pytest
from sqlalchemy import update
from starlette.testclient import TestClient

from tests.web.archive import MAY, SITE, Answer, keep
from tests.web.conftest import MakeClient, Page
from webstrata.app import App
from webstrata.db.schema.tables import WarcFile
from webstrata.index.version import INDEX_VERSION
from webstrata.jobs.sources.source_commands import SourceCommands, SourceRequest

LATER = MAY + timedelta(days=30)


@pytest.fixture
def kept(app: App) -> list[int]:
    """Two captures of one page and one of another, and a page that is gone."""
    first = keep(
        app, [Answer(f"{SITE}fever", "Fever", "Give a dose every six hours."), Answer(SITE, "Front", "Hello.")]
    )
    second = keep(
        app,
        [
            Answer(f"{SITE}fever", "Fever", "Give a dose every four hours.", LATER),
            Answer(f"{SITE}gone", "Gone", "This dose page is gone.", LATER, status=404),
        ],
    )
    return [*first, *second]


def test_results_are_grouped_by_page_with_the_hits_marked(client: TestClient, kept: list[int]) -> None:
    page = Page(client.get("/search?q=dose"))
    assert page.status == 200
    assert page.text("h1") == "1 page says “dose”"
    assert page.texts(".capture mark") == ["dose"]
    assert "four hours" in page.text(".capture .snippet")
    assert page.links(".capture a") == {"Fever": f"/snapshot/{kept[2]}", "2 snapshots": f"/snapshot/{kept[2]}#timeline"}
    facts = page.text(".capture")
    assert f"{SITE}fever" in facts
    assert "Health Agency" in facts
    assert "2 June 2024" in facts
    assert "ago" in facts


def test_every_capture_can_be_requested(client: TestClient, kept: list[int]) -> None:
    page = Page(client.get("/search?q=dose&view=snapshots&sort=newest"))
    assert page.text("h1") == "2 snapshots say “dose”"
    assert [node.attributes["href"] for node in page.all(".capture-title a")] == [
        f"/snapshot/{kept[2]}",
        f"/snapshot/{kept[0]}",
    ]


def test_errors_are_found_when_requested(client: TestClient, kept: list[int]) -> None:
    page = Page(client.get("/search?q=gone&includeNon2xx=true"))
    assert page.text(".capture .chip") == "✕ 404 Not Found"
    assert page.one("input[name=includeNon2xx]").attributes.get("checked", "no") != "no"


def test_without_words_all_pages_are_shown_newest_first(client: TestClient, kept: list[int]) -> None:
    page = Page(client.get("/search"))
    assert page.text("h1") == "2 pages, newest first"
    assert page.texts(".capture-title") == ["Fever", "Front"]


def test_what_is_not_found_comes_with_suggestions(client: TestClient, kept: list[int]) -> None:
    page = Page(client.get("/search?q=zebra&source=health&from=2024-05-01"))
    assert page.status == 200
    assert page.text("h1") == "No page says “zebra”"
    assert "You can try" in page.text(".empty")
    assert page.links(".empty a")["Search all sources and dates"] == "/search?q=zebra"
    assert (
        page.links(".empty a")["Include error pages and redirects"]
        == "/search?q=zebra&source=health&from=2024-05-01&includeNon2xx=true"
    )


def test_nothing_is_found_in_an_empty_archive(client: TestClient) -> None:
    assert Page(client.get("/search")).text("h1") == "No pages here"


def test_filters_stay_in_the_form_and_in_the_links(client: TestClient, kept: list[int]) -> None:
    page = Page(client.get("/search?q=dose&source=health&from=2024-05-01&to=2024-12-31"))
    assert page.one("#q").attributes["value"] == "dose"
    assert page.text("#source option[selected]") == "Health Agency"
    assert page.one("#from").attributes["value"] == "2024-05-01"
    assert page.one("#to").attributes["value"] == "2024-12-31"
    assert (
        page.links(".choices a")["Every snapshot"]
        == "/search?q=dose&source=health&view=snapshots&from=2024-05-01&to=2024-12-31&includeDuplicates=true"
    )
    assert page.links("#filters a")["Clear"] == "/search?q=dose"


def test_dates_limit_the_results(client: TestClient, kept: list[int]) -> None:
    page = Page(client.get("/search?q=dose&view=snapshots&to=2024-05-31"))
    assert [node.attributes["href"] for node in page.all(".capture-title a")] == [f"/snapshot/{kept[0]}"]


def test_an_unknown_source_finds_nothing_and_stays_in_the_form(client: TestClient, kept: list[int]) -> None:
    page = Page(client.get("/search?q=dose&source=nobody"))
    assert page.status == 200
    assert page.text("h1") == "No page says “dose”"
    assert page.one("#source option[selected]").attributes["value"] == "nobody"


@pytest.mark.parametrize("query", ["from=x", "from=2024-05-02&to=2024-05-01", "page=0", "sort=best", "view=x"])
def test_what_makes_no_sense_is_explained_and_the_form_kept(make_client: MakeClient, query: str) -> None:
    page = Page(make_client().get(f"/search?q=dose&{query}"))
    assert page.status == 422
    assert page.text("h1") == "Invalid search"
    assert page.texts(".problems .problem")
    assert page.one("#q").attributes["value"] == "dose"


def test_a_wrong_field_is_tied_to_its_explanation(make_client: MakeClient) -> None:
    page = Page(make_client().get("/search?q=dose&from=2024-13-01"))
    field = page.one("#from")
    assert field.attributes["value"] == "2024-13-01"
    assert field.attributes["aria-invalid"] == "true"
    assert "Not a date" in page.text(f"#{field.attributes['aria-describedby']}")


def test_overlong_words_are_refused_and_kept(make_client: MakeClient) -> None:
    page = Page(make_client().get("/search", params={"q": "x" * 300}))
    assert page.status == 422
    assert page.one("#q").attributes["value"] == "x" * 300


def test_many_results_are_paged(client: TestClient, app: App) -> None:
    keep(app, [Answer(f"{SITE}{n}", f"Page {n}", "The same dose.") for n in range(45)])
    second = Page(client.get("/search?q=dose&page=2"))
    assert second.text("h1") == "45 pages say “dose”"
    assert len(second.all(".capture")) == 20
    assert "Page 2 of 3" in second.text(".pager")
    assert second.links(".pager a") == {"← Previous": "/search?q=dose", "Next →": "/search?q=dose&page=3"}
    assert second.links(".choices a")["Newest"] == "/search?q=dose&sort=newest"
    last = Page(client.get("/search?q=dose&page=3"))
    assert len(last.all(".capture")) == 5
    assert list(last.links(".pager a")) == ["← Previous"]


def test_after_the_last_page_there_is_a_way_back(client: TestClient, kept: list[int]) -> None:
    page = Page(client.get("/search?q=dose&page=7"))
    assert page.status == 200
    assert page.links(".results a")["Go to the last one, page 1"] == "/search?q=dose"


def test_words_of_the_reader_stay_text(make_client: MakeClient) -> None:
    page = Page(make_client().get("/search", params={"q": '"><script>alert(1)</script>'}))
    assert not page.all("main script")
    assert page.one("#q").attributes["value"] == '"><script>alert(1)</script>'


def test_a_source_that_does_not_exist_is_reported(client: TestClient, app: App, kept: list[int]) -> None:
    said = "There is no source “nope” in this archive."
    page = Page(client.get("/search?q=fever&source=NOPE"))
    assert (page.status, page.text(".notice")) == (200, said)
    assert "Fewer words" not in page.text(".empty")
    assert page.links(".empty a")["Search all sources and dates"] == "/search?q=fever"
    assert Page(client.get("/search/appearances?q=fever&source=nope")).text(".notice") == said
    SourceCommands(app.database, app.archive_root).add(SourceRequest(("https://new.example/",), "new"))
    uncaptured = Page(client.get("/search?q=fever&source=new"))
    assert uncaptured.text("h1") == "No page says “fever”"
    assert "The source “new” has no captures yet." in uncaptured.text(".empty")
    assert client.get("/api/search?q=fever&source=nope").json()["total"] == 0


def test_readers_learn_that_jobs_were_indexed_by_an_earlier_version(
    client: TestClient, app: App, kept: list[int]
) -> None:
    assert "earlier version" not in Page(client.get("/search?q=dose")).text()
    with app.database.write() as session:
        session.execute(update(WarcFile).values(index_version=INDEX_VERSION - 1))
    assert "of this archive were indexed by an earlier version" in Page(client.get("/search?q=dose")).text()
