"""Where the proxy of a page takes its responses from: the web, or an archive."""

from collections.abc import Callable
from typing import Protocol

from webstrata.fetch.browser.streams import PlainStream
from webstrata.fetch.budget import Download
from webstrata.fetch.wire import ResponseParser, WireResponse
from webstrata.model.urls import UrlParts


class ResponseSource(Protocol):
    """Returns the responses to a page's requests."""

    async def ask(
        self, parts: UrlParts, request: bytes, new_parser: Callable[[], ResponseParser], download: Download
    ) -> tuple[WireResponse, str | None]:
        """Return the response to a request and the address that sent it, or raise FetchError."""

    async def open_stream(self, parts: UrlParts) -> PlainStream:
        """Return a connection for a WebSocket, or raise FetchError."""
