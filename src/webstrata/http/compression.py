"""Gzip compression of responses.

Compressing responses that contain secrets would allow attacks such as BREACH, in which the attacker sends requests
through a reader's browser and observes the lengths of responses. Our responses contain no secrets: no tokens, no
cookies, no form keys.
"""

from functools import partial

from anyio import to_thread
from isal import igzip
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LEAST_BYTES = 1_024
"""Smaller responses fit into one packet anyway."""

_IN_THE_LOOP_BYTES = 65_536
"""Responses up to this size are compressed in the event loop, in less than a millisecond; larger ones in a thread."""

_FAST = 1
_TEXTS = ("text/", "application/json", "application/xml", "application/xhtml+xml", "image/svg+xml")
_TEXT_ENDINGS = ("+json", "+xml", "javascript")


class Compression:
    """Compresses text responses that are sent in one piece; streams are passed on unchanged."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and return its response compressed where that is worth it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        requested = takes_gzip(Headers(scope=scope).get("accept-encoding", ""))
        start: Message | None = None

        async def send_compressed(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                start = message
                return
            if start is not None:
                message = await _with_head(start, message, send, requested=requested)
                start = None
            await send(message)

        await self.app(scope, receive, send_compressed)


def takes_gzip(accept_encoding: str) -> bool:
    """Return whether a client with this Accept-Encoding header takes gzip."""
    return takes_encoding(accept_encoding, "gzip")


def takes_encoding(accept_encoding: str, encoding: str) -> bool:
    """Return whether a client accepts a content encoding: by name or `*`, and not with a weight of 0."""
    weights = {}
    for part in accept_encoding.lower().split(","):
        coding, _, parameter = part.partition(";")
        weights[coding.strip()] = parameter.partition("=")[2].strip() or "1"
    return bool(weights.get(encoding, weights.get("*", "0")).strip("0."))


async def _with_head(start: Message, body: Message, send: Send, *, requested: bool) -> Message:
    """Send a response's head, and return its (first piece of) body; both changed if it is worth compressing."""
    headers = MutableHeaders(scope=start)
    content: bytes = body.get("body", b"")
    whole = not body.get("more_body", False)
    if whole and len(content) >= LEAST_BYTES and _may_compress(headers):
        headers.add_vary_header("Accept-Encoding")
        if requested:
            content = await _gzip(content)
            headers["Content-Encoding"] = "gzip"
            headers["Content-Length"] = str(len(content))
            body = {**body, "body": content}
    await send(start)
    return body


def _may_compress(headers: Headers) -> bool:
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if (
        "content-encoding" in headers
        or "content-range" in headers
        or "no-transform" in headers.get("cache-control", "")
    ):
        return False
    return kind.startswith(_TEXTS) or kind.endswith(_TEXT_ENDINGS)


async def _gzip(content: bytes) -> bytes:
    # No timestamp, so that equal responses are equal bytes.
    packing = partial(igzip.compress, content, _FAST, mtime=0)
    return packing() if len(content) <= _IN_THE_LOOP_BYTES else await to_thread.run_sync(packing)
