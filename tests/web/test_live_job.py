"""A job's page while the job goes, in a real browser: its news, its buttons, and who does without eyes or scripts."""

import re
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.support.program import Program
from tests.support.waiting import wait_until
from tests.support.web_server import Answer, WebServer, linked_site
from tests.support.web_server import page as answer
from tests.web.archive import change, folder_of, queue
from tests.web.live import PHONE, problems_of, served
from webstrata.app import App
from webstrata.coordination.presence import present
from webstrata.db.queue import jobs, run_reports
from webstrata.model.crawl.run_reports import CrawlReport, HostReport
from webstrata.storage.combined_log import INITIAL_CRAWL, combined_log_name, statistics_line

HOSTILE = "<img src=x onerror=alert(1)>"
SECONDS = 20_000


@pytest.fixture
def working_site(browser: Browser, shared_app: App, tmp_path: Path) -> Iterator[Page]:
    """A page of a server with a worker beside it that has no patience for pages that fail."""
    settings = shared_app.settings
    program = Program(
        settings.data_dir,
        {"WEBSTRATA_DATABASE_URL": settings.database_url.get_secret_value(), "WEBSTRATA_MAX_RETRIES": "1"},
    )
    with served(settings, tmp_path) as origin, program.started("worker", "--poll-interval", "0.1") as worker:
        wait_until(lambda: "worker.start" in worker.output, "the worker is there")
        context = browser.new_context(base_url=origin)
        yield context.new_page()
        context.close()


@pytest.fixture
def held(web_server: WebServer) -> Iterator[threading.Event]:
    """A site with a page that fails and one that comes only when this is set."""
    waiting = threading.Event()
    slow = Answer(answer("Slow", "/late").body, waits_for=waiting)
    web_server.answers |= {**linked_site(4), "/page/2": Answer(status=503), "/page/3": slow, "/late": answer("Late")}
    yield waiting
    waiting.set()


@pytest.fixture
def running(live_archive: App) -> Iterator[int]:
    """A job that is led by a worker, though nothing is crawled."""
    job_id = queue(live_archive)
    with live_archive.database.write() as session:
        jobs.set_crawl_counts(session, job_id, {"pending": 20, "in_progress": 6, "finished": 12, "error": 2})
    with present(live_archive.archive_root) as owner:
        leased = {"lease_owner": owner, "lease_expires_at": datetime.now(UTC) + timedelta(minutes=5)}
        change(live_archive, job_id, status="running", started_at=datetime.now(UTC), **leased)
        yield job_id
        change(live_archive, job_id, status="indexed", lease_owner=None, lease_expires_at=None)


def report(app: App, job_id: int, told: CrawlReport) -> None:
    with app.database.write() as session:
        run_reports.write(session, job_id, "here:1:x", told, datetime.now(UTC))


def figure(page: Page, name: str) -> str:
    return page.locator(f"[data-figure='{name}']").inner_text()


def test_a_crawl_is_watched_stopped_and_resumed(
    working_site: Page, web_server: WebServer, held: threading.Event
) -> None:
    page = working_site
    problems = problems_of(page)
    page.goto("/jobs")
    page.get_by_role("textbox", name="Archive a site").fill(web_server.url())
    page.get_by_role("button", name="Archive").click()
    progress = page.locator("#progress")
    expect(progress.locator(".chip")).to_have_text("▸ Crawling", timeout=SECONDS)
    expect(progress).to_contain_text("5 of 7", timeout=SECONDS)
    assert (figure(page, "In progress"), figure(page, "Waiting"), figure(page, "Failed")) == ("1", "0", "1")
    expect(page.locator("[data-table=errors] tbody tr")).to_have_text(["503 Service Unavailable1"])
    expect(page.locator("[data-table=hosts] tbody th")).to_have_text([web_server.origin.removeprefix("http://")])

    page.get_by_role("button", name="Stop").click()
    expect(progress.locator(".chip")).to_have_text("■ Stopped", timeout=SECONDS)
    expect(progress).to_contain_text("stopped with 1 URL to go")
    resume = page.get_by_role("button", name="Resume")
    expect(resume).to_be_visible(timeout=SECONDS)
    assert "/late" not in web_server.paths()

    held.set()
    web_server.answers["/page/2"] = answer("Page 2 after all")
    resume.click()
    expect(progress.locator(".chip")).to_have_text("✓ Done", timeout=SECONDS)
    expect(progress).to_contain_text("8 of 8")
    expect(page.get_by_role("link", name="Page 2 after all")).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("Stop|again|Go on"))).to_have_count(0)
    assert problems == []


def test_live_progress_is_set_as_text_and_nothing_else(page: Page, live_archive: App, running: int) -> None:
    problems = problems_of(page)
    page.goto(f"/jobs/{running}")
    report(live_archive, running, CrawlReport(1, 5, {HOSTILE: 3}, {HOSTILE: HostReport(1, 5, 3)}, 1))
    expect(page.locator("[data-table=hosts] tbody th")).to_have_text([HOSTILE])
    expect(page.locator("[data-table=errors] tbody th")).to_have_text([HOSTILE])
    assert page.locator("main img").count() == 0
    assert problems == []


