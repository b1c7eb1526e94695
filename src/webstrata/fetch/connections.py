"""Connection pool: reuses open connections between requests and limits their number."""

import asyncio
import ssl
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import cast

from webstrata.errors import FetchError, TransientFetchError
from webstrata.fetch.budget import Download
from webstrata.fetch.wire import ResponseParser, WireResponse

_MAX_IDLE_SECONDS = 30
"""Older idle connections are not reused, as routers may have dropped them."""


@dataclass(frozen=True)
class Endpoint:
    """The server of a connection."""

    scheme: str
    host: str
    port: int


class Connection(asyncio.Protocol):
    """One connection, for one request after the other."""

    def __init__(self) -> None:
        """Prepare a connection that is not open yet."""
        self.peer: str | None = None
        self.idle_since = 0.0
        self.usable = False
        self._transport: asyncio.Transport | None = None
        self._parser: ResponseParser | None = None
        self._download: Download | None = None
        self._whole: asyncio.Future[WireResponse] | None = None
        self._early: bytes | None = b""
        """Bytes that arrived before the first request, which the parser will refuse: HTTP servers do not send first."""

    async def ask(self, request: bytes, parser: ResponseParser, download: Download | None = None) -> WireResponse:
        """Send a request and return the response, whose bytes a download counts; FetchError when it is not HTTP."""
        if self._transport is None or not self.usable:
            raise _disconnected()
        self._parser, self._download = parser, download
        self._whole = asyncio.get_running_loop().create_future()
        try:
            self._transport.write(request)
            early, self._early = self._early, None
            if early:
                self.data_received(early)
            response = await self._whole
        except BaseException:
            self.close()
            raise
        finally:
            self._parser = self._download = self._whole = None
        self.idle_since = time.monotonic()
        if not response.reusable:
            self.close()
        return response

    async def start_tls(self, context: ssl.SSLContext, server_name: str) -> None:
        """Start TLS on an open connection."""
        assert self._transport is not None
        loop = asyncio.get_running_loop()
        self._transport = await loop.start_tls(self._transport, self, context, server_hostname=server_name)

    def close(self) -> None:
        """End the connection at once."""
        self.usable = False
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take over the connection."""
        self._transport = cast(asyncio.Transport, transport)
        self.usable = True

    def data_received(self, data: bytes) -> None:
        """Read more of the response; bytes without a request end the connection."""
        parser, whole = self._parser, self._whole
        if self._early is not None:
            self._early += data
            return
        if parser is None or whole is None or whole.done():
            self.close()
            return
        try:
            if parser.feed(data):
                whole.set_result(parser.response())
            else:
                self._read_on(parser)
        except FetchError as error:
            whole.set_exception(error)

    def _read_on(self, parser: ResponseParser) -> None:
        """Continue reading unless memory is short; after much data, other tasks run first.

        The event loop does up to 32 reads of a connection before anything else, including timeouts.
        """
        assert self._transport is not None
        if self._download is not None and not self._download.grow(parser.body_size, self._transport):
            return
        if parser.was_laborious:
            self._transport.pause_reading()
            asyncio.get_running_loop().call_soon(_resume, self._transport)

    def eof_received(self) -> bool:
        """Close the connection: the server has closed its side."""
        return False

    def connection_lost(self, error: Exception | None) -> None:
        """End the response at the received bytes."""
        self.usable = False
        parser, whole = self._parser, self._whole
        if parser is None or whole is None or whole.done():
            return
        try:
            if error is not None:
                raise _disconnected() from error
            parser.end()
            whole.set_result(parser.response())
        except FetchError as failure:
            whole.set_exception(failure)


class ConnectionPool:
    """Opens connections when they are needed, and reuses those that may carry another request."""

    def __init__(self, connections: int, open_connection: Callable[[Endpoint], Awaitable[Connection]]) -> None:
        """Prepare a pool of so many connections at most, in use and idle together."""
        self._limit = connections
        self._open = open_connection
        self._slots = asyncio.Semaphore(connections)
        self._in_use = 0
        self._idle: dict[Endpoint, list[Connection]] = {}

    async def ask(
        self, endpoint: Endpoint, request: bytes, new_parser: Callable[[], ResponseParser], download: Download
    ) -> tuple[WireResponse, str | None]:
        """Return the response to a GET and the address that sent it.

        If a reused connection ends before the first byte of the response, the request is sent once more over a new
        connection; GET requests change nothing.
        """
        async with self._slots:
            self._in_use += 1
            try:
                return await self._ask(endpoint, request, new_parser, download)
            finally:
                self._in_use -= 1

    def close(self) -> None:
        """Close the idle connections."""
        for connection in self._all_idle():
            connection.close()
        self._idle.clear()

    async def _ask(
        self, endpoint: Endpoint, request: bytes, new_parser: Callable[[], ResponseParser], download: Download
    ) -> tuple[WireResponse, str | None]:
        kept = self._idle_connection(endpoint)
        if kept is not None:
            parser = new_parser()
            try:
                return await self._exchange(endpoint, kept, request, parser, download)
            except TransientFetchError:
                if parser.started:
                    raise
        self._make_room()
        return await self._exchange(endpoint, await self._open(endpoint), request, new_parser(), download)

    async def _exchange(
        self, endpoint: Endpoint, connection: Connection, request: bytes, parser: ResponseParser, download: Download
    ) -> tuple[WireResponse, str | None]:
        response = await connection.ask(request, parser, download)
        if connection.usable:
            self._idle.setdefault(endpoint, []).append(connection)
        return response, connection.peer

    def _idle_connection(self, endpoint: Endpoint) -> Connection | None:
        """Return the most recently used connection, which is the least likely to be closed."""
        connections = self._idle.get(endpoint, [])
        too_old = time.monotonic() - _MAX_IDLE_SECONDS
        while connections:
            connection = connections.pop()
            if connection.usable and connection.idle_since > too_old:
                return connection
            connection.close()
        self._idle.pop(endpoint, None)
        return None

    def _make_room(self) -> None:
        """Close the connections that were idle longest, until one more may be opened."""
        idle = sorted(self._all_idle(), key=lambda connection: (connection.usable, connection.idle_since))
        closed = set(idle[: max(0, self._in_use + len(idle) - self._limit)])
        for connection in closed:
            connection.close()
        if closed:
            left = {endpoint: [c for c in kept if c not in closed] for endpoint, kept in self._idle.items()}
            self._idle = {endpoint: kept for endpoint, kept in left.items() if kept}

    def _all_idle(self) -> list[Connection]:
        return [connection for connections in self._idle.values() for connection in connections]


def _resume(transport: asyncio.ReadTransport) -> None:
    if not transport.is_closing():
        transport.resume_reading()


def _disconnected() -> TransientFetchError:
    return TransientFetchError("the connection broke", kind="disconnect")
