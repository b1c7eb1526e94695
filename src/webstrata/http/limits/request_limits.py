"""Limits of requests: how large one may be, and how long it may take to arrive."""

from collections.abc import Iterable

import anyio
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_QUERY_BYTES = 8 * 1024
MAX_BODY_BYTES = 1024 * 1024
MAX_BODY_SECONDS = 30.0
"""How long the whole body may take to arrive; the server limits the time for headers."""

_BODY_HEADERS = (b"content-length", b"transfer-encoding")


class RequestLimits:
    """Refuses query strings and bodies that are too long, or too slow, before any other middleware."""

    def __init__(self, app: ASGIApp, max_body_seconds: float = MAX_BODY_SECONDS) -> None:
        """Wrap an application."""
        self.app = app
        self._max_body_seconds = max_body_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request that is small enough and complete in time; respond 414, 413 or 408 to the others."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if len(scope["query_string"]) > MAX_QUERY_BYTES:
            await _refusal(414, "Query string too long")(scope, receive, send)
            return
        if scope["method"] == "GET" and not _has_body(scope["headers"]):
            await self.app(scope, receive, send)
            return
        read: list[Message] | None = None
        if _declared_size(Headers(scope=scope)) <= MAX_BODY_BYTES:
            with anyio.move_on_after(self._max_body_seconds) as in_time:
                read = await _read_ahead(receive)
            if in_time.cancelled_caught:
                await _refusal(408, "Request body too slow")(scope, receive, send)
                return
        if read is None:
            await _refusal(413, "Request body too large")(scope, receive, send)
            return
        await self.app(scope, _replay_messages(read, receive), send)


def _has_body(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Return whether a request has a body: one without these headers has none (RFC 9112, 6.3)."""
    return any(name in _BODY_HEADERS for name, _ in headers)


def _declared_size(headers: Headers) -> int:
    """Return the declared size of the body, or 0; without a declaration the size is known after reading."""
    declared = headers.get("content-length", "")
    if "transfer-encoding" in headers or not declared.isdecimal():
        return 0
    return int(declared) if len(declared) < 20 else MAX_BODY_BYTES + 1


async def _read_ahead(receive: Receive) -> list[Message] | None:
    """Return the messages of a whole body, or None when it is too large."""
    messages: list[Message] = []
    size = 0
    while True:
        message = await receive()
        size += len(message.get("body", b""))
        if size > MAX_BODY_BYTES:
            return None
        messages.append(message)
        if message["type"] != "http.request" or not message.get("more_body", False):
            return messages


def _replay_messages(read: Iterable[Message], receive: Receive) -> Receive:
    waiting = iter(read)

    async def next_message() -> Message:
        message = next(waiting, None)
        return await receive() if message is None else message

    return next_message


def _refusal(status_code: int, detail: str) -> JSONResponse:
    return JSONResponse({"detail": detail}, status_code=status_code)
