import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.web.archive import SITE, Answer, change, keep, queue
from tests.web.conftest import OWN_ORIGIN, TOKEN, MakeClient, Page
from webstrata.app import App
from webstrata.db.operations import catalog
from webstrata.db.queue import jobs, run_reports
from webstrata.model.crawl.run_reports import CrawlReport, HostReport
from webstrata.model.jobs.job import JobStatus
from webstrata.web.assets import HTMX, our_assets
from webstrata.web.jobs.jobs import summary

REPORT = CrawlReport(
    12,
    1_200_005,
    {"timeout": 2, "http_503": 1},
    {"health.example": HostReport(11, 1_200_000, 1), "<b>odd</b>": HostReport(1, 5, 2)},
    3.4,
)


def newest_job(app: App) -> int:
    with app.database.read() as session:
        return catalog.jobs(session)[0][0].id


def test_an_archive_without_jobs_reports_it(client: TestClient) -> None:
    page = Page(client.get("/jobs"))
    assert page.status == 200
    assert page.text("h1") == "Jobs"
    assert page.text(".lead") == "No jobs yet. Archive a site to start one."
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
    assert page.text(".lead") == "No job is running. 3 jobs: 1 waiting, 1 failed, 1 done."
    assert page.texts("tbody .chip") == ["○ Queued", "✕ Failed", "✓ Done"]
    assert [node.attributes["href"] for node in page.all("tbody th a")][:2] == [f"/jobs/{queued}", f"/jobs/{failed}"]
    assert page.texts(".reason") == ["the server answered 503"]
    assert "1.4 MB" in page.texts("tbody tr")[1]


def test_very_many_jobs_are_paged(client: TestClient, app: App) -> None:
    ids = [queue(app) for _ in range(51)]
    page = Page(client.get("/jobs?page=2"))
    assert page.links("tbody a") == {f"Job {ids[0]}: Health Agency": f"/jobs/{ids[0]}"}
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
    assert (page.text("h1"), page.text("h1 + .hint")) == ("Health Agency", "health-20240503")
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


def running(app: App, **columns: object) -> int:
    """Leave a job as if its crawl were under way."""
    job_id = queue(app)
    with app.database.write() as session:
        jobs.set_crawl_counts(session, job_id, {"pending": 20, "in_progress": 6, "finished": 12, "error": 2})
        run_reports.write(session, job_id, "here:1:x", REPORT, datetime.now(UTC))
    change(app, job_id, **{"status": "running", "started_at": datetime.now(UTC), **columns})
    return job_id


def test_a_running_job_reports_how_far_and_how_fast_it_is(client: TestClient, app: App) -> None:
    page = Page(client.get(f"/jobs/{running(app)}"))
    assert "▸ Crawling" in page.text("#progress .lead")
    assert page.one("progress").attributes == {"value": "14", "max": "40", "aria-label": "URLs done"}
    figures = dict(zip(page.texts(".figures dt"), page.texts(".figures dd"), strict=True))
    assert figures.pop("Took")
    assert figures == {
        "URLs crawled": "12 of 40",
        "Page requisites": "0",
        "Per second": "3.4",
        "Waiting": "20",
        "In progress": "6",
        "Failed": "2",
        "Received": "1.2 MB",
    }
    assert page.texts("[data-table=errors] tbody tr") == ["No response in time2", "503 Service Unavailable1"]
    assert page.texts("[data-table=hosts] tbody th") == ["health.example", "<b>odd</b>"]
    assert page.texts("[data-table=hosts] tbody td") == ["11", "1.2 MB", "1", "1", "5 bytes", "2"]
    assert "None yet." in page.text()


def test_a_running_job_keeps_its_page_up_to_date(client: TestClient, app: App) -> None:
    job_id = running(app)
    page = Page(client.get(f"/jobs/{job_id}"))
    assert page.one("#progress").attributes["data-events"] == f"/jobs/{job_id}/events"
    assert page.all("head script[src*='live.js']")
    assert '<noscript><meta http-equiv="refresh" content="5"></noscript>' in page.html
    assert "This page updates automatically." in page.text("#progress .lead")


def test_a_job_that_is_over_has_a_page_that_does_not_change(client: TestClient, app: App) -> None:
    page = Page(client.get(f"/jobs/{running(app, status='indexed', finished_at=datetime.now(UTC))}"))
    assert not page.all("script[src*='live.js'], [data-events], progress, template, meta[http-equiv=refresh]")
    assert page.texts("[data-table=errors] caption") == ["Failed requests in the last run"]


def test_a_job_without_reports_hides_their_tables(client: TestClient, app: App) -> None:
    page = Page(client.get(f"/jobs/{queue(app)}"))
    assert [node.attributes["data-table"] for node in page.all("[data-table][hidden]")] == ["errors", "hosts"]


