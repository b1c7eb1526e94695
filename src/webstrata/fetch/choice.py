"""Chooses the fetcher of a job by its name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from webstrata.errors import UsageError
from webstrata.fetch.browser.fetcher import BrowserFetcher, RenderLimits
from webstrata.fetch.browser.launch import CLOSE_SECONDS
from webstrata.fetch.browser.options import MOST_AT_ONCE, BrowserOptions, PageOptions
from webstrata.fetch.fetcher import Fetcher
from webstrata.fetch.guard import NetworkGuard
from webstrata.fetch.http import HttpFetcher
from webstrata.fetch.null import NullFetcher


@dataclass(frozen=True)
class FetchOptions:
    """Options of a fetcher, from the job and the settings."""

    guard: NetworkGuard
    user_agent: str
    timeout: float
    max_body_bytes: int
    connections: int
    max_buffered_bytes: int
    proxy: str | None = field(default=None, repr=False)
    """The address of an HTTP proxy; it may hold a password."""
    chromium: Path | None = None
    """The Chromium of the browser fetcher; None to look for an installed one."""
    pages: int = 2
    """Pages that are open in the browser at once."""
    screenshots: bool = True


def fetcher_named(name: str, options: FetchOptions) -> Fetcher:
    """Return a fetcher by its name; UsageError for an unknown name."""
    if name not in FETCHERS:
        raise UsageError(f"there is no fetcher {name!r} (there are: {', '.join(FETCHERS)})")
    return FETCHERS[name](options)


def renderer_named(name: str, options: FetchOptions) -> BrowserFetcher | None:
    """Return the browser of the fetchers that use one, else None; MissingExtraError when it is not installed."""
    if name not in WITH_BROWSER:
        return None
    browser = BrowserOptions(
        options.guard,
        options.chromium,
        options.timeout,
        connections=MOST_AT_ONCE * options.pages,
        proxy=options.proxy,
    )
    page = PageOptions(
        product=options.user_agent,
        max_bytes=max(options.max_buffered_bytes // options.pages, 1),
        max_body_bytes=options.max_body_bytes,
        request_timeout=options.timeout,
    )
    limits = RenderLimits(options.pages, seconds=2 * options.timeout, screenshots=options.screenshots)
    return BrowserFetcher(browser, page, limits)


def page_seconds(timeout: float) -> float:
    """Return how long a page may be open, from its first request until it is closed."""
    return 2 * timeout + CLOSE_SECONDS


def _http(options: FetchOptions) -> Fetcher:
    return HttpFetcher(
        options.guard,
        user_agent=options.user_agent,
        timeout=options.timeout,
        max_body_bytes=options.max_body_bytes,
        connections=options.connections,
        max_buffered_bytes=options.max_buffered_bytes,
        proxy=options.proxy,
    )


def _null(_options: FetchOptions) -> Fetcher:
    return NullFetcher()


FETCHERS: Mapping[str, Callable[[FetchOptions], Fetcher]] = {
    "http": _http,
    "null": _null,
    "browser": _http,
    "auto": _http,
}
"""Fetchers by name; those with a browser fetch robots.txt, sitemaps and single files over HTTP as well."""

WITH_BROWSER = frozenset({"browser", "auto"})
