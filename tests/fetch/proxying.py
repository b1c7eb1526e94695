"""A real HTTP proxy on loopback, small but strict."""

import base64
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from tests.fetch.fetching import ScriptedServer, read_request, scripted
from tests.support.web_server import HEAD_END

USER, PASSWORD = "me@here", "ge:h/eim"
CREDENTIALS = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
AUTHORIZED = f"Proxy-Authorization: Basic {CREDENTIALS}\r\n".encode()


@dataclass
class RunningProxy:
    """A proxy that lets nobody in without the password, takes every name for loopback, and remembers what it heard."""

    port: int
    heads: list[bytes] = field(default_factory=list)

    def url(self, password: str = "ge%3Ah%2Feim") -> str:
        return f"http://me%40here:{password}@127.0.0.1:{self.port}"


@contextmanager
def proxying() -> Iterator[RunningProxy]:
    def serve(connection: socket.socket, _server: ScriptedServer) -> None:
        while head := read_request(connection):
            proxy.heads.append(head)
            if AUTHORIZED not in head:
                connection.sendall(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
            elif head.startswith(b"CONNECT "):
                _tunnel(connection, head)
                return
            else:
                _pass_on(connection, head)

    with scripted(serve) as server:
        proxy = RunningProxy(server.port)
        yield proxy


def _tunnel(connection: socket.socket, head: bytes) -> None:
    port = int(head.split(b" ")[1].rpartition(b":")[2])
    try:
        origin = socket.create_connection(("127.0.0.1", port), timeout=30)
    except OSError:
        connection.sendall(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
        return
    with origin:
        connection.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        back = threading.Thread(target=_pump, args=(origin, connection))
        back.start()
        _pump(connection, origin)
        back.join()


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65_536):
            sink.sendall(data)
    with suppress(OSError):
        sink.shutdown(socket.SHUT_WR)


def _pass_on(connection: socket.socket, head: bytes) -> None:
    """Ask the origin in its own form, without what was meant for us, and send its answer back."""
    target = urlsplit(head.split(b" ")[1].decode())
    request = head.replace(f"{target.scheme}://{target.netloc}".encode(), b"", 1).replace(AUTHORIZED, b"")
    with socket.create_connection(("127.0.0.1", target.port or 80), timeout=30) as origin:
        origin.sendall(request)
        answered = b""
        while not _is_whole(answered):
            answered += origin.recv(65_536)
        connection.sendall(answered)


def _is_whole(answered: bytes) -> bool:
    head, end, body = answered.partition(HEAD_END)
    return bool(end) and len(body) >= int(head.partition(b"Content-Length: ")[2].split(b"\r\n")[0])
