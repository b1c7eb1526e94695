"""One source, for those who run the archive."""

from datetime import UTC, datetime, timedelta

import pytest
from starlette.testclient import TestClient

from tests.web.archive import SITE, Answer, change, keep, queue
from tests.web.conftest import OWN_ORIGIN, TOKEN, MakeClient, Page
from webstrata.app import App
from webstrata.db.sources import sources
from webstrata.jobs.sources.source_commands import EditedSource, SourceCommands, SourceRequest


@pytest.fixture
def code(app: App) -> str:
    orders = SourceCommands(app.database, app.archive_root)
    wanted = SourceRequest(("https://health.example/",), "health", "Health Agency", "Its news.", "monthly")
    return orders.add(wanted).code


def order(client: TestClient, command: str, /, **fields: str) -> Page:
    return Page(client.post(f"/sources/health/{command}", data=fields, headers=OWN_ORIGIN))


@pytest.mark.usefixtures("code")
def test_a_source_reports_when_it_is_archived_and_from_what(client: TestClient) -> None:
    page = Page(client.get("/sources/health"))
    assert page.text("h1") == "Health Agency"
    assert page.text("title").startswith("Source Health Agency – ")
    assert page.text(".lead") == "Every month Next: as soon as a worker is free"
    assert "No jobs yet." in page.text("section[aria-labelledby=source-jobs-title]")
    assert page.text("#edit-seeds") == "https://health.example/"
    assert page.text(".source-archive") == "Archive No captures yet."
    assert page.texts(".orders button") == ["Archive now", "Pause the schedule", "Disable this source"]


def test_a_source_shows_what_was_captured_and_leads_to_it(client: TestClient, app: App, code: str) -> None:
    front, newest = keep(app, [Answer(SITE, "Front", "Hello."), Answer(f"{SITE}b", "B", "B.")], code=code)
    page = Page(client.get("/sources/health"))
    assert "2 snapshots of 2 pages, 3 May 2024" in page.text(".source-archive")
    assert page.links(".source-archive a") == {
        "Front page": f"/snapshot/{front}",
        "Newest capture": f"/snapshot/{newest}",
        "All pages": "/search?source=health",
        "Calendar": "/calendar/source/health",
        "Changes": "/changes?source=health",
    }
    found = Page(client.get("/search", params={"source": "health", "q": "hello"}))
    assert "Front" in found.text("main")


EDITED = {
    "name": "Health & Food Agency",
    "base_url": "https://health.example/home",
    "description": "Its news.",
    "seeds": "https://health.example/\r\nhttps://health.example/news\r\n",
    "options": "max_pages=50\r\nrespect_robots=no\r\n",
}


def test_a_source_is_edited_and_settings_with_secrets_stay_hidden(client: TestClient, app: App, code: str) -> None:
    orders = SourceCommands(app.database, app.archive_root)
    orders.edit(code, EditedSource(options={"user_agent": "Bot http://me:pass@proxy.example/", "max_depth": 3}))
    before = Page(client.get("/sources/health"))
    assert before.text("#edit-options") == "max_depth=3"
    assert "pass@" not in before.html
    page = order(client, "edit", **EDITED)
    assert (page.status, page.text("h1")) == (200, "Health & Food Agency")
    assert page.text("#edit-seeds") == "https://health.example/ https://health.example/news"
    assert page.text("#edit-options") == "max_pages=50 respect_robots=no"
    with app.database.read() as session:
        crawl = sources.registry_entry(session, "health").crawl
    assert crawl == {"user_agent": "Bot http://me:pass@proxy.example/", "max_pages": 50, "respect_robots": False}


@pytest.mark.usefixtures("code")
@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("options", "max_pagez=5", "did you mean max_pages?"),
        ("options", "max_pages=0", "max_pages"),
        ("options", "many", "expected name=value"),
        ("seeds", "nonsense here", "is not a web address"),
        ("base_url", "<b>", "is not a web address"),
        ("name", " ", "name"),
    ],
)
def test_an_invalid_edit_is_shown_again_as_it_was_sent(
    client: TestClient, field: str, value: str, problem: str
) -> None:
    page = order(client, "edit", **(EDITED | {field: value}))
    assert page.status == 422
    assert problem in page.text("#settings-problem")
    assert page.one("#edit-name").attributes["value"] == (EDITED | {field: value})["name"].strip()
    assert Page(client.get("/sources/health")).text("h1") == "Health Agency"


@pytest.mark.usefixtures("code")
def test_a_schedule_is_set_and_taken_away(client: TestClient, app: App) -> None:
    page = order(client, "schedule", when="0 3 * * 1")
    assert page.text(".lead").startswith("Mondays at 03:00 UTC Next: ")
    with app.database.read() as session:
        turn = sources.source_view(session, "health").next_run_at
    assert turn is not None
    assert datetime.now(UTC) < turn <= datetime.now(UTC) + timedelta(days=7)
    assert page.one("#when").attributes["value"] == "0 3 * * 1"
    page = order(client, "schedule", when="")
    assert page.text(".lead") == "Manual"
    assert page.texts(".orders button") == ["Archive now", "Disable this source"]
    assert (app.archive_root / "sources.json").exists()