def told(client: TestClient, job_id: int) -> tuple[str, dict[str, Any]]:
    """Return the first news of a job that is over."""
    answer = client.get(f"/jobs/{job_id}/events")
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    name, data = re.findall(r"^(?:event|data): (.*)$", answer.text, re.MULTILINE)
    return name, json.loads(data)


def test_the_live_progress_of_a_job_has_the_values_of_its_page(client: TestClient, app: App) -> None:
    job_id = running(app, status="stopped", finished_at=datetime.now(UTC))
    name, news = told(client, job_id)
    assert name == "end"
    page = Page(client.get(f"/jobs/{job_id}"))
    figures = {name: " ".join(value.split()) for name, value in news["figures"].items()}
    assert figures == dict(zip(page.texts(".figures dt"), page.texts("[data-figure]"), strict=True))
    assert news["of"].strip() == page.text("[data-of]") == "of 40"
    assert [row[0] for row in news["hosts"]] == page.texts("[data-table=hosts] tbody th")
    assert (news["done"], news["known"], news["said"]) == (14, 40, "14 of 40 URLs done.")


def test_a_stopped_job_that_is_still_being_indexed_is_under_way(client: TestClient, app: App) -> None:
    soon = datetime.now(UTC) + timedelta(minutes=1)
    page = Page(client.get(f"/jobs/{running(app, status='stopped', lease_owner='x', lease_expires_at=soon)}"))
    assert page.text("#progress .lead") == "■ Stopped Its captures are being indexed."
    assert page.all("[data-events]")
    assert not page.all("#progress form")


def led_elsewhere() -> dict[str, object]:
    """Return what a job's row says while a worker of another machine leads it."""
    return {"lease_owner": "elsewhere:1:x", "lease_expires_at": datetime.now(UTC) + timedelta(minutes=1)}


def test_a_job_whose_worker_is_gone_is_stopped_at_once(client: TestClient, app: App) -> None:
    after = Page(client.post(f"/jobs/{running(app)}/stop", headers=OWN_ORIGIN))
    assert "■ Stopped" in after.text("#progress .lead")
    assert "its worker died" in after.text()


@pytest.mark.parametrize("status", ["running", "queued", "retryable"])
def test_a_job_that_is_not_over_can_be_stopped(client: TestClient, app: App, status: str) -> None:
    job_id = running(app, status=status, **(led_elsewhere() if status == "running" else {}))
    page = Page(client.get(f"/jobs/{job_id}"))
    assert page.one("#progress form").attributes["action"] == f"/jobs/{job_id}/stop"
    after = Page(client.post(f"/jobs/{job_id}/stop", headers=OWN_ORIGIN))
    assert after.status == 200
    if status == "running":
        assert "It stops within seconds" in after.text("#progress .lead")
        assert not after.all("#progress form")
    else:
        assert "■ Stopped" in after.text("#progress .lead")


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("stopped", "Resume"),
        ("failed", "Try again"),
        ("index_failed", "Try again"),
        ("indexed", "Retry the 2 failed URLs"),
    ],
)
def test_a_job_that_did_not_get_everything_can_continue(client: TestClient, app: App, status: str, words: str) -> None:
    job_id = running(app, status=status)
    page = Page(client.get(f"/jobs/{job_id}"))
    assert page.text("#progress button") == words
    after = Page(client.post(f"/jobs/{job_id}/resume", headers=OWN_ORIGIN))
    assert "○ Queued" in after.text("#progress .lead")


def test_a_job_that_got_everything_has_no_button(client: TestClient, app: App) -> None:
    keep(app, [Answer(SITE, "Front", "Hello.")])
    assert not Page(client.get(f"/jobs/{newest_job(app)}")).all("#progress button")


def test_what_cannot_be_done_with_a_job_is_reported_on_a_page(make_client: MakeClient, app: App) -> None:
    job_id = running(app, **led_elsewhere())
    page = Page(make_client().post(f"/jobs/{job_id}/resume", headers=OWN_ORIGIN))
    assert page.status == 409
    assert page.text("h1") == "Not possible now"
    assert f"job {job_id} is running already" in page.text()
    assert Page(make_client().post("/jobs/77/stop", headers=OWN_ORIGIN)).status == 404


