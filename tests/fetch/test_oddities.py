"""What servers really send: captured as it came and readable from the WARC, or failed with a reason."""

import gzip
import socket
import sys
import zlib
from dataclasses import dataclass
from pathlib import Path

import brotli
import pytest

from tests.fetch.fetching import ScriptedServer, fetch, fetcher, read_request, reset, scripted
from tests.support.fetched import write_warc
from webstrata.content.decode import decoded
from webstrata.errors import FetchError, TransientFetchError
from webstrata.model.crawl.fetching import FetchResult
from webstrata.warc.reader import read_record
from webstrata.warc.verify import verify

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

TEXT = b"<title>What a page says</title>" + b"<p>It says more.</p>\n\n" * 50


def raw_deflate(data: bytes) -> bytes:
    packing = zlib.compressobj(wbits=-15)
    return packing.compress(data) + packing.flush()


@dataclass(frozen=True)
class Odd:
    """An answer's bytes, and what is in it; the server closes the connection behind it."""

    head: bytes
    rest: bytes
    body: bytes
    before: bytes = b""
    text: bytes | None = None


def packed(encoding: bytes, body: bytes, text: bytes = TEXT) -> Odd:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: %s\r\nContent-Length: %d\r\n\r\n"
    return Odd(head % (encoding, len(body)), body, body, text=text)


OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
LENGTH = b"Content-Length: %d\r\n\r\n" % len(TEXT)
CAPTURED = {
    "chunked": Odd(CHUNKED, b"%x\r\n%s\r\n0\r\n\r\n" % (len(TEXT), TEXT), TEXT),
    "chunked with extensions and trailers": Odd(
        CHUNKED, b'3;a="b"\r\n%s\r\n%X ;c\r\n%s\r\n0\r\nX: y\r\n\r\n' % (TEXT[:3], len(TEXT) - 3, TEXT[3:]), TEXT
    ),
    "chunked and packed": Odd(
        OK + b"Content-Encoding: gzip\r\ntransfer-encoding: Chunked\r\n\r\n",
        b"%x\r\n%s\r\n0\r\n\r\n" % (len(gzip.compress(TEXT, mtime=0)), gzip.compress(TEXT, mtime=0)),
        gzip.compress(TEXT, mtime=0),
        text=TEXT,
    ),
    "chunked with a length beside it": Odd(
        OK + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"%x\r\n%s\r\n0\r\n\r\n" % (len(TEXT), TEXT),
        TEXT,
    ),
    "chunked without the last line": Odd(CHUNKED, b"%x\r\n%s\r\n0\r\n" % (len(TEXT), TEXT), TEXT),
    "gzip": packed(b"gzip", gzip.compress(TEXT)),
    "deflate": packed(b"deflate", zlib.compress(TEXT)),
    "deflate without its wrapper": packed(b"deflate", raw_deflate(TEXT)),
    "brotli": packed(b"br", brotli.compress(TEXT)),
    "zstd": packed(b"zstd", zstd.compress(TEXT)),
    "an unknown encoding": packed(b"rot13", TEXT),
    "packed as it says, but not": packed(b"gzip", TEXT),
    "no length": Odd(OK + b"\r\n", TEXT, TEXT),
    "too long": Odd(OK + LENGTH, TEXT + b"and more", TEXT),
    "the same length twice": Odd(OK + LENGTH[:-2] + LENGTH, TEXT, TEXT),
    "HTTP/1.0": Odd(b"HTTP/1.0 200 OK\r\n\r\n", TEXT, TEXT),
    "interim answers before it": Odd(
        OK + LENGTH, TEXT, TEXT, before=b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
    ),
    "204 with a length": Odd(b"HTTP/1.1 204 No Content\r\nContent-Length: 7\r\n\r\n", b"", b""),
    "304 with a length": Odd(b"HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n", b"", b""),
    "a folded header": Odd(OK + b"X-Long: one\r\n\ttwo\r\n   three\r\n" + LENGTH, TEXT, TEXT),
    "a header without a colon": Odd(OK + b"nobody knows why\r\n" + LENGTH, TEXT, TEXT),
    "a header that is not ASCII": Odd(OK + b"X-\xc3\xa9: \xff\xfe caf\xe9\r\n" + LENGTH, TEXT, TEXT),
    "a header that looks chunked": Odd(OK + b"Vary: Transfer-Encoding, chunked\r\n" + LENGTH, TEXT, TEXT),
    "no reason": Odd(b"HTTP/1.1 200\r\n" + LENGTH, TEXT, TEXT),
    "a reason that is not ASCII": Odd(b"HTTP/1.1 200 D\xe9j\xe0 vu\r\n" + LENGTH, TEXT, TEXT),
    "status 999": Odd(b"HTTP/1.1 999 Request denied\r\n" + LENGTH, TEXT, TEXT),
    "a charset that nobody knows": Odd(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=klingon\r\n" + LENGTH, TEXT, TEXT
    ),
    "many long headers": Odd(OK + b"".join(b"X-%d: %s\r\n" % (n, b"x" * 600) for n in range(100)) + LENGTH, TEXT, TEXT),
}
FAILED = {
    "a chunk's size is garbage": (CHUNKED + b"zz\r\nhello\r\n0\r\n\r\n", True, "protocol", "a chunk's size is"),
    "chunks that never were": (CHUNKED + TEXT, True, "protocol", "a chunk's size is"),
    "no last chunk": (CHUNKED + b"5\r\nhello\r\n", True, "disconnect", "in the middle of the body"),
    "too short": (OK + LENGTH + TEXT[:-1], True, "disconnect", "in the middle of the body"),
    "no body at all": (OK + LENGTH, True, "disconnect", "in the middle of the body"),
    "two lengths": (OK + b"Content-Length: 1\r\n" + LENGTH + TEXT, False, "protocol", "its Content-Length is '1, "),
    "another transfer encoding": (OK + b"Transfer-Encoding: gzip\r\n\r\n" + TEXT, False, "protocol", "gzip"),
    "huge headers": (OK + b"X: " + b"x" * 200_000 + b"\r\n\r\n", False, "protocol", "longer than 65536 bytes"),
    "too many headers": (OK + b"X: y\r\n" * 2_000 + b"\r\n", False, "protocol", "more than 1000 headers"),
    "no status line": (TEXT, False, "protocol", "it begins with '<titl"),
    "another protocol": (b"SSH-2.0-OpenSSH_9.2p1\r\n", False, "protocol", "it begins with 'SSH-2.0"),
    "half a head": (b"HTTP/1.1 200 OK\r\nContent-Le", True, "disconnect", "in the middle of its headers"),
    "nothing": (b"", True, "disconnect", "without a response"),
}


def sent(data: bytes) -> FetchResult:
    """Fetch from a server that sends exactly these bytes and closes the connection."""

    def sending(connection: socket.socket, _server: ScriptedServer) -> None:
        read_request(connection)
        connection.sendall(data)
        # Only then closing is no reset, which would take the answer with it.
        connection.shutdown(socket.SHUT_WR)
        connection.recv(1)

    with scripted(sending) as server:
        return fetch(server.url)


@pytest.mark.parametrize("odd", CAPTURED.values(), ids=CAPTURED.keys())
def test_an_odd_response_is_captured_as_it_came(odd: Odd, tmp_path: Path) -> None:
    result = sent(odd.before + odd.head + odd.rest)
    assert (result.response_head, result.body, result.truncated) == (odd.head, odd.body, None)
    text = odd.body if odd.text is None else odd.text
    assert decoded(result.body, result.header("content-encoding")) == text
    (extent,) = write_warc(tmp_path / "odd.warc.gz", [result])
    record = read_record(tmp_path / "odd.warc.gz", extent.offset, extent.length)
    assert (record.status_code, record.body_bytes) == (result.status, text)
    assert verify([tmp_path / "odd.warc.gz"]).findings == []


