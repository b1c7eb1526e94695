"""The demo site on loopback, served while it is archived."""

import errno
import socket
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from email.message import Message
from email.utils import parsedate_to_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

from webstrata.demo.site import DEMO_HOST, DEMO_ORIGIN, DEMO_PORT, DemoResponse, build_site, not_found
from webstrata.errors import PortInUseError

SHUTDOWN_POLL_SECONDS = 0.02


@contextmanager
def serve_demo(edition: int) -> Iterator[str]:
    """Serve the edition while the block runs, and give its origin."""
    server = _listen(build_site(edition))
    thread = Thread(target=server.serve_forever, args=(SHUTDOWN_POLL_SECONDS,), name="demo-site", daemon=True)
    thread.start()
    try:
        yield DEMO_ORIGIN
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _listen(site: Mapping[str, DemoResponse]) -> "_DemoServer":
    try:
        return _DemoServer(site)
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        raise PortInUseError(f"the demo site needs {DEMO_ORIGIN}, but another program listens there") from error


class _DemoServer(ThreadingHTTPServer):
    allow_reuse_address = True
    # If set, Linux would allow two demos to listen at once and distribute the requests between two editions.
    allow_reuse_port = False
    daemon_threads = True

    def __init__(self, site: Mapping[str, DemoResponse]) -> None:
        self.site = site
        self.not_found = not_found()
        self._connections: set[socket.socket] = set()
        super().__init__((DEMO_HOST, DEMO_PORT), _DemoHandler)

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        self._connections.add(connection)
        return connection, address

    def shutdown_request(self, request: socket.socket | tuple[bytes, socket.socket]) -> None:
        self._connections.discard(request)
        super().shutdown_request(request)

    def server_close(self) -> None:
        super().server_close()
        # Open keep-alive connections are closed: their clients would still get this edition after the next one has
        # started.
        for connection in list(self._connections):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: object, client_address: object) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _DemoHandler(BaseHTTPRequestHandler):
    server: _DemoServer
    protocol_version = "HTTP/1.1"
    server_version = "webstrata-demo"
    sys_version = ""
    disable_nagle_algorithm = True
    wbufsize = -1  # buffered: head and body leave in one send

    def do_GET(self) -> None:
        self._respond(with_body=True)

    def do_HEAD(self) -> None:
        self._respond(with_body=False)

    def _respond(self, with_body: bool) -> None:
        response = self.server.site.get(urlsplit(self.path).path, self.server.not_found)
        unchanged = is_unchanged(response, self.headers)
        self.send_response(304 if unchanged else response.status)
        for name, value in response.headers:
            self.send_header(name, value)
        if not unchanged:
            self.send_header("Content-Length", str(len(response.body)))
        self.end_headers()
        if with_body and not unchanged:
            self.wfile.write(response.body)

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing: the crawl reports its requests."""


def is_unchanged(response: DemoResponse, request: Message) -> bool:
    """Return whether the client's copy is still good; a tag decides over a date (RFC 9110, 13.2.2)."""
    headers = dict(response.headers)
    if "ETag" not in headers:
        return False
    tags = request.get("If-None-Match")
    if tags is not None:
        return tags.strip() == "*" or headers["ETag"] in [tag.strip().removeprefix("W/") for tag in tags.split(",")]
    since = request.get("If-Modified-Since")
    return since is not None and _not_after(headers["Last-Modified"], since)


def _not_after(modified: str, since: str) -> bool:
    try:
        return parsedate_to_datetime(modified) <= parsedate_to_datetime(since)
    except (ValueError, TypeError):
        return False