@pytest.mark.usefixtures("code")
def test_an_invalid_schedule_is_shown_again_with_examples(make_client: MakeClient) -> None:
    page = order(make_client(), "schedule", when="now and <then>")
    assert page.status == 422
    assert "'now and <then>' is not a schedule" in page.text("#when-problem")
    assert page.one("#when").attributes["value"] == "now and <then>"
    assert page.text(".lead").startswith("Every month")


@pytest.mark.usefixtures("code")
def test_a_schedule_is_paused_and_resumed(client: TestClient) -> None:
    page = order(client, "pause")
    assert page.text(".lead") == "Every month ■ Paused"
    assert "Resume the schedule" in page.texts(".orders button")
    assert "Next: " in order(client, "resume").text(".lead")


@pytest.mark.usefixtures("code")
def test_a_source_is_archived_now(client: TestClient) -> None:
    page = order(client, "archive")
    assert page.text("h1 + .hint").startswith("health-")
    assert "○ Queued" in page.text("#progress .lead")
    assert "health-" in Page(client.get("/sources/health")).text(".brief li")


@pytest.mark.usefixtures("code")
def test_a_source_that_is_switched_off_makes_no_jobs(make_client: MakeClient) -> None:
    client = make_client()
    page = order(client, "disable")
    assert page.text(".lead") == "■ Disabled"
    assert page.texts(".orders button") == ["Enable this source"]
    refused = order(client, "archive")
    assert refused.status == 409
    assert "health is disabled" in refused.text()
    assert "Archive now" in order(client, "enable").texts(".orders button")


def test_a_scheduled_run_that_could_not_start_gives_the_reason(client: TestClient, app: App, code: str) -> None:
    with app.database.write() as session:
        sources.note_schedule_error(session, sources.source_view(session, code).id, "the disk is full")
    assert "the disk is full" in Page(client.get("/sources/health")).text(".notice")


def test_of_many_jobs_the_newest_are_shown(client: TestClient, app: App, code: str) -> None:
    for _ in range(12):
        change(app, queue(app, code=code), status="indexed")
    page = Page(client.get("/sources/health"))
    assert len(page.all(".brief li")) == 10
    assert page.links()["All 12 jobs"] == "/jobs?source=health"


@pytest.mark.usefixtures("code")
@pytest.mark.parametrize("name", ["archive", "schedule", "edit", "pause", "disable", "remove"])
def test_commands_are_accepted_from_our_own_pages_and_administrators_only(make_client: MakeClient, name: str) -> None:
    path = f"/sources/health/{name}"
    for headers in ({}, {"Origin": "https://evil.example"}):
        assert make_client().post(path, headers=headers).status_code == 403
    assert make_client(token=TOKEN).post(path, headers=OWN_ORIGIN).status_code == 403
    page = Page(make_client().get("/sources/health"))
    assert page.text(".lead").startswith("Every month")
    assert "No jobs yet." in page.text()


@pytest.mark.parametrize("path", ["/sources/nobody", "/sources/nobody/pause", "/sources/nobody/archive"])
def test_an_unknown_source_is_a_page_that_reports_it(make_client: MakeClient, path: str) -> None:
    client = make_client()
    page = Page(client.get(path) if path.count("/") == 2 else client.post(path, headers=OWN_ORIGIN))
    assert page.status == 404
    assert "There is no such source in this archive." in page.text()


def test_a_source_whose_jobs_brought_nothing_is_removed(client: TestClient, app: App, code: str) -> None:
    change(app, queue(app, code=code), status="failed")
    assert "Remove this source" in Page(client.get("/sources/health")).texts("button")
    page = order(client, "remove")
    assert (page.status, page.text("h1")) == (200, "Sources")
    assert "Health Agency" not in page.text()


def test_a_source_with_captures_stays(make_client: MakeClient, app: App, code: str) -> None:
    keep(app, [Answer(SITE, "Front", "Hello.")], code=code)
    client = make_client()
    assert "Remove this source" not in Page(client.get("/sources/health")).texts("button")
    page = order(client, "remove")
    assert (page.status, page.text("h1")) == (409, "Health Agency")
    assert page.text(".notice-failed") == "health has snapshots: it can only be disabled."
    assert "webstrata sources" not in page.text()


@pytest.mark.usefixtures("code")
def test_a_source_takes_no_other_commands(make_client: MakeClient) -> None:
    assert order(make_client(), "explode").status == 404


@pytest.mark.usefixtures("code")
def test_a_refusing_disk_is_reported_to_the_administrator(make_client: MakeClient, app: App) -> None:
    (app.archive_root / "health").write_text("in the way")
    page = order(make_client(), "archive")
    assert page.status == 409
    assert f"{app.archive_root}/health" in page.text(".lead")
