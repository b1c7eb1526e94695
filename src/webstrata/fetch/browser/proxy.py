"""The forward proxy of one page: applies the network guard and the page's limits to every connection.

It listens on loopback and supports HTTP, CONNECT and WebSocket upgrades. TLS ends here, so exchanges are recorded byte
for byte, including those of workers and frames; the servers' certificates are verified here.
"""

import asyncio
import ssl
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from types import TracebackType
from typing import Self

import h11
import structlog

from webstrata.errors import FetchError, TransientFetchError, UsageError
from webstrata.fetch.browser.messages import ProxyRequest, next_request, response_bytes
from webstrata.fetch.browser.options import MOST_AT_ONCE, PageOptions
from webstrata.fetch.browser.responses import ResponseSource
from webstrata.fetch.browser.streams import PlainStream, Stream, open_tunnel
from webstrata.fetch.budget import BodyBudget
from webstrata.fetch.wire import ResponseParser
from webstrata.model.crawl.fetching import FetchResult
from webstrata.model.urls import UrlParts, parse_url

log = structlog.get_logger()

_MILLISECOND = timedelta(milliseconds=1)
_ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"
_NOTHING = b"HTTP/1.1 204 No Content\r\n\r\n"
_CONNECTION_ERRORS = (OSError, ssl.SSLError, h11.RemoteProtocolError)


