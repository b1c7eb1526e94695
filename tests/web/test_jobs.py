from datetime import UTC, datetime, timedelta

import pytest
from starlette.testclient import TestClient

from tests.web.archive import SITE, Answer, change, keep, queue
from tests.web.conftest import TOKEN, MakeClient, Page
from webstrata.app import App
from webstrata.db import catalog
from webstrata.model.jobs import JobStatus
from webstrata.web.assets import HTMX, our_assets
from webstrata.web.jobs import summary


def newest_job(app: App) -> int:
    with app.database.read() as session:
        return catalog.jobs(session)[0][0].id


def test_an_archive_without_jobs_says_so(client: TestClient) -> None:
    page = Page(client.get("/jobs"))
    assert page.status == 200
    assert page.text("h1") == "What is running?"
    assert page.text(".lead") == "Nothing: no site has been archived yet."
    assert page.all("form[action='/archive']")
    assert not page.all("table")


def test_jobs_are_listed_newest_first_with_their_state(client: TestClient, app: App) -> None:
    keep(app, [Answer(SITE, "Front", "Hello.")])
    failed = queue(app, code="shop", name="Shop")
    change(
        app,
        failed,
        status="failed",
        status_reason="the server answered 503",
        pages_failed=1,
        warc_bytes_total=1_400_000,
    )
    queued = queue(app)
    page = Page(client.get("/jobs"))
    assert page.text(".lead") == "Nothing right now. 3 jobs: 1 waiting, 1 failed, 1 done."
    assert page.texts("tbody .chip") == ["○ Queued", "✕ Failed", "✓ Done"]
    assert [node.attributes["href"] for node in page.all("tbody th a")][:2] == [f"/jobs/{queued}", f"/jobs/{failed}"]
    assert page.texts(".reason") == ["the server answered 503"]
    assert "1.4 MB" in page.texts("tbody tr")[1]


def test_very_many_jobs_are_paged(client: TestClient, app: App) -> None:
    ids = [queue(app) for _ in range(51)]
    page = Page(client.get("/jobs?page=2"))
    assert page.links("tbody a") == {"health-20240503": f"/jobs/{ids[0]}"}
    assert page.links(".pager a") == {"← Previous": "/jobs"}
    assert Page(client.get("/jobs")).links(".pager a") == {"Next →": "/jobs?page=2"}
    assert "There is no page 3" in Page(client.get("/jobs?page=3")).text()


def test_a_page_number_that_makes_no_sense_is_refused_with_a_page(make_client: MakeClient) -> None:
    page = Page(make_client().get("/jobs?page=none"))
    assert page.status == 422
    assert "page: " in page.text(".lead")


def test_a_job_that_is_done_shows_what_it_captured(client: TestClient, app: App) -> None:
    front, gone = keep(app, [Answer(SITE, "Front", "Hello."), Answer(f"{SITE}gone", "Gone", "No.", status=404)])
    page = Page(client.get(f"/jobs/{newest_job(app)}"))
    assert page.text("h1") == "health-20240503"
    assert page.text("#progress .lead") == "✓ Done 2 snapshots can be searched and read."
    assert page.links(".brief a") == {"Front": f"/snapshot/{front}", "Gone": f"/snapshot/{gone}"}
    assert page.text(".brief .chip") == "✕ 404 Not Found"
    assert "Max pages" in page.texts(".about-list dt")
    assert "40" in page.texts(".about-list dd")
    assert page.links(".about-list a") == {SITE: SITE}


def test_of_a_large_job_the_first_snapshots_are_shown(client: TestClient, app: App) -> None:
    keep(app, [Answer(f"{SITE}{n}", f"Page {n}", f"Text {n}") for n in range(60)])
    page = Page(client.get(f"/jobs/{newest_job(app)}"))
    assert len(page.all(".brief li")) == 50
    assert "The first 50 of 60." in page.text()


def test_a_running_job_keeps_its_page_up_to_date(client: TestClient, app: App) -> None:
    job_id = queue(app)
    change(app, job_id, status="running", started_at=datetime.now(UTC), pages_crawled=12, pages_total=40)
    page = Page(client.get(f"/jobs/{job_id}"))
    assert "▸ Crawling" in page.text("#progress .lead")
    assert page.one("progress").attributes == {"value": "12", "max": "40", "aria-label": "Pages crawled"}
    assert "None yet." in page.text()
    assert HTMX in our_assets(), "set-up fetches htmx"
    live = page.one("#progress")
    assert live.attributes["hx-get"] == f"/jobs/{job_id}"
    assert live.attributes["hx-trigger"] == "every 2s"
    assert page.all("head script[src*=htmx]")
    assert '<noscript><meta http-equiv="refresh" content="5"></noscript>' in page.html


