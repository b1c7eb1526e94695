from datetime import timedelta

from starlette.testclient import TestClient

from tests.web.archive import MAY, SITE, Answer, keep
from tests.web.conftest import Page
from webstrata.app import App


def test_sources_are_listed_with_their_captures(client: TestClient, app: App) -> None:
    front, newest = keep(app, [Answer(SITE, "Front", "Hello."), Answer(f"{SITE}b", "B", "B.", MAY + timedelta(days=9))])
    page = Page(client.get("/sources"))
    assert page.text("h1") == "Whose pages are kept?"
    assert page.text(".lead") == "1 source with 2 captures."
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


def test_an_archive_without_captures_says_so(client: TestClient) -> None:
    page = Page(client.get("/sources"))
    assert page.status == 200
    assert "there are no captures" in page.text(".empty")
    assert page.links()["Archive a site"] == "/"


def test_the_source_for_trying_things_out_is_not_listed(client: TestClient, app: App) -> None:
    keep(app, [Answer(SITE, "Front", "Hello.")], code="test", name="Trial")
    assert "Trial" not in client.get("/sources").text
    assert "Trial" not in client.get("/").text
