from datetime import UTC, datetime, timedelta

from starlette.testclient import TestClient

from tests.web.archive import SITE, Answer, change, keep, queue
from tests.web.conftest import OWN_ORIGIN, TOKEN, MakeClient, Page
from webstrata.app import App
from webstrata.db.operations import catalog
from webstrata.db.queue import jobs
from webstrata.jobs.sources.source_commands import SourceCommands, SourceRequest


def test_an_empty_archive_offers_to_archive_a_site(client: TestClient) -> None:
    page = Page(client.get("/"))
    assert page.status == 200
    assert page.text("h1") == "What did it say?"
    assert "No captures yet. Archive a site:" in page.text()
    assert page.one("form[action='/archive'][method=post] input[name=url]").attributes["value"] == ""


def test_a_crawl_under_way_is_shown_with_its_site_and_progress(make_client: MakeClient, app: App) -> None:
    running, hidden = queue(app), queue(app, code="test", name="Test")
    with app.database.write() as session:
        jobs.set_crawl_counts(session, running, {"pending": 60, "in_progress": 1, "finished": 23, "error": 1})
    for job_id in (running, hidden):
        change(app, job_id, status="running")
    administrator, reader = make_client(), make_client(token=TOKEN)
    page = Page(administrator.get("/"))
    assert page.links(".under-way a") == {"Health Agency": f"/jobs/{running}"}
    assert page.texts(".under-way li") == ["Health Agency ▸ Crawling 24 of 85 URLs"]
    assert "No captures yet. Archive another site:" in page.text()
    public = Page(reader.get("/"))
    assert public.texts(".under-way li") == page.texts(".under-way li")
    assert not public.all(".under-way a")
    keep(app, [Answer(SITE, "Front", "Hello.")])
    assert Page(administrator.get("/")).texts(".under-way li") == page.texts(".under-way li")
    change(app, running, status="indexed")
    assert not Page(administrator.get("/")).all(".under-way")


def test_the_totals_are_reported_in_words(client: TestClient, app: App) -> None:
    yesterday = datetime.now(UTC) - timedelta(days=1, minutes=1)
    keep(app, [Answer(SITE, "Front", "One", yesterday), Answer(SITE, "Front", "Two", yesterday)])
    keep(
        app, [Answer("https://shop.example/", "Shop", "Three")], code="shop", name="Shop", site="https://shop.example/"
    )
    page = Page(client.get("/"))
    assert "3 snapshots of 2 pages from 2 sources." in page.text(".lead")
    assert "1 day ago" in page.text(".lead")


def test_sources_and_latest_captures_are_linked(client: TestClient, app: App) -> None:
    first, second = keep(app, [Answer(SITE, "Front", "One"), Answer(f"{SITE}fever", "Fever in children", "Two")])
    links = Page(client.get("/")).links()
    assert links["Front"] == f"/snapshot/{first}"
    assert links["Fever in children"] == f"/snapshot/{second}"
    assert links["Health Agency"] == "/search?source=health"


def test_every_capture_shows_its_date_and_its_age(client: TestClient, app: App) -> None:
    keep(app, [Answer(SITE, "Front", "One")])
    page = Page(client.get("/"))
    assert page.one(".capture time").attributes["datetime"] == "2024-05-03T12:05:09Z"
    assert "3 May 2024" in page.text(".capture-when")
    assert "ago" in page.text(".capture-when .age")


def test_a_hostile_title_stays_text(client: TestClient, app: App) -> None:
    keep(app, [Answer(SITE, "&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;", "One")])
    page = Page(client.get("/"))
    assert "<script>alert(1)</script>" in page.text(".capture-title")
    assert not page.all("main script, main img")


def test_archiving_queues_a_job_and_shows_it(client: TestClient, app: App) -> None:
    response = client.post("/archive", data={"url": "https://example.org/"}, headers=OWN_ORIGIN, follow_redirects=False)
    assert response.status_code == 303
    with app.database.read() as session:
        (job,), total = catalog.jobs(session)
    assert total == 1
    assert job.status == "queued"
    assert job.source_name == "example.org"
    assert response.headers["location"] == f"/jobs/{job.id}"


def test_an_invalid_address_is_shown_again_with_its_error(client: TestClient, app: App) -> None:
    page = Page(client.post("/archive", data={"url": 'ftp://"x"'}, headers=OWN_ORIGIN))
    assert page.status == 422
    field = page.one("#archive-url")
    assert field.attributes["value"] == 'ftp://"x"'
    assert field.attributes["aria-describedby"] == "archive-problem"
    assert "is not a web address" in page.text("#archive-problem")
    with app.database.read() as session:
        assert catalog.jobs(session) == ((), 0)


def test_a_form_without_an_address_is_a_wrong_address(client: TestClient) -> None:
    page = Page(client.post("/archive", headers=OWN_ORIGIN))
    assert page.status == 422
    assert "is not a web address" in page.text("#archive-problem")


def test_other_sites_cannot_archive_in_our_name(client: TestClient, app: App) -> None:
    for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {}):
        page = Page(client.post("/archive", data={"url": "https://example.org/"}, headers=headers))
        assert page.status == 403
    with app.database.read() as session:
        assert catalog.jobs(session) == ((), 0)


def test_a_reader_who_is_no_administrator_sees_no_form_and_cannot_use_it(make_client: MakeClient) -> None:
    client = make_client(token=TOKEN)
    page = Page(client.get("/"))
    assert not page.all("form[action='/archive']")
    assert page.links()["Sign in"] == "/login"
    refused = Page(client.post("/archive", data={"url": "https://example.org/"}, headers=OWN_ORIGIN))
    assert refused.status == 403
    assert "Sign in with the admin token" in refused.text()


def archive(client: TestClient, url: str) -> Page:
    return Page(client.post("/archive", data={"url": url}, headers=OWN_ORIGIN))


def test_another_spelling_of_an_address_leads_to_the_job_that_waits(client: TestClient, app: App) -> None:
    archive(client, "https://example.org/")
    for spelling in ("example.org", "http://www.example.org:80"):
        page = archive(client, spelling)
        assert "This URL belongs to the source example.org (example-org)." in page.text(".notice")
        assert page.links(".notice a") == {"example.org": "/sources/example-org"}
    with app.database.read() as session:
        assert catalog.jobs(session)[1] == 1


def test_an_address_in_a_sources_scope_is_archived_for_that_source(make_client: MakeClient, app: App) -> None:
    orders = SourceCommands(app.database, app.archive_root)
    orders.add(SourceRequest(("https://example.org/",), "mine", "My site"))
    page = archive(make_client(), "www.example.org/news")
    assert page.links(".notice a") == {"My site": "/sources/mine"}
    orders.set_enabled("mine", False)
    refused = archive(make_client(), "https://example.org/other")
    assert (refused.status, "mine is disabled" in refused.text("#archive-problem")) == (409, True)
    assert refused.links("#archive-problem a") == {"show mine": "/sources/mine"}
    assert "webstrata sources" not in refused.text()
