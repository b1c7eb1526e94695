"""Opening a capture in the browser, without the network."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from webstrata.errors import FetchError, NotFoundError
from webstrata.fetch.browser.launch import BrowserPage, BrowserPool, as_fetch_errors
from webstrata.fetch.browser.options import PageOptions
from webstrata.fetch.browser.rendering import wait_until_loaded
from webstrata.model.captures import ArchivedCapture
from webstrata.model.urls import parse_url
from webstrata.replay.browser.archived import ArchivedResponses
from webstrata.replay.finding import ReplayArchive

SECONDS = 30.0
"""How long a capture may be open; there is no network, so only the disk and the page's scripts take time."""


@dataclass(frozen=True)
class OpenCapture:
    """A capture that is open in the browser."""

    page: BrowserPage
    deadline: float


@asynccontextmanager
async def open_capture(
    pool: BrowserPool, archive: ReplayArchive, capture: ArchivedCapture, options: PageOptions
) -> AsyncIterator[OpenCapture]:
    """Yield a capture after it has loaded; NotFoundError when it cannot be read, FetchError when it does not open."""
    url = parse_url(capture.url).href
    deadline = time.monotonic() + SECONDS
    async with pool.open_page(options, ArchivedResponses(archive, capture.captured_at)) as opened:
        try:
            with as_fetch_errors():
                await opened.page.goto(url, wait_until="commit", timeout=SECONDS * 1000)
                await wait_until_loaded(opened, deadline)
        except FetchError:
            if (reason := opened.proxy.failures.get(url)) is not None:
                raise NotFoundError(str(reason)) from reason
            raise
        yield OpenCapture(opened, deadline)
