"""Renders an opened page after it has settled: its document, its text and a screenshot."""

import asyncio
import time
from typing import TYPE_CHECKING, Any

import structlog

from webstrata.fetch.browser.failures import page_error
from webstrata.model.crawl.fetching import Rendering

if TYPE_CHECKING:
    from webstrata.fetch.browser.launch import BrowserPage

log = structlog.get_logger()

QUIET_SECONDS = 0.5
"""A page has settled when it requested nothing for so long ("network idle")."""

_STUCK_SECONDS = 2.0
_POLL_SECONDS = 0.05
SCREENS = 40
"""Screens that a page is scrolled through at most."""
_MAX_TEXT = 5_000_000
_MAX_HTML = 50_000_000

SCROLL = """
async (screens) => {
  const pause = () => new Promise((resolve) => setTimeout(resolve, 40));
  for (let step = 1; step <= screens; step += 1) {
    window.scrollTo(0, step * window.innerHeight);
    await pause();
    if (window.scrollY + window.innerHeight >= document.documentElement.scrollHeight - 1) break;
  }
}
"""
_IS_COMPLETE = "() => document.readyState === 'complete'"
_TEXT = "() => document.body ? document.body.innerText : ''"
_TO_TOP = "() => window.scrollTo(0, 0)"


async def render(opened: "BrowserPage", deadline: float, *, screenshot: bool) -> Rendering:
    """Return the content of a page after scrolling to its lazy parts; parts that take too long are left out."""
    await settle(opened, deadline)
    page, problems = opened.page, list[str]()
    html = await _in_time(page.content(), deadline, "", problems)
    text = await _in_time(page.evaluate(_TEXT), deadline, "", problems)
    picture = None
    if screenshot:
        picture = await _in_time(page.screenshot(animations="disabled"), deadline, None, problems)
    if problems:
        log.info("browser.render.incomplete", url=page.url, reason=problems[0])
    document = str(html)[:_MAX_HTML].encode("utf-8", "replace")
    return Rendering(document, str(text)[:_MAX_TEXT], picture, problem=problems[0] if problems else "")


async def wait_until_loaded(opened: "BrowserPage", deadline: float) -> None:
    """Wait until a page is loaded and requests nothing; a page that never finishes loading counts after a longer idle
    time."""
    while time.monotonic() < deadline:
        is_complete = await _in_time(opened.page.evaluate(_IS_COMPLETE), deadline, False)
        if opened.proxy.idle_seconds >= (QUIET_SECONDS if is_complete else _STUCK_SECONDS):
            return
        await asyncio.sleep(_POLL_SECONDS)


async def settle(opened: "BrowserPage", deadline: float) -> None:
    """Scroll through a loaded page so that its lazy images load, and wait until it requests nothing more."""
    await _in_time(opened.page.evaluate(SCROLL, SCREENS), deadline, None)
    # Images are requested when they come near the window, so all requests have begun now.
    await opened.proxy.wait_until_idle(QUIET_SECONDS / 2, _seconds_left(deadline) / 2)
    await _in_time(opened.page.evaluate(_TO_TOP), deadline, None)


async def _in_time(step: Any, deadline: float, otherwise: Any, problems: list[str] | None = None) -> Any:  # noqa: ANN401 - what pages return has any type
    """Return the result of a step on a page; `otherwise` when the page hangs, crashes or has navigated."""
    from playwright.async_api import Error

    try:
        async with asyncio.timeout(_seconds_left(deadline)):
            return await step
    except Error as error:
        reason = str(page_error(error.message))
    except TimeoutError:
        reason = "the page takes too long"
    if problems is not None:
        problems.append(reason)
    return otherwise


def _seconds_left(deadline: float) -> float:
    return max(0.0, deadline - time.monotonic())