def test_rows_come_and_go_with_live_progress(page: Page, live_archive: App, running: int) -> None:
    page.goto(f"/jobs/{running}")
    expect(page.locator("[data-table=errors]")).to_be_hidden()
    three = {f"h{n}.example": HostReport(3 - n, 1_000, 0) for n in range(3)}
    report(live_archive, running, CrawlReport(6, 3_000, {"timeout": 1}, three, 2))
    hosts = page.locator("[data-table=hosts] tbody tr")
    expect(hosts).to_have_text(["h0.example31.0 kB0", "h1.example21.0 kB0", "h2.example11.0 kB0"])
    expect(page.locator("[data-table=errors]")).to_be_visible()
    report(live_archive, running, CrawlReport(6, 3_000, {}, {"h9.example": HostReport(1, 2, 3)}, 2))
    expect(hosts).to_have_text(["h9.example12 bytes3"])
    expect(page.locator("[data-table=errors]")).to_be_hidden()


def test_the_log_and_the_plot_are_updated_while_a_job_runs(page: Page, live_archive: App, running: int) -> None:
    problems = problems_of(page)
    page.clock.install()
    page.goto(f"/jobs/{running}")
    expect(page.locator("[data-renewed=log]")).to_contain_text("No log yet.")
    begun = datetime.now(UTC)
    folder = folder_of(live_archive, running)
    folder.mkdir(parents=True)
    told = [
        statistics_line(begun + timedelta(seconds=n), crawled=n, total=9, pending=9 - n, failed=0, most=0, hit=False)
        for n in range(4)
    ]
    log = folder / combined_log_name(INITIAL_CRAWL, 1, begun)
    log.write_text("".join([*told, f"{HOSTILE}\n"]))
    page.clock.fast_forward(6_000)
    expect(page.locator(".log")).to_contain_text(HOSTILE)
    expect(page.get_by_role("img", name="URLs crawled, waiting and failed over time")).to_be_visible()
    page.get_by_text("The numbers of the plot as a table").click()
    page.locator(".log").focus()
    with log.open("a") as more:
        more.write("one more line\n")
    page.clock.fast_forward(6_000)
    expect(page.locator(".log")).to_contain_text("one more line")
    expect(page.locator(".log")).to_be_focused()
    expect(page.locator(".plot table")).to_be_visible()
    assert page.locator("main img").count() == 0
    assert problems == []


def test_the_keyboard_focus_stays_while_live_progress_arrives(page: Page, live_archive: App, running: int) -> None:
    page.goto(f"/jobs/{running}")
    stop = page.get_by_role("button", name="Stop")
    stop.focus()
    report(live_archive, running, CrawlReport(responses=9, bytes=9_000, rate=4.5))
    expect(page.locator("[data-figure=Received]")).to_have_text("9.0 kB")
    expect(stop).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#progress")).to_contain_text("It stops within seconds")
    expect(stop).to_have_count(0)


def test_screen_readers_get_the_progress_now_and_then(page: Page, live_archive: App, running: int) -> None:
    page.clock.install()
    page.goto(f"/jobs/{running}")
    said = page.get_by_role("status")
    report(live_archive, running, CrawlReport(bytes=1_000))
    expect(page.locator("[data-figure=Received]")).to_have_text("1.0 kB")
    expect(said).to_be_empty()
    page.clock.fast_forward(31_000)
    report(live_archive, running, CrawlReport(bytes=2_000))
    expect(said).to_have_text("14 of 40 URLs done.")


def test_a_page_whose_event_stream_is_refused_reloads(page: Page, live_archive: App, running: int) -> None:
    def refuse(route: Route) -> None:
        route.fulfill(status=429, content_type="application/json", body="{}")

    page.clock.install()
    page.route("**/events", refuse)
    with page.expect_response("**/events") as refused:
        page.goto(f"/jobs/{running}")
    assert refused.value.status == 429
    report(live_archive, running, CrawlReport(bytes=7_000))
    page.clock.fast_forward(11_000)
    expect(page.locator("[data-figure=Received]")).to_have_text("7.0 kB")


def test_without_javascript_a_job_is_watched_and_stopped_too(
    browser: Browser, live_site: str, live_archive: App, running: int
) -> None:
    context = browser.new_context(base_url=live_site, java_script_enabled=False, viewport=PHONE)
    page = context.new_page()
    report(live_archive, running, CrawlReport(bytes=1_000))
    page.goto(f"/jobs/{running}")
    expect(page.locator("[data-figure=Received]")).to_have_text("1.0 kB")
    report(live_archive, running, CrawlReport(bytes=2_000))
    expect(page.locator("[data-figure=Received]")).to_have_text("2.0 kB", timeout=SECONDS)
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("#progress")).to_contain_text("It stops within seconds")
    context.close()
