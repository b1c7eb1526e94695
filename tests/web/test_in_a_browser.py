"""The pages as people use them: a real server, a real browser."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from playwright.sync_api import Error as PlaywrightError

from tests.support.web_server import Answer, WebServer
from tests.web.archive import change, queue
from tests.web.conftest import TOKEN
from tests.web.live import LINKED, MONTHS, PHONE, problems_of, served
from webstrata.app import App


def test_one_can_search_and_read_with_the_keyboard_alone(page: Page) -> None:
    page.goto("/")
    _tab_to(page, "#q")
    page.keyboard.type("six hours fever")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(
        "2 pages with words of “six hours fever”, 1 with all of them"
    )
    _tab_to(page, ".capture-title a")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Fever in children")
    _tab_to(page, ".strip a")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/snapshot/1$"))


def test_what_has_the_focus_is_visible(page: Page) -> None:
    page.goto("/search?q=fever")
    for _ in range(12):
        page.keyboard.press("Tab")
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline not in {"none", ""}, page.evaluate("document.activeElement.outerHTML")


def test_the_skip_link_leads_past_the_header(page: Page) -> None:
    page.goto("/sources")
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()


@pytest.mark.parametrize("path", ["/", "/search?q=fever", "/sources", "/snapshot/1"])
def test_a_slash_focuses_the_search_box(page: Page, path: str) -> None:
    page.goto(path)
    page.keyboard.press("/")
    expect(page.locator("#q")).to_be_focused()
    page.keyboard.type("and/or")
    expect(page.locator("#q")).to_have_value("and/or")


def test_a_question_mark_lists_the_keys(page: Page) -> None:
    page.goto("/snapshot/2")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    expect(page.get_by_role("dialog")).to_contain_text("Older capture")
    page.keyboard.press("Escape")
    expect(page.locator("#keys")).to_be_hidden()
    page.get_by_role("button", name="Keys").click()
    page.get_by_role("button", name="Close").click()
    expect(page.locator("#keys")).to_be_hidden()


def test_keys_lead_to_other_pages(page: Page) -> None:
    page.goto("/snapshot/2")
    page.keyboard.press("]")
    expect(page).to_have_url(re.compile(r"/snapshot/3$"))
    page.keyboard.press("[")
    expect(page).to_have_url(re.compile(r"/snapshot/2$"))
    page.keyboard.press("g")
    page.keyboard.press("s")
    expect(page).to_have_url(re.compile(r"/sources$"))


def test_keys_can_be_switched_off(page: Page) -> None:
    page.goto("/snapshot/2")
    page.keyboard.press("?")
    page.get_by_label("Use these keys").uncheck()
    page.keyboard.press("Escape")
    page.reload()
    page.keyboard.press("/")
    expect(page.locator("#q")).not_to_be_focused()
    page.keyboard.press("?")
    expect(page.get_by_label("Use these keys")).not_to_be_checked()


def test_the_viewer_shows_the_archived_page(page: Page) -> None:
    page.goto("/snapshot/1")
    archived = page.frame_locator("iframe")
    expect(archived.get_by_role("heading", level=1)).to_have_text("Fever in children")
    expect(archived.locator("p")).to_contain_text("every six hours")
    page.get_by_role("link", name="Newer →").click()
    expect(page.locator(".kicker time")).to_have_text("2 June 2024, 12:05 UTC")


def test_scripts_of_a_page_that_is_shown_as_plain_html_do_not_run(page: Page) -> None:
    page.goto(f"/snapshot/{MONTHS + 1}?view=plain")
    archived = page.frame_locator("iframe")
    expect(archived.get_by_role("heading", level=1)).to_have_text("Extreme heat")
    frame = next(frame for frame in page.frames if "/raw/" in frame.url)
    assert frame.title() == "Extreme heat"
    expect(page).to_have_title(re.compile("^Extreme heat"))


def test_links_and_forms_of_a_page_as_plain_html_lead_nowhere(page: Page) -> None:
    page.goto(f"/snapshot/{LINKED}?view=plain")
    frame = page.frames[1]
    address = frame.url
    for name in ("plain", "self", "top", "blank", "away", "drawn", "button", "field"):
        frame.locator(f"#{name}").click(force=True)
        frame.locator(f"#{name}").click(force=True, modifiers=["Control"])
        frame.locator(f"#{name}").press("Enter")
    frame.locator("img").click(position={"x": 30, "y": 30}, force=True)
    focused = "document.activeElement?.id ?? ''"
    reached = set()
    frame.locator("body").click(position={"x": 1, "y": 1})
    for _ in range(20):
        page.keyboard.press("Tab")
        reached.add(frame.evaluate(focused))
        page.keyboard.press("Enter")
    assert "within" in reached
    assert not reached & {"plain", "self", "top", "blank", "away", "drawn", "area"}
    assert frame.url.removesuffix("#end") == address
    assert (page.url.rpartition("/")[2], len(page.context.pages)) == (f"{LINKED}?view=plain", 1)
    assert frame.locator("h1").inner_text() == "Linked"
    page.get_by_role("link", name="Fever in children").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Fever in children")


def test_the_strip_brings_the_current_capture_into_view(browser: Browser, live_site: str) -> None:
    context = browser.new_context(base_url=live_site, viewport=PHONE)
    page = context.new_page()
    for number in (1, 20, MONTHS):
        page.goto(f"/snapshot/{number}")
        expect(page.locator(".tick[aria-current] .stroke")).to_be_in_viewport(ratio=1)
    context.close()


def test_times_tell_local_time_when_pointed_at(browser: Browser, live_site: str) -> None:
    context = browser.new_context(base_url=live_site, timezone_id="America/Toronto", locale="en-CA")
    page = context.new_page()
    page.goto("/snapshot/1")
    expect(page.locator(".kicker time")).to_have_text("3 May 2024, 12:05 UTC")
    expect(page.locator(".kicker time")).to_have_attribute("title", re.compile(r"8:05:09.*your time"))
    context.close()


def test_letters_and_arrows_walk_through_the_results(page: Page) -> None:
    page.goto("/search?q=fever&view=snapshots&sort=newest")
    titles = page.locator(".capture-title a")
    for key, reached in (("j", 0), ("j", 1), ("k", 0), ("k", 0), ("ArrowDown", 1), ("ArrowUp", 0)):
        page.keyboard.press(key)
        expect(titles.nth(reached)).to_be_focused()
    page.keyboard.press("/")
    page.keyboard.press("ArrowDown")
    expect(titles.first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(rf"/snapshot/{MONTHS}$"))


def test_arrows_scroll_where_no_result_has_the_focus(page: Page) -> None:
    page.goto("/search?q=fever&view=snapshots")
    page.keyboard.press("ArrowDown")
    expect(page.locator("body")).to_be_focused()


def test_a_search_is_narrowed_down_and_widened_without_javascript(browser: Browser, live_site: str) -> None:
    context = browser.new_context(base_url=live_site, java_script_enabled=False)
    page = context.new_page()
    page.goto("/search?q=fever&view=snapshots")
    page.locator(".facet").get_by_role("link", name="2025").click()
    expect(page).to_have_url(f"{live_site}/search?q=fever&year=2025&view=snapshots")
    page.get_by_label("As of").fill("2025-02-01")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_text("The archive as of the end of 1 February 2025.")).to_be_visible()
    page.get_by_role("link", name="Remove filter: 2025").click()
    expect(page).to_have_url(f"{live_site}/search?q=fever&asOf=2025-02-01&view=snapshots")
    context.close()


@pytest.mark.parametrize("path", ["/search?q=fever&view=snapshots&page=2", "/search/appearances?q=six+hours"])
def test_search_fits_the_narrowest_phone(browser: Browser, live_site: str, path: str) -> None:
    context = browser.new_context(base_url=live_site, viewport={"width": 320, "height": 640})
    page = context.new_page()
    page.goto(path)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    context.close()


def test_empty_filters_stay_out_of_the_address(page: Page, live_site: str) -> None:
    page.goto("/search?q=fever")
    page.get_by_label("Source").select_option("health")
    page.get_by_role("button", name="Apply").click()
    expect(page).to_have_url(f"{live_site}/search?q=fever&source=health")


def test_a_citation_is_copied_with_a_button(context: BrowserContext, live_site: str) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto("/snapshot/1")
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("status")).to_have_text("Copied.")
    assert page.evaluate("navigator.clipboard.readText()").splitlines()[3] == f"{live_site}/snapshot/1"


def test_a_capture_is_downloaded_as_a_file(page: Page) -> None:
    page.goto("/snapshot/1")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    assert download.value.suggested_filename == "snapshot-1.html"
    assert b"every six hours" in download.value.path().read_bytes()


def test_the_form_of_our_own_page_may_archive(page: Page) -> None:
    page.goto("/jobs")
    page.get_by_role("textbox", name="Archive a site").fill("nonsense")
    page.get_by_role("button", name="Archive").click()
    expect(page.get_by_text("is not a web address")).to_be_visible()
    page.get_by_role("textbox", name="Archive a site").fill("https://example.org/")
    page.get_by_role("button", name="Archive").click()
    expect(page).to_have_url(re.compile(r"/jobs/\d+$"))
    expect(page.locator("#progress")).to_contain_text("Queued")


def test_a_running_job_is_followed_until_it_is_done(page: Page, live_archive: App) -> None:
    problems = problems_of(page)
    job_id = queue(live_archive)
    change(live_archive, job_id, status="running", started_at=datetime.now(UTC), pages_crawled=1, pages_total=9)
    page.goto(f"/jobs/{job_id}")
    page.evaluate("window.notReloaded = true")
    change(live_archive, job_id, pages_crawled=7)
    expect(page.locator("#progress")).to_contain_text("7 of 9")
    assert page.evaluate("window.notReloaded") is True
    change(live_archive, job_id, status="indexed", finished_at=datetime.now(UTC))
    expect(page.locator("#progress")).to_contain_text("✓ Done")
    assert page.evaluate("window.notReloaded") is None
    assert problems == []


def test_the_list_of_jobs_is_followed_too(page: Page, live_archive: App) -> None:
    problems = problems_of(page)
    job_id = queue(live_archive)
    page.goto("/jobs")
    page.get_by_role("textbox", name="Archive a site").fill("https://half-typed")
    change(live_archive, job_id, status="running", started_at=datetime.now(UTC), pages_crawled=4_321)
    expect(page.locator("#jobs")).to_contain_text("4,321", timeout=20_000)
    expect(page.get_by_role("textbox", name="Archive a site")).to_have_value("https://half-typed")
    change(live_archive, job_id, status="indexed")
    assert problems == []


def test_everything_works_without_javascript(browser: Browser, live_site: str) -> None:
    context = browser.new_context(base_url=live_site, java_script_enabled=False)
    page = context.new_page()
    page.goto("/")
    page.locator("#q").fill("fever six")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("link", name="Fever in children").click()
    page.get_by_role("link", name="Plain HTML").click()
    expect(page.frame_locator("iframe").get_by_role("heading", level=1)).to_have_text("Fever in children")
    expect(page.get_by_role("button", name="Copy")).to_be_hidden()
    expect(page.get_by_role("button", name="Keys")).to_be_hidden()
    page.get_by_role("link", name="Older").click()
    page.goto("/search?q=fever")
    page.get_by_label("Include error pages and redirects").check()
    page.get_by_role("button", name="Apply").click()
    expect(page.locator(".chip").first).to_have_text("✕ 404 Not Found")
    page.goto("/jobs")
    page.get_by_role("textbox", name="Archive a site").fill("https://example.net/")
    page.get_by_role("button", name="Archive").click()
    expect(page).to_have_url(re.compile(r"/jobs/\d+$"))
    context.close()


def test_administrators_sign_in_and_out(browser: Browser, live_archive: App, tmp_path: Path) -> None:
    with served(live_archive.settings, tmp_path, WEBSTRATA_ADMIN_TOKEN=TOKEN) as origin:
        context = browser.new_context(base_url=origin)
        page = context.new_page()
        page.goto("/jobs")
        expect(page.get_by_role("heading", level=1)).to_have_text("Administrators only")
        page.get_by_role("main").get_by_role("link", name="Sign in").click()
        page.get_by_label("Admin token").fill("wrong")
        page.keyboard.press("Enter")
        expect(page.get_by_text("That is not the admin token.")).to_be_visible()
        page.get_by_label("Admin token").fill(TOKEN)
        page.keyboard.press("Enter")
        expect(page).to_have_url(f"{origin}/jobs")
        expect(page.get_by_role("heading", level=1)).to_have_text("Jobs")
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_role("link", name="Sign in").first).to_be_visible()
        context.close()


FRONT_END = """<!doctype html><title>A front end</title><main></main><script>
async function asked(path, init) {
    const answer = await fetch(api + path, init);
    return [answer.status, await answer.json()];
}
function framed(address) {
    const frame = Object.assign(document.createElement("iframe"), {src: address, name: address});
    document.querySelector("main").append(frame);
}
</script>"""
"""Somebody's own pages over our API, on an origin of their own."""