class PageProxy:
    """Forwards the requests of one page and records the exchanges."""

    def __init__(self, upstream: ResponseSource, options: PageOptions) -> None:
        """Prepare; it listens inside its `async with` block."""
        self.exchanges: list[FetchResult] = []
        """The complete responses to GET, POST and PUT requests, in order of completion."""
        self.failures: dict[str, FetchError] = {}
        """Why requests failed or were refused, by URL; a later request that succeeds removes the reason."""
        self.received = 0
        """Bytes of response bodies."""
        self.stops_at: Callable[[FetchResult], bool] = lambda _result: False
        """Decides which responses are hidden from the browser, so that the page does not navigate."""
        self._upstream = upstream
        self._options = options
        self._slots = asyncio.Semaphore(MOST_AT_ONCE)
        self._under_way = 0
        self._last_change = time.monotonic()
        self._connections: set[asyncio.Task[None]] = set()
        self._budget = BodyBudget(options.max_bytes + MOST_AT_ONCE * options.max_body_bytes)
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        """Listen on a free port of loopback."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End every connection of the page."""
        assert self._server is not None
        self._server.close()
        connections = list(self._connections)
        for connection in connections:
            connection.cancel()
        await asyncio.gather(*connections, return_exceptions=True)

    @property
    def address(self) -> str:
        """Return the address that the browser is given."""
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    @property
    def idle_seconds(self) -> float:
        """Return for how long no request has been under way; 0 while one is."""
        return 0.0 if self._under_way else time.monotonic() - self._last_change

    async def wait_until_idle(self, quiet: float, longest: float) -> bool:
        """Wait until no request was under way for some seconds, and return whether that happened in time."""
        deadline = time.monotonic() + longest
        while (idle := self.idle_seconds) < quiet:
            if time.monotonic() >= deadline:
                return False
            await asyncio.sleep(max(quiet - idle, 0.02) if idle else 0.05)
        return True

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = asyncio.create_task(self._serve_until_closed(PlainStream(reader, writer)))
        self._connections.add(connection)
        connection.add_done_callback(self._connections.discard)

    async def _serve_until_closed(self, stream: PlainStream) -> None:
        try:
            await self._serve(stream)
        except _CONNECTION_ERRORS:
            log.debug("browser.proxy.disconnected")
        except UsageError as error:
            log.info("browser.proxy.refused", reason=str(error))
        finally:
            stream.close()

    async def _serve(self, plain: PlainStream) -> None:
        """Serve the requests of a connection one after the other; requests in a tunnel have no origin."""
        stream: Stream = plain
        origin, rest = "", b""
        while (received := await next_request(stream, rest)) is not None:
            request, rest = received
            if request.method == "CONNECT":
                await plain.write(_ESTABLISHED)
                stream, is_encrypted, rest = await open_tunnel(plain, rest)
                origin = f"{'https' if is_encrypted else 'http'}://{request.target}"
                continue
            parts = parse_url(origin + request.target)
            if request.is_upgrade:
                await self._pass_through(stream, request, parts, rest)
                return
            response = await self._respond(request, parts)
            if response is None:
                return
            await stream.write(response)

    async def _respond(self, request: ProxyRequest, parts: UrlParts) -> bytes | None:
        """Return the response for the browser; None closes the connection, which the page sees as a network error."""
        # Event streams and open WebSockets do not count: a page that only waits for events is idle.
        counted = 0 if request.is_stream else 1
        self._under_way += counted
        try:
            await self._check(parts)
            async with self._slots:
                result = await self._fetch(request, parts)
        except FetchError as error:
            self.failures[parts.href] = error
            log.debug("browser.request.failed", url=parts.href, reason=str(error), kind=error.kind)
            return None
        finally:
            self._under_way -= counted
            self._last_change = time.monotonic() if counted else self._last_change
        self.failures.pop(parts.href, None)
        if request.method == "GET" or result.posted is not None:
            self.exchanges.append(result)
        return _NOTHING if self.stops_at(result) else response_bytes(result, request.method)

    async def _check(self, parts: UrlParts) -> None:
        if self.received >= self._options.max_bytes:
            raise FetchError(f"the page received more than {self._options.max_bytes} bytes", kind="budget")
        if not await self._options.admit(parts.href):
            raise FetchError("the page may not request it", kind="refused")

    async def _fetch(self, request: ProxyRequest, parts: UrlParts) -> FetchResult:
        fetched_at, sent = datetime.now(UTC), request.as_sent()
        room = max(1, min(self._options.max_body_bytes, self._options.max_bytes - self.received))
        new_parser = partial(ResponseParser, room, head_only=request.method == "HEAD")
        try:
            async with asyncio.timeout(self._options.request_timeout) as deadline:
                with self._budget.download(deadline) as download:
                    response, address = await self._upstream.ask(parts, sent, new_parser, download)
        except TimeoutError:
            raise TransientFetchError("no response in time", kind="timeout") from None
        self.received += len(response.body)
        head = response.head
        return FetchResult(
            url=parts.href,
            fetched_at=fetched_at,
            request_head=sent,
            status=head.status,
            reason=head.reason,
            http_version=head.http_version,
            headers=head.headers,
            body=response.body,
            ip_address=address,
            truncated=response.truncated,
            response_head=head.raw,
            elapsed_ms=(datetime.now(UTC) - fetched_at) // _MILLISECOND,
            posted=request.posted,
        )

    async def _pass_through(self, stream: Stream, request: ProxyRequest, parts: UrlParts, rest: bytes) -> None:
        """Pass the bytes of a WebSocket on in both directions until either side or the page ends."""
        try:
            await self._check(parts)
            server = await self._upstream.open_stream(parts)
        except (FetchError, TimeoutError) as error:
            self.failures[parts.href] = error if isinstance(error, FetchError) else TransientFetchError("no response")
            log.debug("browser.websocket.failed", url=parts.href, reason=str(error))
            return
        try:
            await server.write(request.as_sent(is_upgrade=True) + rest)
            directions = [asyncio.ensure_future(self._pump(*way)) for way in ((stream, server), (server, stream))]
            try:
                await asyncio.wait(directions, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for direction in directions:
                    direction.cancel()
                await asyncio.gather(*directions, return_exceptions=True)
        finally:
            server.close()

    async def _pump(self, source: Stream, sink: Stream) -> None:
        with suppress(*_CONNECTION_ERRORS):
            while (data := await source.read()) and self.received < self._options.max_bytes:
                self.received += len(data)
                await sink.write(data)
