"""Opening connections: only to a checked address, encrypted for https URLs, directly or through a proxy."""

import asyncio
import os
import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from http import HTTPStatus
from ipaddress import ip_network

from webstrata.errors import FetchError, TransientFetchError
from webstrata.fetch.connections import Connection, Endpoint
from webstrata.fetch.guard import NetworkGuard
from webstrata.fetch.proxy import Proxy
from webstrata.fetch.resolve import GuardedResolver
from webstrata.fetch.wire import Head, ResponseParser
from webstrata.model.crawl.fetching import TRANSIENT_STATUSES

_MOST_ADDRESSES = 4
_ANYWHERE = NetworkGuard((ip_network("0.0.0.0/0"), ip_network("::/0")))
"""The guard for the proxy itself, which allows any address, as the operator chose it."""


class Dialer:
    """Opens connections to endpoints; the addresses of a host are tried within one time limit."""

    def __init__(self, resolver: GuardedResolver, timeout: float, proxy: Proxy | None) -> None:
        """Prepare; nothing is opened yet."""
        self._resolver = resolver
        self._timeout = timeout
        self._proxy = proxy
        self._proxy_resolver = GuardedResolver(_ANYWHERE)

    async def dial(self, endpoint: Endpoint) -> Connection:
        """Return a new connection to an endpoint, or raise FetchError."""
        tls = self._tls if endpoint.scheme == "https" else None
        if self._proxy is None:
            addresses = await self._resolver.passing(endpoint.host, endpoint.port)
            return await self._first(addresses, endpoint, tls)
        addresses = await self._proxy_resolver.passing(self._proxy.host, self._proxy.port)
        connection = await self._first(addresses, Endpoint("http", self._proxy.host, self._proxy.port), None)
        # Not recorded, as the proxy's address is not that of the server.
        connection.peer = None
        if tls is not None:
            await self._tunnel(connection, endpoint, self._proxy, tls)
        return connection

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        context = ssl.create_default_context()
        context.set_alpn_protocols(["http/1.1"])
        return context

    async def _first(self, addresses: Sequence[str], endpoint: Endpoint, tls: ssl.SSLContext | None) -> Connection:
        """Try addresses in order and return the first successful connection."""
        tried = addresses[:_MOST_ADDRESSES]
        failure = FetchError("the host has no address", kind="dns")
        for address in tried:
            try:
                with _as_fetch_errors():
                    async with asyncio.timeout(self._timeout / len(tried)):
                        return await _connect(address, endpoint, tls)
            except FetchError as error:
                failure = error
        raise failure

    async def _tunnel(self, connection: Connection, endpoint: Endpoint, proxy: Proxy, tls: ssl.SSLContext) -> None:
        """Open a tunnel through the proxy to an endpoint, and encrypt it."""
        target = f"{endpoint.host}:{endpoint.port}".encode()
        request = b"CONNECT %s HTTP/1.1\r\nHost: %s\r\n%s\r\n" % (target, target, proxy.authorization)
        response = await connection.ask(request, ResponseParser(0, head_only=True))
        try:
            if response.head.status // 100 != HTTPStatus.OK // 100:
                raise proxy_refusal(response.head)
            with _as_fetch_errors():
                await connection.start_tls(tls, _server_name(endpoint))
        except BaseException:
            connection.close()
            raise


def proxy_refusal(head: Head) -> FetchError:
    """Return the error for a proxy that refused to connect to the site."""
    kind = TransientFetchError if head.status in TRANSIENT_STATUSES else FetchError
    return kind(f"the proxy answered {head.status} {head.reason}".rstrip(), kind="proxy")


async def _connect(address: str, endpoint: Endpoint, tls: ssl.SSLContext | None) -> Connection:
    loop = asyncio.get_running_loop()
    name = _server_name(endpoint) if tls else None
    _, connection = await loop.create_connection(Connection, address, endpoint.port, ssl=tls, server_hostname=name)
    connection.peer = address
    return connection


def _server_name(endpoint: Endpoint) -> str:
    """Return the name that the server's certificate must be for."""
    return endpoint.host.strip("[]").rstrip(".")


@contextmanager
def _as_fetch_errors() -> Iterator[None]:
    """Translate errors of connecting."""
    try:
        yield
    except TimeoutError as error:
        raise TransientFetchError("no response in time", kind="timeout") from error
    except ssl.SSLCertVerificationError as error:
        raise FetchError(f"the server's certificate is not valid ({error.verify_message})", kind="tls") from error
    except ssl.SSLError as error:
        reason = (error.reason or "unknown reason").replace("_", " ").lower()
        raise TransientFetchError(f"no encrypted connection ({reason})", kind="tls") from error
    except OSError as error:
        reason = os.strerror(error.errno).lower() if error.errno else "the connection broke"
        raise TransientFetchError(reason, kind="connect") from error