@pytest.mark.parametrize("action", ["stop", "resume"])
def test_commands_are_accepted_from_our_own_pages_and_administrators_only(
    make_client: MakeClient, app: App, action: str
) -> None:
    job_id = running(app, status="queued" if action == "stop" else "stopped")
    path = f"/jobs/{job_id}/{action}"
    for headers in ({}, {"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        assert make_client().post(path, headers=headers).status_code == 403
    assert make_client(token=TOKEN).post(path, headers=OWN_ORIGIN).status_code == 403
    with app.database.read() as session:
        found = catalog.job(session, job_id)
    assert found is not None
    assert found.status == ("queued" if action == "stop" else "stopped")


def test_the_list_of_jobs_follows_them_while_any_is_under_way(client: TestClient, app: App) -> None:
    assert HTMX in our_assets(), "set-up fetches htmx"
    job_id = queue(app)
    page = Page(client.get("/jobs"))
    live = page.one("#jobs")
    assert live.attributes["hx-get"] == "/jobs?page=1"
    assert live.attributes["hx-trigger"] == "every 5s"
    assert page.all("head script[src*=htmx]")
    change(app, job_id, status="indexed")
    assert not Page(client.get("/jobs")).all("script[src*=htmx], [hx-get]")


def test_without_htmx_the_list_of_jobs_does_not_change(
    client: TestClient, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue(app)
    without = {name: asset for name, asset in our_assets().items() if name != HTMX}
    monkeypatch.setattr("webstrata.web.pages.our_assets", lambda: without)
    assert not Page(client.get("/jobs")).all("script[src*=htmx], meta[name=htmx-config], [hx-get]")


def test_a_failed_job_gives_the_reason_and_offers_to_continue(client: TestClient, app: App) -> None:
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
    assert page.text("#progress button") == "Try again"
    assert "3 min 20 s" in page.text(".figures")
    assert "It ended before everything was captured. Nothing was captured." in page.text("#progress .lead")
    change(app, job_id, indexed_page_count=59, warc_bytes_total=1_000_000)
    for status in ("failed", "stopped"):
        change(app, job_id, status=status)
        assert "59 snapshots can be searched and read." in Page(client.get(f"/jobs/{job_id}")).text("#progress .lead")


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
    assert page.text("#progress button") == "Try again"


def test_an_unknown_job_is_a_page_that_reports_it(make_client: MakeClient) -> None:
    page = Page(make_client().get("/jobs/77"))
    assert page.status == 404
    assert "There is no such job in this archive." in page.text()


@pytest.mark.parametrize("path", ["/jobs", "/jobs/1", "/jobs/1/events"])
def test_jobs_are_closed_to_who_does_not_know_the_token(make_client: MakeClient, path: str) -> None:
    page = Page(make_client(token=TOKEN).get(path))
    assert page.status == 403
    assert "Sign in with the admin token to continue." in page.text()
    assert page.links()["Sign in"] == f"/login?next={path}"


def test_without_a_token_production_stays_closed_and_states_what_opens_it(make_client: MakeClient) -> None:
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
        ({"indexed": 1_200, "stopped": 1}, "No job is running. 1,201 jobs: 1 stopped, 1,200 done."),
        ({"odd": 1}, "No job is running. 1 job: 1 waiting."),
    ],
)
def test_the_summary_counts_jobs_by_what_they_do(counts: dict[str, int], words: str) -> None:
    assert summary(counts) == words


def test_jobs_are_chosen_by_state_and_source(client: TestClient, app: App) -> None:
    shop, failed = queue(app, code="shop", name="Shop"), queue(app)
    change(app, failed, status="failed")
    assert Page(client.get("/jobs?source=SHOP")).links("tbody a") == {f"Job {shop}: Shop": f"/jobs/{shop}"}
    page = Page(client.get("/jobs?status=failed"))
    assert page.links("tbody a") == {f"Job {failed}: Health Agency": f"/jobs/{failed}"}
    assert page.text("#status option[selected]") == "Failed"
    assert page.links(".choose a") == {"All jobs": "/jobs"}
    assert page.one("#jobs").attributes["hx-get"] == "/jobs?status=failed&page=1"
    assert page.texts("#source option") == ["All sources", "Health Agency", "Shop"]


def test_a_choice_that_no_job_fits_reports_it(client: TestClient, app: App) -> None:
    queue(app)
    page = Page(client.get("/jobs?status=odd&source=nobody"))
    assert page.status == 200
    assert "No job matches these filters." in page.text()
    assert page.texts("option[selected]") == ["odd (unknown)", "nobody (unknown)"]


def test_pages_of_chosen_jobs_stay_chosen(client: TestClient, app: App) -> None:
    for _ in range(51):
        queue(app)
    assert Page(client.get("/jobs?status=queued")).links(".pager a") == {"Next →": "/jobs?status=queued&page=2"}
    assert Page(client.get("/jobs?status=queued&page=2")).links(".pager a") == {"← Previous": "/jobs?status=queued"}


def test_administrators_are_shown_that_the_disk_is_full(client: TestClient, app: App) -> None:
    queue(app)
    assert not Page(client.get("/jobs")).all(".notice")
    app.archive_root.rename(app.archive_root.with_name("elsewhere"))
    assert f"the archive root {app.archive_root} does not exist" in Page(client.get("/jobs")).text(".notice")
