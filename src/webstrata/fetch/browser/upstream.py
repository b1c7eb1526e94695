"""Connections of the page proxies to servers, shared by all pages, only to addresses that the network guard allows."""

import asyncio
import ssl
from collections.abc import Callable
from http import HTTPStatus

from webstrata.errors import FetchError
from webstrata.fetch.browser.options import BrowserOptions
from webstrata.fetch.browser.streams import PlainStream
from webstrata.fetch.budget import Download
from webstrata.fetch.connections import ConnectionPool, Endpoint
from webstrata.fetch.dial import Dialer, proxy_refusal
from webstrata.fetch.proxy import Proxy
from webstrata.fetch.resolve import GuardedResolver
from webstrata.fetch.wire import ResponseParser, WireResponse
from webstrata.model.urls import UrlParts

_DEFAULT_PORTS = {"http": 80, "https": 443}


class Upstream:
    """Sends requests to servers, for the proxies of all pages of a worker."""

    def __init__(self, options: BrowserOptions) -> None:
        """Prepare; connections open when they are needed."""
        self._proxy = Proxy.of(options.proxy) if options.proxy else None
        self._timeout = options.connect_timeout
        self._resolver = GuardedResolver(options.guard)
        self._dialer = Dialer(self._resolver, options.connect_timeout, self._proxy)
        self._pool = ConnectionPool(options.connections, self._dialer.dial)

    async def ask(
        self, parts: UrlParts, request: bytes, new_parser: Callable[[], ResponseParser], download: Download
    ) -> tuple[WireResponse, str | None]:
        """Return the response to a request and the address that sent it, or raise FetchError."""
        endpoint = endpoint_of(parts)
        if self._proxy is not None:
            return await self._ask_proxy(self._proxy, parts, request, new_parser, download)
        if request.startswith(b"GET "):
            return await self._pool.ask(endpoint, request, new_parser, download)
        # Requests that may change something are sent only once, so never over a reused connection, which may be dead.
        connection = await self._dialer.dial(endpoint)
        try:
            return await connection.ask(request, new_parser(), download), connection.peer
        finally:
            connection.close()

    async def open_stream(self, parts: UrlParts) -> PlainStream:
        """Return a connection to the server of a URL, for protocols that only begin with HTTP."""
        if self._proxy is not None:
            raise FetchError("WebSockets are not passed on to another proxy", kind="proxy")
        endpoint = endpoint_of(parts)
        addresses = await self._resolver.passing(endpoint.host, endpoint.port)
        tls = ssl.create_default_context() if endpoint.scheme == "https" else None
        name = endpoint.host.strip("[]").rstrip(".") if tls else None
        async with asyncio.timeout(self._timeout):
            reader, writer = await asyncio.open_connection(addresses[0], endpoint.port, ssl=tls, server_hostname=name)
        return PlainStream(reader, writer)

    def close(self) -> None:
        """Close the idle connections."""
        self._pool.close()

    async def _ask_proxy(
        self,
        proxy: Proxy,
        parts: UrlParts,
        request: bytes,
        new_parser: Callable[[], ResponseParser],
        download: Download,
    ) -> tuple[WireResponse, None]:
        endpoint = endpoint_of(parts)
        await self._resolver.check_all(endpoint.host, endpoint.port)
        if parts.scheme == "http":
            endpoint = Endpoint("http", proxy.host, proxy.port)
            line, _, headers = request.partition(b"\r\n")
            method, _, _ = line.partition(b" ")
            request = b"%s %s HTTP/1.1\r\n%s%s" % (method, parts.href.encode(), proxy.authorization, headers)
        response, _ = await self._pool.ask(endpoint, request, new_parser, download)
        if response.head.status == HTTPStatus.PROXY_AUTHENTICATION_REQUIRED:
            raise proxy_refusal(response.head)
        return response, None


def endpoint_of(parts: UrlParts) -> Endpoint:
    """Return the endpoint of the server of a URL."""
    return Endpoint(parts.scheme, parts.hostname, int(parts.port or _DEFAULT_PORTS[parts.scheme]))
