"""Fetches live pages for comparison with a capture: guarded, polite, few at a time."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from urllib.parse import urljoin
from uuid import uuid4

from webstrata.coordination.permits import HostPermits, PermitStore, Politeness
from webstrata.errors import FetchError, PageTooLargeError, TooManyComparisonsError
from webstrata.fetch.choice import FetchOptions, fetcher_named
from webstrata.model.crawl.fetching import FetchResult
from webstrata.model.urls import host_of, parse_url

MAX_AT_ONCE = 2
"""The most live pages that a serving process fetches at the same time."""

MAX_PAGE_BYTES = 10_000_000
MAX_REDIRECTS = 5
MAX_SECONDS = 30.0
"""The time limit of permits and fetches together."""

_HOLD = timedelta(seconds=60)


@dataclass(frozen=True)
class LivePages:
    """Fetches single pages from the live web under the permits that crawls share."""

    options: FetchOptions
    permits: PermitStore
    politeness: Politeness
    _slots: threading.BoundedSemaphore = field(default_factory=lambda: threading.BoundedSemaphore(MAX_AT_ONCE))

    def fetch(self, url: str) -> FetchResult:
        """Return the response for a page, after redirects; raises for too large pages and too many requests at once."""
        with self._slot():
            result = asyncio.run(self._fetch_in_time(url))
        if result.truncated:
            raise PageTooLargeError(f"{result.url}: the page has more than {MAX_PAGE_BYTES:,} bytes")
        return result

    async def _fetch_in_time(self, url: str) -> FetchResult:
        try:
            async with asyncio.timeout(MAX_SECONDS):
                return await self._fetch(url)
        except TimeoutError:
            raise TooManyComparisonsError(f"{url}: its host is busy: try again in a minute") from None

    async def _fetch(self, url: str) -> FetchResult:
        permits = HostPermits(self.permits, f"live-{uuid4().hex}", self.politeness, _HOLD)
        async with fetcher_named("http", self.options) as fetcher:
            for _ in range(MAX_REDIRECTS + 1):
                async with permits.permit(host_of(url)):
                    result = await fetcher.fetch(url)
                if result.redirect_target is None:
                    return result
                url = parse_url(urljoin(url, result.redirect_target)).href
        raise FetchError(f"{url}: more than {MAX_REDIRECTS} redirects")

    @contextmanager
    def _slot(self) -> Iterator[None]:
        if not self._slots.acquire(blocking=False):
            raise TooManyComparisonsError("Too many live pages are being fetched: try again in a minute")
        try:
            yield
        finally:
            self._slots.release()
