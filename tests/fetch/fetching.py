"""Fetching in the event loop that the product runs in, from servers that follow a script byte by byte."""

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from ipaddress import ip_network

import uvloop

from tests.support.web_server import HEAD_END, LOOPBACK
from webstrata.fetch.guard import NetworkGuard
from webstrata.fetch.http import HttpFetcher
from webstrata.model.crawl.fetching import FetchResult

ON_LOOPBACK = NetworkGuard((ip_network("127.0.0.0/8"), ip_network("::1/128")))
RESET = struct.pack("ii", 1, 0)
"""Lets a closing socket send a reset instead of an ordinary end."""


def fetcher(
    guard: NetworkGuard = ON_LOOPBACK,
    *,
    timeout: float = 10,
    max_body_bytes: int = 1_000_000,
    connections: int = 4,
    max_buffered_bytes: int = 100_000_000,
    proxy: str | None = None,
) -> HttpFetcher:
    return HttpFetcher(
        guard,
        user_agent="tester/1 (ünï)",
        timeout=timeout,
        max_body_bytes=max_body_bytes,
        connections=connections,
        max_buffered_bytes=max_buffered_bytes,
        proxy=proxy,
    )


async def with_fetcher(used: HttpFetcher, *urls: str) -> list[FetchResult]:
    """Fetch URLs one after the other."""
    async with used:
        return [await used.fetch(url) for url in urls]


def fetch(url: str, used: HttpFetcher | None = None) -> FetchResult:
    return uvloop.run(with_fetcher(used or fetcher(), url))[0]


def fetch_all(*urls: str, used: HttpFetcher | None = None) -> list[FetchResult]:
    return uvloop.run(with_fetcher(used or fetcher(), *urls))


@dataclass
class ScriptedServer:
    """A server whose every connection runs a script; it counts them."""

    port: int
    connections: int = 0
    stopped: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self.port}/"


Script = Callable[[socket.socket, ScriptedServer], None]


@contextmanager
def scripted(script: Script) -> Iterator[ScriptedServer]:
    """Run a script on every connection while the block runs; its end closes the connection."""
    with socket.create_server((LOOPBACK, 0)) as listener:
        server = ScriptedServer(listener.getsockname()[1])
        threads: list[threading.Thread] = []
        accepting = threading.Thread(target=_accept, args=(listener, server, script, threads))
        accepting.start()
        try:
            yield server
        finally:
            server.stopped.set()
            listener.shutdown(socket.SHUT_RDWR)
            accepting.join()
            for thread in threads:
                thread.join()


def _accept(listener: socket.socket, server: ScriptedServer, script: Script, threads: list[threading.Thread]) -> None:
    def run(connection: socket.socket) -> None:
        # A client that leaves in the middle is part of what is tested.
        with suppress(OSError), connection:
            script(connection, server)

    with suppress(OSError):
        while True:
            connection, _ = listener.accept()
            connection.settimeout(30)
            server.connections += 1
            thread = threading.Thread(target=run, args=(connection,))
            threads.append(thread)
            thread.start()


def read_request(connection: socket.socket) -> bytes:
    """Return the next request's head, or nothing when there is none."""
    head = b""
    while HEAD_END not in head:
        part = connection.recv(65_536)
        if not part:
            return b""
        head += part
    return head


def answer(body: bytes = b"ok", *headers: bytes) -> bytes:
    """Return an ordinary answer as it goes over the wire."""
    lines = b"".join(line + b"\r\n" for line in headers)
    return b"HTTP/1.1 200 OK\r\n%sContent-Length: %d\r\n\r\n%s" % (lines, len(body), body)


def reset(connection: socket.socket) -> None:
    """Break a connection instead of ending it."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    connection.close()


def resolving(*addresses: str) -> Callable[..., list[object]]:
    """Return a name service that knows only these addresses, whatever the name."""

    def getaddrinfo(host: str, port: int, *_: object, **__: object) -> list[object]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]

    return getaddrinfo