@pytest.mark.parametrize(("raw", "transient", "kind", "reason"), FAILED.values(), ids=FAILED.keys())
def test_what_is_no_response_fails_with_a_reason(raw: bytes, transient: bool, kind: str, reason: str) -> None:
    with pytest.raises(FetchError) as raised:
        sent(raw)
    assert (raised.value.transient, raised.value.kind) == (transient, kind)
    assert reason in str(raised.value)
    assert str(raised.value).startswith("http://127.0.0.1:")


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
def test_bare_line_ends_are_taken_and_the_warc_can_still_be_read(line_end: bytes, tmp_path: Path) -> None:
    head = line_end.join([b"HTTP/1.1 200 OK", b"Content-Type: text/html", b"X: y", b"Content-Length: 8", b"\n"])
    result = sent(head + b"\n\nhello!")
    assert (result.response_head, result.body) == (head, b"\n\nhello!")
    assert result.headers[:2] == ((b"Content-Type", b"text/html"), (b"X", b"y"))
    (extent,) = write_warc(tmp_path / "odd.warc.gz", [result])
    record = read_record(tmp_path / "odd.warc.gz", extent.offset, extent.length)
    assert (record.body_bytes, record.headers["x"]) == (b"\n\nhello!", "y")
    assert verify([tmp_path / "odd.warc.gz"]).findings == []


def test_a_redirect_to_raw_bytes_and_to_itself_is_a_response() -> None:
    result = sent(b"HTTP/1.1 302 Found\r\nLocation: /caf\xc3\xa9?q=\xff\r\nContent-Length: 0\r\n\r\n")
    assert (result.header("location"), result.redirect_target) == ("/caf\xc3\xa9?q=\xff", "/caf%C3%A9?q=%FF")
    loop = sent(b"HTTP/1.1 301 Moved\r\nLocation: /\r\nContent-Length: 0\r\n\r\n")
    assert (loop.status, loop.redirect_target) == (301, "/")


@pytest.mark.parametrize(
    "begun", [b"HTTP/1.1 2", OK, OK + LENGTH + b"hel", OK + b"\r\nhello", CHUNKED + b"5\r\nhello\r\n"]
)
def test_a_connection_reset_in_the_middle_is_a_reason_to_try_again(begun: bytes) -> None:
    def breaking(connection: socket.socket, server: ScriptedServer) -> None:
        read_request(connection)
        connection.sendall(begun)
        reset(connection)

    with scripted(breaking) as server, pytest.raises(TransientFetchError) as raised:
        fetch(server.url)
    assert raised.value.kind == "disconnect"


def test_a_bomb_is_kept_as_it_came() -> None:
    bomb = gzip.compress(b"\0" * 50_000_000)
    result = sent(OK + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(bomb) + bomb)
    assert result.body == bomb


def test_a_body_without_end_ends_at_the_limit() -> None:
    def endless(connection: socket.socket, server: ScriptedServer) -> None:
        read_request(connection)
        connection.sendall(OK + b"\r\n")
        while not server.stopped.is_set():
            connection.sendall(b"x" * 65_536)

    with scripted(endless) as server:
        result = fetch(server.url, fetcher(max_body_bytes=300_000))
    assert (len(result.body), result.truncated) == (300_000, "length")


def test_a_response_that_comes_byte_by_byte_is_whole() -> None:
    def dripping(connection: socket.socket, server: ScriptedServer) -> None:
        read_request(connection)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in CHUNKED + b"5\r\nhello\r\n0\r\n\r\n":
            connection.sendall(bytes([byte]))
        read_request(connection)

    with scripted(dripping) as server:
        result = fetch(server.url)
    assert (result.body, result.response_head) == (b"hello", CHUNKED)
