"""WARC 1.1 records, built as the bytes that go into a file: one gzip member each."""

import base64
import hashlib
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus

from isal import igzip

from webstrata.model.captures import Original
from webstrata.model.fetching import FetchResult

_COMPRESSION_LEVEL = 2
"""isal's levels go from 0 to 3; 2 is three times as fast as zlib's 6 and a few percent larger."""

_PROFILES = "http://netpreserve.org/warc/1.1/revisit/"
_NOT_MODIFIED = f"{_PROFILES}server-not-modified"
_SAME_PAYLOAD = f"{_PROFILES}identical-payload-digest"
_RECORD_ENDING = b"\r\n\r\n"
_HOP_BY_HOP = frozenset({b"transfer-encoding"})
_UNBROKEN = bytes.maketrans(b"\r\n", b"  ")
"""A line break inside a header would make two of it, or end them all."""


@dataclass(frozen=True)
class WarcRecord:
    """A record ready to be appended, with what the index wants to know of it."""

    record_id: str
    data: bytes
    payload_digest: str | None = None


def new_record_id() -> str:
    """Return an identifier that no other record has."""
    return f"<urn:uuid:{uuid.uuid4()}>"


def warcinfo(filename: str, now: datetime, fields: Iterable[tuple[str, str]]) -> WarcRecord:
    """Return the record that opens a file and says who wrote it, and for which source and job."""
    block = "".join(f"{name}: {_one_line(value)}\r\n" for name, value in fields).encode("utf-8", "replace")
    record_id = new_record_id()
    headers = [
        ("WARC-Type", "warcinfo"),
        ("WARC-Record-ID", record_id),
        ("WARC-Date", warc_date(now)),
        ("WARC-Filename", filename),
        ("Content-Type", "application/warc-fields"),
    ]
    return WarcRecord(record_id, _member(headers, block))


def exchange(result: FetchResult, warcinfo_id: str, original: Original | None = None) -> tuple[WarcRecord, WarcRecord]:
    """Return the answer and the request of one fetch; an answer whose payload is stored already refers to it."""
    answer = _response(result, warcinfo_id) if original is None else _revisit(result, warcinfo_id, original)
    headers = [
        ("WARC-Type", "request"),
        ("WARC-Record-ID", new_record_id()),
        ("WARC-Concurrent-To", answer.record_id),
        ("WARC-Target-URI", result.url),
        ("WARC-Date", warc_date(result.fetched_at)),
        ("WARC-Warcinfo-ID", warcinfo_id),
        ("WARC-Block-Digest", digest(result.request_head)),
        ("Content-Type", "application/http; msgtype=request"),
    ]
    return answer, WarcRecord(headers[1][1], _member(headers, result.request_head))


def _response(result: FetchResult, warcinfo_id: str) -> WarcRecord:
    block = http_head(result) + result.body
    headers = _answer_headers("response", result, warcinfo_id, block)
    payload_digest = digest(result.body)
    headers.append(("WARC-Payload-Digest", payload_digest))
    if result.truncated:
        headers.append(("WARC-Truncated", result.truncated))
    return WarcRecord(headers[1][1], _member(headers, block), payload_digest)


def _revisit(result: FetchResult, warcinfo_id: str, original: Original) -> WarcRecord:
    """Return a record that keeps the answer's head and stands on another record's payload."""
    block = http_head(result)
    not_modified = result.status == HTTPStatus.NOT_MODIFIED
    payload_digest = None if not_modified else digest(result.body)
    headers = _answer_headers("revisit", result, warcinfo_id, block)
    headers += [
        ("WARC-Profile", _NOT_MODIFIED if not_modified else _SAME_PAYLOAD),
        ("WARC-Refers-To", original.record_id),
        ("WARC-Refers-To-Target-URI", original.url),
        ("WARC-Refers-To-Date", warc_date(original.captured_at)),
    ]
    if payload_digest:
        headers.append(("WARC-Payload-Digest", payload_digest))
    return WarcRecord(headers[1][1], _member(headers, block), payload_digest)


def _answer_headers(kind: str, result: FetchResult, warcinfo_id: str, block: bytes) -> list[tuple[str, str]]:
    headers = [
        ("WARC-Type", kind),
        ("WARC-Record-ID", new_record_id()),
        ("WARC-Target-URI", result.url),
        ("WARC-Date", warc_date(result.fetched_at)),
        ("WARC-Warcinfo-ID", warcinfo_id),
        ("WARC-Block-Digest", digest(block)),
        ("Content-Type", "application/http; msgtype=response"),
    ]
    if result.ip_address:
        headers.append(("WARC-IP-Address", result.ip_address))
    return headers


def http_head(result: FetchResult) -> bytes:
    """Return the status line and headers as the server sent them.

    The client has already taken the chunks apart, so a Transfer-Encoding that no longer holds is kept under another
    name: readers that believe it would look for chunks in the body.
    """
    lines = [f"HTTP/{result.http_version} {result.status} {result.reason}".rstrip().encode("latin-1", "replace")]
    for name, value in result.headers:
        shown = b"X-Archive-Orig-" + name if name.lower() in _HOP_BY_HOP else name
        lines.append(shown + b": " + value)
    return b"\r\n".join(line.translate(_UNBROKEN) for line in lines) + b"\r\n\r\n"


def digest(data: bytes) -> str:
    """Return bytes' digest in the form that other archives use."""
    return "sha1:" + base64.b32encode(hashlib.sha1(data, usedforsecurity=False).digest()).decode("ascii")


def warc_date(moment: datetime) -> str:
    """Return a moment as WARC 1.1 writes it, to the microsecond."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _member(headers: Iterable[tuple[str, str]], block: bytes) -> bytes:
    """Return one gzip member that holds one record."""
    head = "".join(f"{name}: {_one_line(value)}\r\n" for name, value in headers)
    record = (
        f"WARC/1.1\r\n{head}Content-Length: {len(block)}\r\n\r\n".encode("utf-8", "replace") + block + _RECORD_ENDING
    )
    return igzip.compress(record, compresslevel=_COMPRESSION_LEVEL, mtime=0)


def _one_line(value: str) -> str:
    """Keep a value from ending its header: what a server or a user wrote must not become WARC syntax."""
    return " ".join(value.split())
