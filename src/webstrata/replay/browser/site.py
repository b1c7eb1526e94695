"""Serves the archive's own site to a page in a browser, without the network: everything that the replay of a capture
loads."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from webstrata.errors import FetchError
from webstrata.fetch.browser.streams import PlainStream
from webstrata.fetch.budget import Download
from webstrata.fetch.wire import Head, ResponseParser, WireResponse, read_head
from webstrata.model.captures import ArchivedCapture
from webstrata.model.urls import UrlParts

SITE_HOST, REPLAY_HOST = "127.0.0.1", "localhost"
"""The host names of the site and of replay: for these two, browsers run service workers without TLS."""

PORT = 60_999
"""No server listens on this port: the page's proxy handles the requests in this process."""

Message = MutableMapping[str, Any]
AsgiSite = Callable[[Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]]


@dataclass(frozen=True)
class ReplaySite:
    """Returns the responses of the site, which runs in this process; requests to other hosts are refused."""

    site: AsgiSite
    path_of: Callable[[ArchivedCapture], str]
    """Returns the path at which the site shows a capture to readers."""
    frame_path: str | None
    """The path of replayed pages on the replay host; None when the site shows pages without a frame."""

    def address_of(self, capture: ArchivedCapture) -> str:
        """Return the address at which a reader opens a capture."""
        return f"http://{SITE_HOST}:{PORT}{self.path_of(capture)}"

    async def ask(
        self, parts: UrlParts, request: bytes, new_parser: Callable[[], ResponseParser], download: Download
    ) -> tuple[WireResponse, str | None]:
        """Return the site's response to a request."""
        if not is_own(parts):
            raise FetchError("replay may not reach the live web", kind="not_archived")
        sent = _SentResponse()
        await self.site(_scope(parts, request), _Body(request).receive, sent.send)
        return WireResponse(sent.head(), b"".join(sent.pieces), None, False), None

    async def open_stream(self, parts: UrlParts) -> PlainStream:
        """Refuse WebSockets: their messages are not archived."""
        raise FetchError("WebSockets are not archived", kind="not_archived")


def is_own(parts: UrlParts) -> bool:
    """Return whether a URL is one of the site or of its replay host."""
    return parts.hostname in {SITE_HOST, REPLAY_HOST} and parts.port == str(PORT) and parts.scheme == "http"


@dataclass
class _SentResponse:
    status: int = 500
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)
    pieces: list[bytes] = field(default_factory=list)

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status, self.headers = message["status"], list(message.get("headers", ()))
        else:
            self.pieces.append(message.get("body", b""))

    def head(self) -> Head:
        lines = [b"HTTP/1.1 %d Replayed" % self.status, *(b"%s: %s" % header for header in self.headers)]
        return read_head(b"\r\n".join(lines) + b"\r\n\r\n")


class _Body:
    """The body of a request, received once; then the client stays connected."""

    def __init__(self, request: bytes) -> None:
        self._body: bytes | None = request.partition(b"\r\n\r\n")[2]

    async def receive(self) -> Message:
        if self._body is None:
            await asyncio.Event().wait()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}


def _scope(parts: UrlParts, request: bytes) -> Message:
    line, *headers = request.partition(b"\r\n\r\n")[0].split(b"\r\n")
    method, target, _ = line.split(b" ", 2)
    path, _, query = target.partition(b"?")
    named = [header.partition(b":") for header in headers]
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method.decode("ascii"),
        "scheme": parts.scheme,
        "path": unquote(path.decode("latin-1")),
        "raw_path": path,
        "query_string": query,
        "root_path": "",
        "headers": [(name.strip().lower(), value.strip()) for name, _, value in named],
        "client": (SITE_HOST, PORT),
        "server": (parts.hostname, PORT),
    }
