"""The pages as people use them: a real server, a real browser."""

import os
import re
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.support.processes import running
from tests.web.archive import MAY, SITE, Answer, change, keep, queue
from tests.web.conftest import TOKEN
from webstrata.app import App, build_app
from webstrata.settings import Settings

PHONE = {"width": 360, "height": 740}
MONTHS = 40
LARGE_TEXT_PIXELS = 24


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """A page with a long history, pages with awkward titles and addresses, and jobs in every state."""
    app = build_app(Settings(data_dir=tmp_path_factory.mktemp("archive")))
    keep(app, [_fever(month) for month in range(MONTHS)])
    keep(
        app,
        [
            Answer(
                f"{SITE}heat", "Extreme heat", "Drink water. Nobody may run <script>document.title = 'ran'</script>."
            ),
            Answer(f"{SITE}{'a' * 400}", "W" * 300, "Fever " * 100, language="fr"),
            Answer(f"{SITE}gone", "Gone", "No fever page is here.", status=404),
        ],
    )
    change(app, queue(app), status="failed", status_reason="the server answered 503" * 20, pages_failed=1)
    change(app, queue(app), status="stopped", status_reason="stopped with 120 URLs to go")
    yield app
    app.close()


@pytest.fixture(scope="module")
def site(archive: App, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The origin of a server for that archive."""
    with _served(archive.settings.data_dir, tmp_path_factory.mktemp("server")) as origin:
        yield origin


@pytest.fixture
def context(browser: Browser, site: str) -> Iterator[BrowserContext]:
    opened = browser.new_context(base_url=site)
    yield opened
    opened.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()


PATHS = [
    "/",
    "/search?q=fever",
    "/search?q=fever&includeNon2xx=true&view=snapshots",
    "/search?q=zebra",
    "/search?from=x",
    "/sources",
    "/snapshot/20",
    f"/snapshot/{MONTHS + 1}",
    f"/snapshot/{MONTHS + 2}",
    "/jobs",
    "/jobs/1",
    "/jobs/3",
    "/jobs/4",
    "/nothing",
]


def test_one_can_search_and_read_with_the_keyboard_alone(page: Page) -> None:
    page.goto("/")
    _tab_to(page, "#q")
    page.keyboard.type("six hours fever")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("1 page says “six hours fever”")
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


def test_scripts_of_an_archived_page_do_not_run(page: Page) -> None:
    page.goto(f"/snapshot/{MONTHS + 1}")
    archived = page.frame_locator("iframe")
    expect(archived.get_by_role("heading", level=1)).to_have_text("Extreme heat")
    frame = next(frame for frame in page.frames if "/raw/" in frame.url)
    assert frame.title() == "Extreme heat"
    expect(page).to_have_title(re.compile("^Extreme heat"))


def test_the_strip_brings_the_current_capture_into_view(browser: Browser, site: str) -> None:
    context = browser.new_context(base_url=site, viewport=PHONE)  # type: ignore[arg-type]
    page = context.new_page()
    for number in (1, 20, MONTHS):
        page.goto(f"/snapshot/{number}")
        expect(page.locator(".tick[aria-current] .stroke")).to_be_in_viewport(ratio=1)
    context.close()


def test_times_tell_local_time_when_pointed_at(browser: Browser, site: str) -> None:
    context = browser.new_context(base_url=site, timezone_id="America/Toronto", locale="en-CA")
    page = context.new_page()
    page.goto("/snapshot/1")
    expect(page.locator(".kicker time")).to_have_text("3 May 2024, 12:05 UTC")
    expect(page.locator(".kicker time")).to_have_attribute("title", re.compile(r"8:05:09.*your time"))
    context.close()


def test_empty_filters_stay_out_of_the_address(page: Page, site: str) -> None:
    page.goto("/search?q=fever")
    page.get_by_label("Source").select_option("health")
    page.get_by_role("button", name="Apply").click()
    expect(page).to_have_url(f"{site}/search?q=fever&source=health")


def test_a_citation_is_copied_with_a_button(context: BrowserContext, site: str) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto("/snapshot/1")
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("status")).to_have_text("Copied.")
    assert page.evaluate("navigator.clipboard.readText()").endswith(f"{site}/snapshot/1")


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


def test_a_running_job_is_followed_until_it_is_done(page: Page, archive: App) -> None:
    problems = _problems_of(page)
    job_id = queue(archive)
    change(archive, job_id, status="running", started_at=datetime.now(UTC), pages_crawled=1, pages_total=9)
    page.goto(f"/jobs/{job_id}")
    page.evaluate("window.notReloaded = true")
    change(archive, job_id, pages_crawled=7)
    expect(page.locator("#progress")).to_contain_text("7 of 9")
    assert page.evaluate("window.notReloaded") is True
    change(archive, job_id, status="indexed", finished_at=datetime.now(UTC))
    expect(page.locator("#progress")).to_contain_text("✓ Done")
    assert page.evaluate("window.notReloaded") is None
    assert problems == []


@pytest.mark.parametrize("path", PATHS)
def test_pages_load_without_errors_or_violations_of_the_policy(page: Page, path: str) -> None:
    problems = _problems_of(page)
    page.goto(path)
    assert problems == []


@pytest.mark.parametrize("path", PATHS)
def test_no_page_scrolls_sideways_on_a_phone(browser: Browser, site: str, path: str) -> None:
    context = browser.new_context(base_url=site, viewport=PHONE)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(path)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    context.close()


@pytest.mark.parametrize("path", ["/", "/search?q=fever", "/snapshot/20", "/jobs", "/jobs/1"])
def test_nothing_moves_while_a_page_loads(page: Page, path: str) -> None:
    page.add_init_script(
        "window.shift = 0;"
        "new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.shift += entry.value; })"
        ".observe({ type: 'layout-shift', buffered: true });"
    )
    page.goto(path)
    assert page.evaluate("window.shift") == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PATHS)
def test_all_text_has_enough_contrast(browser: Browser, site: str, path: str, scheme: Any) -> None:
    context = browser.new_context(base_url=site, color_scheme=scheme)
    page = context.new_page()
    page.goto(path)
    found = page.evaluate(TEXT_COLOURS)
    assert len(found) > 10
    faint = [
        (text, round(ratio, 2))
        for text, ink, paper, pixels in found
        if (ratio := _contrast(ink, paper)) < (3 if pixels >= LARGE_TEXT_PIXELS else 4.5)
    ]
    assert faint == []
    context.close()


def test_dark_is_dark_and_light_is_light(browser: Browser, site: str) -> None:
    brightness = {}
    for scheme in ("light", "dark"):
        context = browser.new_context(base_url=site, color_scheme=scheme)
        page = context.new_page()
        page.goto("/")
        ink, paper = page.evaluate(
            "[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]"
        )
        brightness[scheme] = (_luminance(_channels(ink)), _luminance(_channels(paper)))
        context.close()
    dark_ink, light_paper = brightness["light"]
    light_ink, dark_paper = brightness["dark"]
    assert max(dark_ink, dark_paper) < 0.1
    assert min(light_ink, light_paper) > 0.6


@pytest.mark.parametrize("path", PATHS)
def test_text_is_at_least_16_pixels_large(page: Page, path: str) -> None:
    page.goto(path)
    assert [(text, pixels) for text, _, _, pixels in page.evaluate(TEXT_COLOURS) if pixels < 16] == []


def test_everything_works_without_javascript(browser: Browser, site: str) -> None:
    context = browser.new_context(base_url=site, java_script_enabled=False)
    page = context.new_page()
    page.goto("/")
    page.locator("#q").fill("fever six")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("link", name="Fever in children").click()
    expect(page.frame_locator("iframe").get_by_role("heading", level=1)).to_have_text("Fever in children")
    expect(page.get_by_role("button", name="Copy")).to_be_hidden()
    expect(page.get_by_role("button", name="Keys")).to_be_hidden()
    page.get_by_role("link", name="Older").click()
    page.goto("/search?q=fever")
    page.get_by_label("Also pages that were errors or redirects").check()
    page.get_by_role("button", name="Apply").click()
    expect(page.locator(".chip").first).to_have_text("✕ 404 Not Found")
    page.goto("/jobs")
    page.get_by_role("textbox", name="Archive a site").fill("https://example.net/")
    page.get_by_role("button", name="Archive").click()
    expect(page).to_have_url(re.compile(r"/jobs/\d+$"))
    context.close()


def test_administrators_sign_in_and_out(
    browser: Browser, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with _served(tmp_path, tmp_path_factory.mktemp("guarded"), WEBSTRATA_ADMIN_TOKEN=TOKEN) as origin:
        context = browser.new_context(base_url=origin)
        page = context.new_page()
        page.goto("/jobs")
        expect(page.get_by_role("heading", level=1)).to_have_text("This is for the people who run the archive")
        page.get_by_role("main").get_by_role("link", name="Sign in").click()
        page.get_by_label("Admin token").fill("wrong")
        page.keyboard.press("Enter")
        expect(page.get_by_text("That is not the admin token.")).to_be_visible()
        page.get_by_label("Admin token").fill(TOKEN)
        page.keyboard.press("Enter")
        expect(page).to_have_url(f"{origin}/jobs")
        expect(page.get_by_role("heading", level=1)).to_have_text("What is running?")
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_role("link", name="Sign in").first).to_be_visible()
        context.close()


TEXT_COLOURS = """() => {
  const found = [];
  const solid = (colour) => !/^rgba\\(.*, 0\\)$|^transparent$/.test(colour);
  const paperOf = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (solid(colour)) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  for (const element of document.body.querySelectorAll('*')) {
    const text = [...element.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data.trim()).join(' ').trim();
    const style = getComputedStyle(element);
    const shown = element.checkVisibility() && style.clipPath === 'none' && !element.closest('option');
    if (text && shown) found.push([text, style.color, paperOf(element), parseFloat(style.fontSize)]);
    if (element.placeholder && shown) {
      const hint = getComputedStyle(element, '::placeholder');
      found.push([element.placeholder, hint.color, paperOf(element), parseFloat(hint.fontSize)]);
    }
  }
  return found;
}"""


def _fever(month: int) -> Answer:
    hours = "six" if month % 3 else "four"
    text = f"Give a dose every {hours} hours while the fever lasts. Edition {month // 3}."
    if month == 0:
        text = "Give a dose every six hours while the fever lasts."
    return Answer(f"{SITE}fever", "Fever in children", text, MAY + timedelta(days=30 * month))


@contextmanager
def _served(data: Path, folder: Path, **settings: str) -> Iterator[str]:
    """Run the program's own server on a free port; no worker, so that jobs stay as they are."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    origin = f"http://127.0.0.1:{port}"
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("WEBSTRATA_", "HEALTH"))}
    environment = {**inherited, "WEBSTRATA_DATA_DIR": str(data), **settings}
    command = [sys.executable, "-m", "webstrata", "serve", "--no-worker", "--port", str(port)]
    with running(command, folder / "server.log", lambda: _answers(origin), environment=environment):
        yield origin


