"""The HTTP fetcher: one request, one response, stored exactly as received.

It has its own client, because an archive needs the exact bytes of both heads, connections only to checked addresses,
and several thousand responses per second; general clients lack at least one of these.
"""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from http import HTTPStatus
from types import TracebackType
from typing import Self

from webstrata.errors import FetchError, TransientFetchError
from webstrata.fetch.budget import BodyBudget, Download
from webstrata.fetch.connections import ConnectionPool, Endpoint
from webstrata.fetch.dial import Dialer, proxy_refusal
from webstrata.fetch.guard import NetworkGuard
from webstrata.fetch.proxy import Proxy
from webstrata.fetch.resolve import GuardedResolver
from webstrata.fetch.wire import ResponseParser, WireResponse
from webstrata.model.crawl.fetching import FetchResult
from webstrata.model.urls import UrlParts, host_of, origin_of, parse_url

_DEFAULT_PORTS = {"http": 80, "https": 443}
_MILLISECOND = timedelta(milliseconds=1)
_ACCEPTED = b"Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\nAccept-Encoding: gzip, deflate, br\r\n"
"""Without zstd, which we support but many replay tools do not."""

_UNBROKEN = bytes.maketrans(b"\r\n\0", b"   ")
"""A line break in a value would start a new header."""


class HttpFetcher:
    """Fetches over HTTP/1.1 without following redirects; every address passes the guard."""

    def __init__(
        self,
        guard: NetworkGuard,
        *,
        user_agent: str,
        timeout: float,
        max_body_bytes: int,
        connections: int,
        max_buffered_bytes: int,
        proxy: str | None = None,
    ) -> None:
        """Prepare a fetcher; connections open when it is entered.

        All bodies in memory together have at most `max_buffered_bytes`, plus one body. With a proxy, the guard still
        checks literal addresses and names that resolve here, but the proxy resolves names again: it should refuse
        private networks itself.
        """
        self._guard = guard
        self._timeout = timeout
        self._connections = connections
        self._max_buffered_bytes = max_buffered_bytes
        self._proxy = Proxy.of(proxy) if proxy else None
        self._new_parser = partial(ResponseParser, max_body_bytes)
        self._constant_headers = b"User-Agent: " + _one_line(user_agent.encode()) + b"\r\n" + _ACCEPTED
        self._resolver = GuardedResolver(guard)
        self._pool: ConnectionPool | None = None
        self._budget: BodyBudget | None = None

    async def __aenter__(self) -> Self:
        """Open the connection pool."""
        self._resolver = GuardedResolver(self._guard)
        dialer = Dialer(self._resolver, self._timeout, self._proxy)
        self._pool = ConnectionPool(self._connections, dialer.dial)
        self._budget = BodyBudget(self._max_buffered_bytes)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connection pool."""
        if self._pool is not None:
            self._pool.close()
        # One iteration of the event loop closes the sockets.
        await asyncio.sleep(0)

    async def fetch(self, url: str, conditions: Mapping[str, str] | None = None) -> FetchResult:
        """Return the response to a GET, or raise FetchError; TransientFetchError when trying later may help.

        Conditions are headers that let the server respond that nothing has changed. A body cut at the limit is returned
        and marked as truncated; one that breaks off is an error (see `ResponseParser`). The timeout does not run while
        the fetch waits for free memory.
        """
        assert self._budget is not None
        parts = parse_url(url)
        request_head = self._request_head(parts, conditions or {})
        await self._budget.wait_for_room()
        fetched_at = datetime.now(UTC)
        try:
            async with asyncio.timeout(self._timeout) as deadline:
                with self._budget.download(deadline) as download:
                    response, address = await self._request(parts, request_head, download)
                    download.finish(len(response.body))
        except TimeoutError:
            raise TransientFetchError(f"{parts.href}: no response in time", kind="timeout") from None
        except FetchError as error:
            raise type(error)(f"{parts.href}: {error}", kind=error.kind) from error
        head = response.head
        result = FetchResult(
            url=parts.href,
            fetched_at=fetched_at,
            request_head=request_head,
            status=head.status,
            reason=head.reason,
            http_version=head.http_version,
            headers=head.headers,
            body=response.body,
            ip_address=address,
            truncated=response.truncated,
            response_head=head.raw,
            elapsed_ms=(datetime.now(UTC) - fetched_at) // _MILLISECOND,
        )
        download.belong_to(result)
        return result

    def _request_head(self, parts: UrlParts, conditions: Mapping[str, str]) -> bytes:
        """Return the request that the site receives, without headers for the proxy."""
        host, target = host_of(parts.href), parts.href[len(origin_of(parts.href)) :]
        start = f"GET {target} HTTP/1.1\r\nHost: {host}\r\n".encode()
        extra = (f"{name}: {value}".encode("latin-1", "replace") for name, value in conditions.items())
        return b"".join((start, self._constant_headers, *(_one_line(line) + b"\r\n" for line in extra), b"\r\n"))

    async def _request(self, parts: UrlParts, request: bytes, download: Download) -> tuple[WireResponse, str | None]:
        assert self._pool is not None
        endpoint = Endpoint(parts.scheme, parts.hostname, int(parts.port or _DEFAULT_PORTS[parts.scheme]))
        if self._proxy is None:
            return await self._pool.ask(endpoint, request, self._new_parser, download)
        await self._resolver.check_all(endpoint.host, endpoint.port)
        if parts.scheme == "http":
            endpoint, request = _for_proxy(self._proxy, parts, request)
        response, _ = await self._pool.ask(endpoint, request, self._new_parser, download)
        if response.head.status == HTTPStatus.PROXY_AUTHENTICATION_REQUIRED:
            raise proxy_refusal(response.head)
        return response, None


def _for_proxy(proxy: Proxy, parts: UrlParts, request: bytes) -> tuple[Endpoint, bytes]:
    """Return the proxy's endpoint, and an http request in the form for proxies (RFC 9112, 3.2.2)."""
    _, _, headers = request.partition(b"\r\n")
    line = f"GET {parts.href} HTTP/1.1\r\n".encode()
    return Endpoint("http", proxy.host, proxy.port), line + proxy.authorization + headers


def _one_line(value: bytes) -> bytes:
    return value.translate(_UNBROKEN)
