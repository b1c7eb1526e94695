"""HTTP messages between a page and its proxy: Chromium's requests, and responses in the form that it gets."""

from dataclasses import dataclass
from http import HTTPStatus

import h11

from webstrata.errors import UsageError
from webstrata.fetch.browser.streams import Stream
from webstrata.fetch.wire import MAX_HEAD_BYTES
from webstrata.model.browser.posted import METHODS, request_query
from webstrata.model.crawl.fetching import FetchResult, RawHeaders
from webstrata.model.urls import host_of, origin_of, parse_url

MAX_REQUEST_BODY = 10_000_000

_HOP = frozenset({b"proxy-connection", b"proxy-authorization", b"connection", b"keep-alive", b"te", b"upgrade"})
_FRAMING = frozenset({b"content-length", b"transfer-encoding"})
_NOT_PASSED_ON = frozenset({*_HOP, *_FRAMING, b"alt-svc", b"trailer"})
_ENCODINGS = b"gzip, deflate, br"
"""Without zstd, which Chromium supports but many replay tools do not."""

_WITHOUT_BODY = frozenset({HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED})


@dataclass(frozen=True)
class ProxyRequest:
    """One request of a page; the target is absolute, or a path inside a tunnel."""

    method: str
    target: str
    headers: RawHeaders
    body: bytes

    @property
    def is_upgrade(self) -> bool:
        """Return whether the page wants to switch to WebSocket."""
        return any(name.lower() == b"upgrade" and value.lower() == b"websocket" for name, value in self.headers)

    @property
    def is_stream(self) -> bool:
        """Return whether the response is a stream of events, which has no end."""
        return any(name.lower() == b"accept" and value == b"text/event-stream" for name, value in self.headers)

    @property
    def posted(self) -> str | None:
        """Return the method and the body as a query, for requests that are stored with their body; else None."""
        if self.method not in METHODS:
            return None
        content_type = next((value for name, value in self.headers if name.lower() == b"content-type"), b"")
        return f"{self.method} {request_query(content_type.decode('latin-1'), self.body)}"

    def as_sent(self, *, is_upgrade: bool = False) -> bytes:
        """Return the request as the server gets it: in origin form, without the headers for the proxy."""
        target = self.target
        if not target.startswith("/"):
            href = parse_url(target).href
            target = href[len(origin_of(href)) :]
        dropped = {b"proxy-connection", b"proxy-authorization"} if is_upgrade else _HOP | _FRAMING
        lines = [f"{self.method} {target} HTTP/1.1".encode("latin-1", "replace")]
        lines += [
            b"%s: %s" % (name, _header_line(name, value)) for name, value in self.headers if name.lower() not in dropped
        ]
        if self.body or (self.method not in {"GET", "HEAD"} and not is_upgrade):
            lines.append(b"Content-Length: %d" % len(self.body))
        if not any(name.lower() == b"host" for name, _ in self.headers):
            lines.insert(1, b"Host: " + host_of(self.target).encode())
        return b"\r\n".join(lines) + b"\r\n\r\n" + self.body


async def next_request(stream: Stream, rest: bytes) -> tuple[ProxyRequest, bytes] | None:
    """Return the next request of a connection and the bytes after it; None at the connection's end."""
    parser = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEAD_BYTES)
    if rest:
        parser.receive_data(rest)
    head: h11.Request | None = None
    body = bytearray()
    while True:
        event = parser.next_event()
        if event is h11.NEED_DATA:
            data = await stream.read()
            if not data and head is None:
                return None
            parser.receive_data(data)
        elif isinstance(event, h11.Request):
            head = event
            if event.method == b"CONNECT":
                return _request(event, b""), parser.trailing_data[0]
        elif isinstance(event, h11.Data):
            body += event.data
            if len(body) > MAX_REQUEST_BODY:
                raise UsageError(f"a page sends more than {MAX_REQUEST_BODY} bytes in one request")
        elif head is not None and isinstance(event, h11.EndOfMessage | type(h11.PAUSED)):
            return _request(head, bytes(body)), parser.trailing_data[0]
        else:
            return None


def response_bytes(result: FetchResult, method: str) -> bytes:
    """Return a response for the browser: headers and body as they came, framed by a length."""
    lines = [f"HTTP/1.1 {result.status} {result.reason}".rstrip().encode("latin-1", "replace")]
    is_head = method == "HEAD"
    dropped = _NOT_PASSED_ON - {b"content-length"} if is_head else _NOT_PASSED_ON
    lines += [b"%s: %s" % header for header in result.headers if header[0].lower() not in dropped]
    if is_head or result.status in _WITHOUT_BODY:
        return b"\r\n".join(lines) + b"\r\n\r\n"
    lines.append(b"Content-Length: %d" % len(result.body))
    return b"\r\n".join(lines) + b"\r\n\r\n" + result.body


def _request(head: h11.Request, body: bytes) -> ProxyRequest:
    headers = tuple((bytes(name), bytes(value)) for name, value in head.headers.raw_items())
    return ProxyRequest(head.method.decode("ascii"), head.target.decode("latin-1"), headers, body)


def _header_line(name: bytes, value: bytes) -> bytes:
    return _ENCODINGS if name.lower() == b"accept-encoding" else value
