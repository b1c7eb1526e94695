"""The browser fetcher: captures a page with everything that it loads, each response as it was received."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Self

import structlog

from webstrata.errors import FetchError, TransientFetchError, UsageError
from webstrata.fetch.browser.holding import hold_page
from webstrata.fetch.browser.launch import BrowserPage, BrowserPool
from webstrata.fetch.browser.options import Admit, BrowserOptions, PageOptions, admit_all
from webstrata.fetch.browser.rendering import render, wait_until_loaded
from webstrata.model.crawl.fetching import FetchResult
from webstrata.model.urls import MAX_URL_LENGTH, parse_url

log = structlog.get_logger()

_HTML = ("text/html", "application/xhtml+xml")
_LOAD_SHARE = 0.5
_RENDER_SHARE = 0.9
"""The share of a page's time after which a page that hangs is used as the server sent it."""
_WITHOUT_PAGE = frozenset({204, 205, 304})
"""Statuses for which browsers remain on the current page."""

_PARTIAL = frozenset({206, 304})


@dataclass(frozen=True)
class RenderLimits:
    """The number of pages open at once, and the limits of each."""

    pages: int = 2
    seconds: float = 60.0
    """Seconds for one page, without opening and closing it; its load may take half of them."""
    screenshots: bool = True


class BrowserFetcher:
    """Fetches pages by opening them in Chromium; redirects are returned and not followed, as by the HTTP fetcher."""

    def __init__(self, options: BrowserOptions, page: PageOptions, limits: RenderLimits) -> None:
        """Prepare; MissingExtraError when Playwright or Chromium is not installed."""
        self._pool = BrowserPool(options)
        self._page = page
        self._limits = limits
        self._slots = asyncio.Semaphore(limits.pages)

    async def __aenter__(self) -> Self:
        """Prepare connections; the browser starts with the first page."""
        await self._pool.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the browser."""
        await self._pool.__aexit__(kind, error, trace)

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Wait until a page may be opened; callers acquire a host's permit inside, so that they hold it no longer than
        needed."""
        async with self._slots:
            yield

    async def render(self, url: str, admit: Admit = admit_all) -> FetchResult:
        """Return the response to a GET, with its rendering if it is a page; `admit` decides what the page may request.

        FetchError when there is none; TransientFetchError when trying later may help.
        """
        href = parse_url(url).href

        async def admit_others(requested: str) -> bool:
            return requested == href or await admit(requested)

        try:
            async with self._pool.open_page(replace(self._page, admit=admit_others)) as opened:
                async with asyncio.timeout(self._limits.seconds):
                    return await self._visit(opened, href)
        except TimeoutError:
            raise TransientFetchError(f"{href}: the browser takes too long", kind="timeout") from None
        except FetchError as error:
            raise type(error)(f"{href}: {error}", kind=error.kind) from error

    async def _visit(self, opened: BrowserPage, href: str) -> FetchResult:
        proxy = opened.proxy
        proxy.stops_at = lambda result: result.capture_url == href and not _is_shown(result)
        navigations: list[str] = []
        await _keep_on_page(opened, href, navigations)
        started = time.monotonic()
        await _load(opened, href, self._limits.seconds * _LOAD_SHARE)
        main = next((result for result in proxy.exchanges if result.capture_url == href), None)
        if main is None:
            raise proxy.failures.get(href) or TransientFetchError("the browser did not load it", kind="browser")
        if not _is_shown(main):
            return main
        deadline = started + self._limits.seconds * _RENDER_SHARE
        rendering = await render(opened, deadline, screenshot=self._limits.screenshots)
        resources = _resources(proxy.exchanges, href)
        return replace(main, rendering=replace(rendering, resources=resources, navigations=_addresses(navigations)))


def _is_shown(result: FetchResult) -> bool:
    """Return whether a browser shows a response as a page: it is not a redirect, a download or a transient error."""
    content_type = (result.header("content-type") or "").partition(";")[0].strip().lower()
    is_html = content_type in _HTML or not content_type
    is_file = (result.header("content-disposition") or "").strip().lower().startswith("attachment")
    is_page = is_html and not is_file and result.status not in _WITHOUT_PAGE
    return is_page and result.redirect_target is None and not result.transient


def _resources(exchanges: Sequence[FetchResult], href: str) -> tuple[FetchResult, ...]:
    """Return the responses that belong to the page's capture, the first of each URL; what is incomplete is left out."""
    found: dict[str, FetchResult] = {}
    for result in exchanges:
        is_whole = not result.transient and result.status not in _PARTIAL and result.truncated is None
        url = result.capture_url
        if is_whole and url != href and len(url) <= MAX_URL_LENGTH:
            found.setdefault(url, result)
    return tuple(found.values())


async def _keep_on_page(opened: BrowserPage, href: str, navigations: list[str]) -> None:
    """Block navigations of the page to other pages and record their URLs, so that the crawl decides about them."""
    await hold_page(opened.page, lambda url: _address(url) == href, navigations)


def _addresses(urls: Sequence[str]) -> tuple[str, ...]:
    return tuple(address for url in urls if (address := _address(url)))


def _address(url: str) -> str:
    try:
        return parse_url(url).href
    except UsageError:
        return ""


async def _load(opened: BrowserPage, href: str, seconds: float) -> None:
    """Open the URL and wait until it is loaded; after a time limit, continue with what has loaded."""
    from playwright.async_api import Error

    deadline = time.monotonic() + seconds
    try:
        # Not until "load": after a blocked navigation a page may never report that it is loaded.
        await opened.page.goto(href, wait_until="commit", timeout=seconds * 1000)
        await wait_until_loaded(opened, deadline)
    except Error as error:
        log.debug("browser.load.incomplete", url=href, reason=error.message.partition("\n")[0])
