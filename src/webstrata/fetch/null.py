"""The null fetcher: responses without a network, for dry runs and tests."""

import html
from collections.abc import Mapping
from datetime import UTC, datetime
from types import TracebackType
from typing import Self

from webstrata.fetch.wire import read_head
from webstrata.model.crawl.fetching import FetchResult
from webstrata.model.urls import host_of, origin_of, parse_url

_MARKED = "X-Webstrata-Fetcher: null\r\n"
"""The header that marks an exchange as not real."""


class NullFetcher:
    """Sends nothing; every URL returns a page that explains this and has no links, so a dry run ends with its seeds."""

    async def __aenter__(self) -> Self:
        """Open nothing."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close nothing."""

    async def fetch(self, url: str, conditions: Mapping[str, str] | None = None) -> FetchResult:
        """Return the placeholder page of a URL; its request, never sent, is marked like the response."""
        href = parse_url(url).href
        body = _page(href)
        head = read_head(
            f"HTTP/1.1 200 OK\r\n{_MARKED}Content-Type: text/html; charset=utf-8\r\n"
            f"Content-Length: {len(body)}\r\n\r\n".encode()
        )
        return FetchResult(
            url=href,
            fetched_at=datetime.now(UTC),
            request_head=_request(href),
            status=head.status,
            reason=head.reason,
            http_version=head.http_version,
            headers=head.headers,
            body=body,
            response_head=head.raw,
        )


def _request(href: str) -> bytes:
    target = href[len(origin_of(href)) :]
    return f"GET {target} HTTP/1.1\r\nHost: {host_of(href)}\r\n{_MARKED}\r\n".encode()


def _page(href: str) -> bytes:
    shown = html.escape(href)
    return f"<!doctype html><title>Dry run: {shown}</title><p>Nothing was fetched from {shown}.</p>\n".encode()
