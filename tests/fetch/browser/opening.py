"""Opening pages of a test's own servers in the browser, as the product does."""

import tempfile
from collections.abc import Callable, Coroutine
from pathlib import Path

import uvloop

from tests.fetch.fetching import ON_LOOPBACK
from webstrata.fetch.browser.fetcher import BrowserFetcher, RenderLimits
from webstrata.fetch.browser.options import Admit, BrowserOptions, PageOptions, admit_all
from webstrata.fetch.guard import NetworkGuard
from webstrata.model.crawl.fetching import FetchResult


def browser_fetcher(
    guard: NetworkGuard = ON_LOOPBACK, *, seconds: float = 60, max_bytes: int = 50_000_000, screenshots: bool = False
) -> BrowserFetcher:
    page = PageOptions(product="tester/1", max_bytes=max_bytes, request_timeout=20)
    return BrowserFetcher(BrowserOptions(guard), page, RenderLimits(seconds=seconds, screenshots=screenshots))


def render_all(
    *urls: str,
    used: BrowserFetcher | None = None,
    admit: Admit = admit_all,
    run: Callable[[Coroutine[None, None, list[FetchResult]]], list[FetchResult]] = uvloop.run,
) -> list[FetchResult]:
    """Open URLs one after the other."""

    async def render() -> list[FetchResult]:
        async with used or browser_fetcher() as fetcher:
            return [await fetcher.render(url, admit) for url in urls]

    return run(render())


def work_folders(worker: int) -> set[Path]:
    """Return the folders of the browsers of a process, alive or dead."""
    return set(Path(tempfile.gettempdir()).glob(f"webstrata-browser-{worker}-*"))