def test_a_front_end_on_another_origin_reads_reports_and_shows_captures(
    page: Page, live_site: str, front_end: WebServer
) -> None:
    front_end.answers["/"] = Answer(FRONT_END.encode())
    page.goto(front_end.url())
    page.evaluate("origin => { window.api = origin }", live_site)
    headers = {"Content-Type": "application/json", "X-Requested-With": "XMLHttpRequest"}
    status, found = page.evaluate("args => asked(...args)", ["/api/search?q=fever", {"headers": headers}])
    hit = found["results"][0]
    assert (status, hit["title"]) == (200, "Fever in children")
    assert page.evaluate("asked('/api/snapshot/99999')") == [404, {"detail": "Snapshot not found"}]
    said = json.dumps({"category": "takedown", "description": "Please take my name off this page."})
    report = {"method": "POST", "headers": headers, "body": said}
    status, receipt = page.evaluate("args => asked(...args)", ["/api/reports", report])
    assert (status, receipt["status"]) == (201, "new")
    for address in (f"{live_site}/snapshot/{hit['id']}", f"{live_site}{hit['rawSnapshotUrl']}", hit["browseUrl"]):
        page.evaluate("framed", address)
        shown = page.frame_locator(f"iframe[name='{address}']")
        expect(shown.get_by_role("heading", level=1)).to_have_text("Fever in children")
    with pytest.raises(PlaywrightError, match="Failed to fetch"):
        page.evaluate("asked('/api/admin/jobs')")


def _tab_to(page: Page, selector: str) -> None:
    for _ in range(60):
        if page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the Tab key does not reach {selector}")