def _answers(origin: str) -> bool:
    try:
        with urlopen(f"{origin}/api/health", timeout=5) as response:
            return bool(response.status == 200)
    except (URLError, ConnectionError):
        return False


def _tab_to(page: Page, selector: str) -> None:
    for _ in range(60):
        if page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the Tab key does not reach {selector}")


def _problems_of(page: Page) -> list[str]:
    """Collect what goes wrong in our own documents; an archived page may ask for what its sandbox refuses."""
    problems: list[str] = []

    def note(message: Any) -> None:
        own_fault = "/api/snapshots/raw/" not in message.location.get("url", "") and "/raw/" not in message.text
        expected = message.text.startswith("Failed to load resource: the server responded with a status of 4")
        if message.type in {"error", "warning"} and own_fault and not expected:
            problems.append(message.text)

    page.on("console", note)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("requestfailed", lambda request: problems.append(request.url))
    return problems


def _contrast(ink: str, paper: str) -> float:
    brighter, darker = sorted((_luminance(_channels(ink)), _luminance(_channels(paper))), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


def _channels(colour: str) -> list[float]:
    return [float(part) / 255 for part in re.findall(r"[\d.]+", colour)[:3]]


def _luminance(channels: list[float]) -> float:
    """Relative luminance as WCAG 2 defines it."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
