"""Opening a capture in the browser through the site's own replay, with its rewriting."""

import asyncio
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from webstrata.errors import NotFoundError, TransientFetchError, UsageError
from webstrata.fetch.browser.launch import BrowserPage, BrowserPool, as_fetch_errors
from webstrata.fetch.browser.options import PageOptions
from webstrata.fetch.browser.rendering import QUIET_SECONDS, SCREENS, SCROLL
from webstrata.model.captures import ArchivedCapture
from webstrata.model.crawl.fetching import FetchResult
from webstrata.model.urls import parse_url
from webstrata.replay.browser.site import ReplaySite, is_own

if TYPE_CHECKING:
    from playwright.async_api import Frame, Request

SECONDS = 40.0
"""How long a capture may be open, including the start of its service worker."""

_GRACE_SECONDS = 5.0
_POLL_SECONDS = 0.05
_CAPTURED = re.compile(r"/web/\d{1,14}(?:[a-z]{2}_)?/(.+)", re.DOTALL)
_IS_ARCHIVED = "memento-datetime"
_IS_COMPLETE = "() => document.readyState === 'complete'"
_TEXT = "() => document.body ? document.body.innerText : ''"


@dataclass(frozen=True)
class ReplayedPage:
    """What the replay of a capture showed."""

    html: str
    text: str | None
    """None if the page is shown without scripts; then its text is that of the document."""
    requests: int
    """The number of requests for captures, including that of the page."""
    missing: tuple[str, ...]
    """The URLs of requests that failed, and of those that replay did not rewrite."""


@asynccontextmanager
async def open_replay(pool: BrowserPool, site: ReplaySite, capture: ArchivedCapture) -> AsyncIterator[ReplayedPage]:
    """Yield what a reader sees of a capture; NotFoundError or FetchError when it is not shown."""
    deadline = time.monotonic() + SECONDS
    blocked: set[str] = set()
    async with pool.open_page(PageOptions(has_service_workers=True), site) as opened:
        opened.page.on("requestfailed", lambda request: _note_blocked(request, blocked))
        try:
            # A page with an endless script does not respond to commands.
            async with asyncio.timeout(SECONDS + _GRACE_SECONDS):
                html, text = await _show(opened, site, capture, deadline)
        except TimeoutError:
            raise TransientFetchError("the page does not respond", kind="timeout") from None
        yield _seen(opened, blocked, html, text)


async def _show(
    opened: BrowserPage, site: ReplaySite, capture: ArchivedCapture, deadline: float
) -> tuple[str, str | None]:
    """Open a capture and return its document and its text."""
    with as_fetch_errors():
        await opened.page.goto(site.address_of(capture), wait_until="commit", timeout=SECONDS * 1000)
        if site.frame_path is None:
            return await _plain_document(opened, deadline), None
        frame = await _find_frame(opened, site.frame_path, deadline)
        await _settle(opened, frame, deadline)
        return await frame.content(), str(await frame.evaluate(_TEXT))


async def _plain_document(opened: BrowserPage, deadline: float) -> str:
    """Return the document of a page that is shown without scripts; our own scripts cannot run in it either."""
    await opened.proxy.wait_until_idle(QUIET_SECONDS, max(0.0, deadline - time.monotonic()))
    session = await opened.page.context.new_cdp_session(opened.page)
    root = (await session.send("DOM.getDocument", {"depth": 0}))["root"]
    return str((await session.send("DOM.getOuterHTML", {"nodeId": root["nodeId"]}))["outerHTML"])


async def _find_frame(opened: BrowserPage, frame_path: str, deadline: float) -> "Frame":
    """Return the frame that shows the capture, once there is one."""
    while time.monotonic() < deadline:
        for frame in opened.page.frames:
            if frame_path in frame.url:
                return frame
        await asyncio.sleep(_POLL_SECONDS)
    raise TransientFetchError("the replay did not start", kind="timeout")


async def _settle(opened: BrowserPage, frame: "Frame", deadline: float) -> None:
    """Scroll through a loaded page, and wait until it requests nothing more or the time is over."""
    while time.monotonic() < deadline:
        is_loaded = await frame.evaluate(_IS_COMPLETE)
        if is_loaded and opened.proxy.idle_seconds >= QUIET_SECONDS:
            break
        await asyncio.sleep(_POLL_SECONDS)
    await frame.evaluate(SCROLL, SCREENS)
    await opened.proxy.wait_until_idle(QUIET_SECONDS, max(0.0, deadline - time.monotonic()) / 2)


def _note_blocked(request: "Request", blocked: set[str]) -> None:
    """Record a request that the browser's policy for replayed pages refused: replay did not rewrite its URL."""
    reason = (request.failure or "").lower()
    if "csp" in reason or "blocked" in reason:
        blocked.add(request.url)


def _seen(opened: BrowserPage, blocked: set[str], html: str, text: str | None) -> ReplayedPage:
    found = {url: result for result in opened.proxy.exchanges if (url := _captured_url(result))}
    missing = {url for url, result in found.items() if result.header(_IS_ARCHIVED) is None}
    live = {url for url in (*opened.proxy.failures, *blocked) if not _is_ours(url)}
    if not found:
        raise NotFoundError("replay requested no capture")
    return ReplayedPage(html, text, len(found) + len(live), tuple(sorted(missing | live)))


def _captured_url(result: FetchResult) -> str:
    """Return the URL of the capture that a request was made for; empty for files of the site."""
    match = _CAPTURED.search(result.url)
    return unquote(match[1]) if match else ""


def _is_ours(url: str) -> bool:
    if url.startswith(("data:", "blob:", "about:")):
        return True
    try:
        return is_own(parse_url(url))
    except UsageError:
        return False
