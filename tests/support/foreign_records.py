"""WARC and ARC records as other tools write them, odd ones included, byte by byte."""

import gzip
import itertools
from collections.abc import Iterable

PAGE = b"<!doctype html><title>Harbour</title><h1>Harbour</h1><p>Ships come and go here every day."
DATE = "2020-01-02T03:04:05Z"
TIMESTAMP = "20200102030405"
RESPONSE = "application/http; msgtype=response"

_numbers = itertools.count(1)

Headers = Iterable[tuple[str, str]]


def http(
    body: bytes = PAGE,
    status: str = "HTTP/1.1 200 OK",
    *headers: tuple[str, str],
    kind: str = "text/html",
    line_end: bytes = b"\r\n",
) -> bytes:
    """Return a response as a server sent it."""
    lines = [status, f"Content-Type: {kind}", *(f"{name}: {value}" for name, value in headers)]
    return line_end.join(line.encode("latin-1") for line in lines) + 2 * line_end + body


def record(
    url: str | bytes,
    block: bytes,
    *headers: tuple[str, str],
    kind: str = "response",
    content_type: str | None = RESPONSE,
    date: str | None = DATE,
    version: str = "1.0",
    line_end: bytes = b"\r\n",
    ending: bytes = b"\r\n\r\n",
) -> bytes:
    """Return a WARC record."""
    given = [
        ("WARC-Type", kind),
        ("WARC-Date", date),
        ("WARC-Record-ID", f"<urn:uuid:00000000-0000-4000-8000-{next(_numbers):012d}>"),
        ("Content-Type", content_type),
        *headers,
        ("Content-Length", str(len(block))),
    ]
    address = url if isinstance(url, bytes) else url.encode()
    lines = [b"WARC/" + version.encode(), b"WARC-Target-URI: " + address]
    lines += [f"{name}: {value}".encode() for name, value in given if value is not None]
    return line_end.join(lines) + 2 * line_end + block + ending


def packed(*records: bytes) -> bytes:
    """Return records as gzip members, one each."""
    return b"".join(gzip.compress(one, mtime=0) for one in records)


def chunked(body: bytes, extension: bytes = b"") -> bytes:
    """Return a body in chunks of seven bytes."""
    pieces = [body[start : start + 7] for start in range(0, len(body), 7)]
    return b"".join(b"%X%s\r\n%s\r\n" % (len(piece), extension, piece) for piece in pieces) + b"0\r\n\r\n"
