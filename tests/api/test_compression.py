"""Answers that are text go compressed to clients that take it."""

import gzip

import anyio
import pytest
from starlette.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send

from tests.api.archives import Archive
from webstrata.http.compression import LEAST_BYTES, Compression, takes_gzip


def answered(content_type: str, body: bytes, *, accept: str = "gzip", pieces: int = 1) -> tuple[dict[str, str], bytes]:
    """Return the headers and the body of an answer that passed the middleware, as they were sent."""
    sent: list[Message] = []

    async def app(_scope: Scope, _receive: Receive, send: Send) -> None:
        headers = [(b"content-type", content_type.encode()), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        size = len(body) // pieces
        for number in range(pieces):
            piece = body[number * size : (number + 1) * size]
            await send({"type": "http.response.body", "body": piece, "more_body": number + 1 < pieces})

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "http.request"}

    scope: Scope = {"type": "http", "headers": [(b"accept-encoding", accept.encode())]}
    anyio.run(Compression(app), scope, receive, send)
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return headers, b"".join(message["body"] for message in sent[1:])


@pytest.mark.parametrize("size", [LEAST_BYTES, 200_000])
@pytest.mark.parametrize("content_type", ["application/json", "text/html; charset=utf-8", "application/rss+xml"])
def test_text_is_compressed(content_type: str, size: int) -> None:
    headers, body = answered(content_type, b"a" * size)
    assert gzip.decompress(body) == b"a" * size
    assert headers["content-encoding"] == "gzip"
    assert headers["content-length"] == str(len(body))
    assert headers["vary"] == "Accept-Encoding"


@pytest.mark.parametrize(
    ("content_type", "size", "accept", "pieces"),
    [
        ("application/json", LEAST_BYTES - 1, "gzip", 1),
        ("application/json", LEAST_BYTES, "br, identity", 1),
        ("image/png", LEAST_BYTES, "gzip", 1),
        ("application/gzip", LEAST_BYTES, "gzip", 1),
        ("text/event-stream", LEAST_BYTES, "gzip", 2),
    ],
)
def test_what_is_small_or_packed_or_streamed_goes_as_it_is(
    content_type: str, size: int, accept: str, pieces: int
) -> None:
    headers, body = answered(content_type, b"a" * size, accept=accept, pieces=pieces)
    assert body == b"a" * size
    assert "content-encoding" not in headers
    assert headers["content-length"] == str(size)


@pytest.mark.parametrize(
    ("said", "taken"),
    [
        ("gzip", True),
        ("GZIP;q=0.5, br", True),
        ("br;q=1.0, gzip ; q=0.8", True),
        ("*", True),
        ("", False),
        ("br", False),
        ("gzip;q=0", False),
        ("gzip; q=0.000", False),
        ("*;q=0", False),
        ("gzip;q=0, *", False),
    ],
)
def test_a_client_is_taken_at_its_word(said: str, taken: bool) -> None:
    assert takes_gzip(said) is taken


def test_an_archived_page_has_the_same_content_compressed_or_not(client: TestClient, archive: Archive) -> None:
    path = f"/api/snapshots/raw/{archive.snapshot(body=b'<body>' + b'Influenza. ' * 500)}"
    packed, plain = (client.get(path, headers={"Accept-Encoding": coding}) for coding in ("gzip", "identity"))
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.content == plain.content
    assert packed.headers["etag"] == plain.headers["etag"]
    again = client.get(path, headers={"If-None-Match": packed.headers["etag"], "Accept-Encoding": "identity"})
    assert (again.status_code, again.content) == (304, b"")
