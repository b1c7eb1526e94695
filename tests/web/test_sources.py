from datetime import timedelta

import pytest
from starlette.testclient import TestClient

from tests.web.archive import MAY, SITE, Answer, keep
from tests.web.conftest import OWN_ORIGIN, TOKEN, MakeClient, Page
from webstrata.app import App


def test_sources_are_listed_with_their_captures(client: TestClient, app: App) -> None:
    front, newest = keep(app, [Answer(SITE, "Front", "Hello."), Answer(f"{SITE}b", "B", "B.", MAY + timedelta(days=9))])
    page = Page(client.get("/sources"))
    assert page.text("h1") == "Sources"
    assert page.text(".lead") == "1 source with 2 snapshots."
    assert page.all("table caption")
    row = page.text("tbody tr")
    assert "3 May 2024" in row
    assert "12 May 2024" in row
    assert "ago" in row
    links = page.links("tbody a")
    assert links["Health Agency"] == links["All pages of Health Agency"] == "/search?source=health"
    assert links["Newest capture of Health Agency"] == f"/snapshot/{newest}"
    assert links["Front page of Health Agency"] == f"/snapshot/{front}"
    assert links[SITE] == SITE


def test_an_archive_without_captures_reports_it(client: TestClient) -> None:
    page = Page(client.get("/sources"))
    assert page.status == 200
    assert "No captures yet" in page.text(".empty")
    assert page.links()["Archive a site"] == "/"


def test_the_source_for_trying_things_out_is_not_listed(client: TestClient, app: App) -> None:
    keep(app, [Answer(SITE, "Front", "Hello.")], code="test", name="Trial")
    assert "Trial" not in client.get("/sources").text
    assert "Trial" not in client.get("/").text


def add(client: TestClient, **fields: str) -> Page:
    return Page(client.post("/sources", data=fields, headers=OWN_ORIGIN))


def test_a_source_is_added_with_its_schedule(client: TestClient) -> None:
    page = add(client, url="health.example", name="Health Agency", schedule="7d")
    assert page.status == 200
    assert page.text("h1") == "Health Agency"
    assert page.text(".kicker") == "Sources / health-example"
    assert page.text(".lead").startswith("Every week")
    listed = Page(client.get("/sources"))
    assert "Health Agency" in listed.text("tbody th")
    assert "Not yet" in listed.text("tbody tr")
    assert listed.links("tbody a")["Schedule and settings of Health Agency"] == "/sources/health-example"


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"url": "nonsense here"}, "is not a web address"),
        ({"url": ""}, "needs a URL"),
        ({"url": "https://a.example", "code": "../etc"}, "is not a source's code"),
        ({"url": "https://a.example", "schedule": "<b>often</b>"}, "is not a schedule"),
        ({"url": "https://a.example", "name": "x" * 300}, "a source's name"),
    ],
)
def test_what_is_wrong_with_a_new_source_is_reported_beside_the_form(
    make_client: MakeClient, fields: dict[str, str], problem: str
) -> None:
    page = add(make_client(), **fields)
    assert page.status == 422
    assert problem in page.text("#source-problem")
    assert page.one("#source-url").attributes["value"] == fields["url"]
    assert "No captures yet" in page.text(".empty")


def test_a_code_that_is_taken_is_refused(make_client: MakeClient, app: App) -> None:
    keep(app, [Answer(SITE, "Front", "Hello.")])
    page = add(make_client(), url="https://other.example", code="HEALTH")
    assert page.status == 422
    assert "there is a source health already" in page.text("#source-problem")
    assert page.links("#source-problem a") == {"show health": "/sources/health"}
    assert "webstrata sources" not in page.text()


def test_an_address_that_a_source_begins_at_schedules_that_source(client: TestClient, app: App) -> None:
    keep(app, [Answer(SITE, "Front", "Hello.")])
    page = add(client, url=SITE.replace("https://", "http://www."), code="other", schedule="7d")
    assert page.text(".kicker") == "Sources / health"
    assert "A source with this URL already exists" in page.text(".notice")
    assert page.text(".lead").startswith("Every week")
    news = add(client, url=f"{SITE}news/", code="news")
    assert "Other sources on the same domain: health." in news.text()
    assert news.links("main .hint a")["health"] == "/sources/health"


def test_readers_see_schedules_and_nothing_of_jobs(make_client: MakeClient, app: App) -> None:
    keep(app, [Answer(SITE, "Front", "Hello.")])
    client = make_client()
    add(client, url="https://empty.example", name="Empty One")
    client.post("/sources/health/schedule", data={"when": "0 3 * * 1"}, headers=OWN_ORIGIN)
    reader = Page(make_client(token=TOKEN).get("/sources"))
    assert "Mondays at 03:00 UTC" in reader.text("tbody tr")
    assert "Next: " in reader.text("tbody tr")
    assert "Empty One" not in reader.text()
    assert not reader.all("main form")
    assert "job" not in reader.text().lower()
    for path in ("/sources/health", "/sources/nobody"):
        assert Page(make_client(token=TOKEN).get(path)).status == 403


def test_only_administrators_and_our_own_pages_add_sources(make_client: MakeClient) -> None:
    data = {"url": "https://a.example"}
    assert make_client(token=TOKEN).post("/sources", data=data, headers=OWN_ORIGIN).status_code == 403
    assert make_client().post("/sources", data=data, headers={"Origin": "https://evil.example"}).status_code == 403
    assert "a-example" not in make_client().get("/sources").text
