"""The HTTP fetcher: one request, one answer, kept as it came."""

import asyncio
import ipaddress
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from types import TracebackType
from typing import Self

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.connector import Connection
from yarl import URL

from webstrata.errors import BlockedAddressError, FetchError, TransientFetchError
from webstrata.fetch.guard import NetworkGuard
from webstrata.model.fetching import FetchResult
from webstrata.model.urls import UrlParts, parse_url

_MAX_HEADER_BYTES = 65_536
_READ_BYTES = 262_144
_DEFAULT_PORTS = {"http": 80, "https": 443}


class HttpFetcher:
    """Fetches over HTTP/1.1 without following redirects; every address passes the guard."""

    def __init__(
        self, guard: NetworkGuard, *, user_agent: str, timeout: float, max_body_bytes: int, connections: int
    ) -> None:
        """Prepare a fetcher; connections open when it is entered."""
        self._guard = guard
        self._user_agent = user_agent
        self._timeout = timeout
        self._max_body_bytes = max_body_bytes
        self._connections = connections
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        """Open the connection pool."""
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=self._connections, resolver=_GuardedResolver(self._guard), ttl_dns_cache=300
            ),
            response_class=_Response,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=self._timeout),
            auto_decompress=False,
            max_line_size=_MAX_HEADER_BYTES,
            max_field_size=_MAX_HEADER_BYTES,
            headers={
                "User-Agent": self._user_agent,
                "Accept": "text/html,application/xhtml+xml,*/*;q=0.8",
                "Accept-Encoding": "gzip, deflate",
            },
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connection pool."""
        if self._session is not None:
            await self._session.close()

    async def fetch(self, url: str, conditions: Mapping[str, str] | None = None) -> FetchResult:
        """Return the answer to a GET, or raise FetchError; TransientFetchError when trying later may help.

        Conditions are headers that let the server say that nothing has changed.
        """
        assert self._session is not None
        parts = parse_url(url)
        url = parts.href
        fetched_at = datetime.now(UTC)
        with _as_fetch_errors(url):
            self._check_literal(parts)
            async with self._session.get(URL(url, encoded=True), allow_redirects=False, headers=conditions) as response:
                body, truncated = await self._body(response)
        return FetchResult(
            url=url,
            fetched_at=fetched_at,
            request_head=_request_head(response),
            status=response.status,
            reason=response.reason or "",
            http_version=f"{response.version.major}.{response.version.minor}" if response.version else "1.1",
            headers=tuple(response.raw_headers),
            body=body,
            ip_address=response.peer if isinstance(response, _Response) else None,
            truncated=truncated,
        )

    async def _body(self, response: aiohttp.ClientResponse) -> tuple[bytes, str | None]:
        """Read a body up to the limit; tell whether it was cut there."""
        parts, size = [], 0
        async for part in response.content.iter_chunked(_READ_BYTES):
            parts.append(part)
            size += len(part)
            if size > self._max_body_bytes:
                response.close()
                return b"".join(parts)[: self._max_body_bytes], "length"
        return b"".join(parts), None

    def _check_literal(self, parts: UrlParts) -> None:
        """Check a host that is an address: the resolver never sees it."""
        host = parts.hostname.strip("[]")
        try:
            ipaddress.ip_address(host)
        except ValueError:
            return
        self._guard.check(host, int(parts.port or _DEFAULT_PORTS[parts.scheme]))


class _Response(aiohttp.ClientResponse):
    """An answer that remembers who gave it: a short one has let its connection go before anyone can ask."""

    peer: str | None = None

    async def start(self, connection: Connection) -> aiohttp.ClientResponse:
        address = connection.transport.get_extra_info("peername") if connection.transport else None
        self.peer = str(address[0]) if address else None
        return await super().start(connection)


class _GuardedResolver(AbstractResolver):
    """Resolves a name once and hands over only what the guard lets pass; the connection is made to just that."""

    def __init__(self, guard: NetworkGuard) -> None:
        self._guard = guard

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, family=family, type=socket.SOCK_STREAM)
        passing = self._passing([str(address[0]) for *_, address in found], port)
        return [
            ResolveResult(
                hostname=host,
                host=str(address[0]),
                port=port,
                family=kind,
                proto=proto,
                flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
            )
            for kind, _, proto, _, address in found
            if str(address[0]) in passing
        ]

    def _passing(self, addresses: list[str], port: int) -> set[str]:
        """Return the addresses that the guard lets pass; its refusal when it lets none."""
        passing, refusal = set(), None
        for address in addresses:
            try:
                self._guard.check(address, port)
                passing.add(address)
            except BlockedAddressError as error:
                refusal = error
        if refusal is not None and not passing:
            raise refusal
        return passing

    async def close(self) -> None:
        pass


@contextmanager
def _as_fetch_errors(url: str) -> Iterator[None]:
    """Turn the HTTP client's failures into ours, in this one place."""
    try:
        yield
    except BlockedAddressError as error:
        raise BlockedAddressError(f"{url}: {error}") from None
    except TimeoutError as error:
        raise TransientFetchError(f"{url}: no answer in time") from error
    except aiohttp.ClientConnectorDNSError as error:
        raise TransientFetchError(f"{url}: the host's name does not resolve (is the network up?)") from error
    except aiohttp.ClientConnectorCertificateError as error:
        raise FetchError(f"{url}: the server's certificate is not valid") from error
    except (aiohttp.ClientConnectionError, aiohttp.ClientPayloadError) as error:
        raise TransientFetchError(f"{url}: {_reason(error)}") from error
    except (aiohttp.ClientError, ValueError) as error:
        raise FetchError(f"{url}: not an HTTP answer we can read ({_reason(error)})") from error


def _reason(error: Exception) -> str:
    """Say in a few words what happened on the wire."""
    cause = error.os_error if isinstance(error, aiohttp.ClientConnectorError) else error
    if isinstance(cause, ConnectionRefusedError):
        return "connection refused"
    return " ".join(str(cause).split()) or type(error).__name__


def _request_head(response: aiohttp.ClientResponse) -> bytes:
    request = response.request_info
    headers = "".join(f"{name}: {value}\r\n" for name, value in request.headers.items())
    return f"{request.method} {request.url.raw_path_qs} HTTP/1.1\r\n{headers}\r\n".encode()
