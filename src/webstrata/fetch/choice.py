"""Which fetcher a job uses, by its name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from webstrata.errors import UsageError
from webstrata.fetch.fetcher import Fetcher
from webstrata.fetch.guard import NetworkGuard
from webstrata.fetch.http import HttpFetcher
from webstrata.fetch.null import NullFetcher


@dataclass(frozen=True)
class FetchOptions:
    """What a job and the operator want of a fetcher, whichever it is."""

    guard: NetworkGuard
    user_agent: str
    timeout: float
    max_body_bytes: int
    connections: int
    max_buffered_bytes: int
    proxy: str | None = field(default=None, repr=False)
    """The address of an HTTP proxy; it may hold a password."""


def fetcher_named(name: str, options: FetchOptions) -> Fetcher:
    """Return a fetcher by its name; UsageError when there is none of that name."""
    if name not in FETCHERS:
        raise UsageError(f"there is no fetcher {name!r} (there are: {', '.join(FETCHERS)})")
    return FETCHERS[name](options)


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


FETCHERS: Mapping[str, Callable[[FetchOptions], Fetcher]] = {"http": _http, "null": _null}