def test_without_htmx_a_running_job_reloads_its_page(
    client: TestClient, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = queue(app)
    without = {name: asset for name, asset in our_assets().items() if name != HTMX}
    monkeypatch.setattr("webstrata.web.pages.our_assets", lambda: without)
    page = Page(client.get(f"/jobs/{job_id}"))
    assert page.one("meta[http-equiv=refresh]").attributes["content"] == "5"
    assert not page.all("script[src*=htmx], meta[name=htmx-config], [hx-get]")


def test_once_a_job_is_over_the_page_that_watched_it_loads_anew(client: TestClient, app: App) -> None:
    job_id = queue(app)
    asked_by_htmx = {"HX-Request": "true"}
    assert "hx-refresh" not in client.get(f"/jobs/{job_id}", headers=asked_by_htmx).headers
    change(app, job_id, status="indexed")
    assert client.get(f"/jobs/{job_id}", headers=asked_by_htmx).headers["hx-refresh"] == "true"
    settled = client.get(f"/jobs/{job_id}")
    assert "hx-refresh" not in settled.headers
    assert "hx-get" not in settled.text
    assert "refresh" not in settled.text


def test_a_failed_job_says_why_and_offers_to_go_on(client: TestClient, app: App) -> None:
    job_id = queue(app)
    started = datetime.now(UTC) - timedelta(minutes=9)
    reason = "robots.txt <forbids> it"
    change(
        app,
        job_id,
        status="failed",
        status_reason=reason,
        started_at=started,
        finished_at=started + timedelta(seconds=200),
    )
    page = Page(client.get(f"/jobs/{job_id}"))
    assert page.text(".notice") == f"Reason: {reason}"
    assert page.one("#archive-url").attributes["value"] == SITE
    assert "3 min 20 s" in page.text(".figures")
    assert "It ended before everything was captured." in page.text("#progress .lead")


@pytest.mark.parametrize("status", JobStatus)
def test_every_state_of_a_job_has_a_page(make_client: MakeClient, app: App, status: JobStatus) -> None:
    job_id = queue(app)
    change(app, job_id, status=status)
    assert Page(make_client().get(f"/jobs/{job_id}")).status == 200
    assert Page(make_client().get("/jobs")).status == 200


def test_a_job_without_source_and_configuration_is_shown(make_client: MakeClient, app: App) -> None:
    job_id = queue(app)
    change(app, job_id, source_id=None, config=None, status="failed")
    page = Page(make_client().get(f"/jobs/{job_id}"))
    assert page.status == 200
    assert page.one("#archive-url").attributes["value"] == ""


def test_an_unknown_job_is_a_page_that_says_so(make_client: MakeClient) -> None:
    page = Page(make_client().get("/jobs/77"))
    assert page.status == 404
    assert "There is no such job in this archive." in page.text()


@pytest.mark.parametrize("path", ["/jobs", "/jobs/1"])
def test_jobs_are_closed_to_who_does_not_know_the_token(make_client: MakeClient, path: str) -> None:
    page = Page(make_client(token=TOKEN).get(path))
    assert page.status == 403
    assert "Sign in with the admin token to go on." in page.text()
    assert page.links()["Sign in"] == f"/login?next={path}"


def test_without_a_token_production_stays_closed_and_says_what_opens_it(make_client: MakeClient) -> None:
    page = Page(make_client(env="production").get("/jobs"))
    assert page.status == 403
    assert "WEBSTRATA_ADMIN_TOKEN" in page.text()
    assert "Sign in" not in page.links("a")


def test_the_token_in_a_header_opens_pages_too(make_client: MakeClient) -> None:
    assert make_client(token=TOKEN).get("/jobs", headers={"X-Admin-Token": TOKEN}).status_code == 200


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ({"running": 1}, "1 job: 1 running."),
        ({"running": 1, "indexing": 1, "queued": 2}, "4 jobs: 2 running, 2 waiting."),
        ({"indexed": 1_200, "stopped": 1}, "Nothing right now. 1,201 jobs: 1 stopped, 1,200 done."),
        ({"odd": 1}, "Nothing right now. 1 job: 1 waiting."),
    ],
)
def test_the_summary_counts_jobs_by_what_they_do(counts: dict[str, int], words: str) -> None:
    assert summary(counts) == words
