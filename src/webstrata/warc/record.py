"""WARC 1.1 records, and the bytes that go into a file: one gzip member each."""

import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus

from isal import isal_zlib

from webstrata.model.browser.posted import split_posted_url
from webstrata.model.captures import Original
from webstrata.model.crawl.fetching import FetchResult
from webstrata.model.digests import digest

RESOURCE_TYPE = "WARC-Resource-Type"
"""Browsertrix's extension header with the type of a browser's request (`document`, `image`, `stylesheet`, `other`)."""

REQUISITE = "other"
"""The resource type of requisites: which element of the page loads them is not known."""

_COMPRESSION_LEVEL = 2
"""isal's levels go from 0 to 3; 2 is ten times as fast as zlib's 6 on real pages, and 15 percent larger."""

_GZIP = 31
"""The `wbits` value for gzip; the header's time is 0, so that equal records are equal bytes."""

_STEP = 1_048_576
"""Larger records are compressed in steps of this size, so that neither a copy nor the whole output is in memory."""

_PROFILES = "http://netpreserve.org/warc/1.1/revisit/"
_NOT_MODIFIED = f"{_PROFILES}server-not-modified"
_SAME_PAYLOAD = f"{_PROFILES}identical-payload-digest"
_RECORD_ENDING = b"\r\n\r\n"
_BARE_LF = re.compile(rb"(?<!\r)\n")
_UNTRUE = re.compile(rb"^(?:Transfer-Encoding|Content-Length)(?=[ \t]*:)", re.IGNORECASE | re.MULTILINE)
_UNBROKEN = bytes.maketrans(b"\r\n", b"  ")
"""A line break in a value would start a new header or end the head."""

Headers = list[tuple[str, str]]

RENDERED_AT = "Webstrata-Rendered-At"
"""The header with the position of a page's rendered document in the same file: offset, length."""


POSTED = "Webstrata-Posted"
"""The header with the method and body of a response's request, so that the index need not read the request record."""


@dataclass(frozen=True)
class WarcRecord:
    """A record ready to be appended, with the values that the index needs."""

    record_id: str
    parts: tuple[bytes, ...]
    """The record's bytes in parts, so that the body need not be copied."""
    payload_digest: str | None = None

    def compressed(self) -> Iterator[bytes]:
        """Yield the gzip member that holds the record, a large one piece by piece."""
        if sum(map(len, self.parts)) <= _STEP:
            yield isal_zlib.compress(b"".join(self.parts), _COMPRESSION_LEVEL, _GZIP)
            return
        stream = isal_zlib.compressobj(_COMPRESSION_LEVEL, isal_zlib.DEFLATED, _GZIP)
        for part in self.parts:
            for start in range(0, len(part), _STEP):
                yield stream.compress(part[start : start + _STEP])
        yield stream.flush()


def new_record_id() -> str:
    """Return an identifier that no other record has."""
    # Formatted here in a third of uuid's time, as each page needs two. `os.urandom` releases the GIL, and getting it
    # back takes as long as the rest of the record; `random` is seeded from it once, and again after a fork.
    digits = f"{random.getrandbits(128):032x}"
    variant = "89ab"[int(digits[16], 16) & 3]
    return f"<urn:uuid:{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}>"


def warcinfo(
    filename: str, now: datetime, fields: Iterable[tuple[str, str]], record_id: str | None = None
) -> WarcRecord:
    """Return the record that opens a file and names its writer, source and job."""
    record_id = record_id or new_record_id()
    headers = [
        ("WARC-Type", "warcinfo"),
        ("WARC-Record-ID", record_id),
        ("WARC-Date", warc_date(now)),
        ("WARC-Filename", _one_line(filename)),
        ("Content-Type", "application/warc-fields"),
    ]
    described = [(name, _one_line(value)) for name, value in fields]
    return WarcRecord(record_id, _parts(headers, _lines(described).encode("utf-8", "replace")))


def exchange(
    result: FetchResult,
    warcinfo_id: str,
    original: Original | None = None,
    resource_type: str | None = None,
    rendered_at: tuple[int, int] | None = None,
) -> tuple[WarcRecord, WarcRecord]:
    """Return the records of a response and its request; if the payload is stored already, the first is a revisit.

    The record of a page that a browser opened has the position of the rendered document, if that is stored.
    """
    shared = [
        ("WARC-Target-URI", _one_line(result.url)),
        ("WARC-Date", warc_date(result.fetched_at)),
        ("WARC-Warcinfo-ID", warcinfo_id),
    ]
    if resource_type is not None:
        shared.append((RESOURCE_TYPE, resource_type))
    place = [(RENDERED_AT, f"{rendered_at[0]}, {rendered_at[1]}")] if rendered_at else []
    if result.posted is not None:
        place.append((POSTED, _one_line(result.posted)))
    response_record = (
        _response(result, shared + place) if original is None else _revisit(result, shared + place, original)
    )
    request_id = new_record_id()
    headers = [
        ("WARC-Type", "request"),
        ("WARC-Record-ID", request_id),
        ("WARC-Concurrent-To", response_record.record_id),
        *shared,
        ("WARC-Block-Digest", digest(result.request_head)),
        ("Content-Type", "application/http; msgtype=request"),
    ]
    return response_record, WarcRecord(request_id, _parts(headers, result.request_head))


def resource(
    url: str, content_type: str, block: bytes, moment: datetime, warcinfo_id: str, concurrent_to: str | None = None
) -> WarcRecord:
    """Return a resource record, such as a screenshot, that belongs to another record."""
    record_id, block_digest = new_record_id(), digest(block)
    headers = [
        ("WARC-Type", "resource"),
        ("WARC-Record-ID", record_id),
        *([("WARC-Concurrent-To", concurrent_to)] if concurrent_to else []),
        ("WARC-Target-URI", _one_line(url)),
        ("WARC-Date", warc_date(moment)),
        ("WARC-Warcinfo-ID", warcinfo_id),
        ("WARC-Block-Digest", block_digest),
        ("WARC-Payload-Digest", block_digest),
        ("Content-Type", content_type),
    ]
    return WarcRecord(record_id, _parts(headers, block), block_digest)


def _response(result: FetchResult, shared: Headers) -> WarcRecord:
    head, record_id = http_head(result), new_record_id()
    headers = _response_headers("response", record_id, result, shared, digest(head, result.body))
    headers.append(("WARC-Payload-Digest", result.body_digest))
    if result.truncated:
        headers.append(("WARC-Truncated", result.truncated))
    return WarcRecord(record_id, _parts(headers, head, result.body), result.body_digest)


def _revisit(result: FetchResult, shared: Headers, original: Original) -> WarcRecord:
    """Return a revisit record: the head of the response, and a reference to another record's payload."""
    head, record_id = http_head(result), new_record_id()
    not_modified = result.status == HTTPStatus.NOT_MODIFIED
    payload_digest = None if not_modified else result.body_digest
    headers = _response_headers("revisit", record_id, result, shared, digest(head))
    headers += [
        ("WARC-Profile", _NOT_MODIFIED if not_modified else _SAME_PAYLOAD),
        ("WARC-Refers-To", _one_line(original.record_id)),
        ("WARC-Refers-To-Target-URI", _one_line((split_posted_url(original.url) or (original.url,))[0])),
        ("WARC-Refers-To-Date", warc_date(original.captured_at)),
    ]
    if payload_digest:
        headers.append(("WARC-Payload-Digest", payload_digest))
    return WarcRecord(record_id, _parts(headers, head), payload_digest)


def _response_headers(kind: str, record_id: str, result: FetchResult, shared: Headers, block_digest: str) -> Headers:
    headers = [
        ("WARC-Type", kind),
        ("WARC-Record-ID", record_id),
        *shared,
        ("WARC-Block-Digest", block_digest),
        ("Content-Type", "application/http; msgtype=response"),
    ]
    if result.ip_address:
        headers.append(("WARC-IP-Address", _one_line(result.ip_address)))
    return headers


def http_head(result: FetchResult) -> bytes:
    """Return the status line and headers as the server sent them, where the fetcher knows their bytes.

    Two things are changed, because readers rely on them. Line ends become CRLF, by which fastwarc finds the payload. As
    the client has removed the chunks, Transfer-Encoding (and a wrong Content-Length beside it) is stored under another
    name; otherwise warcio and pywb would look for chunks in the body.
    """
    head = _BARE_LF.sub(b"\r\n", result.response_head or _written_head(result))
    return head if result.header("transfer-encoding") is None else _UNTRUE.sub(rb"X-Archive-Orig-\g<0>", head)


def _written_head(result: FetchResult) -> bytes:
    """Return a head made from the known fields of a response whose own bytes are unknown."""
    lines = [f"HTTP/{result.http_version} {result.status} {result.reason}".rstrip().encode("latin-1", "replace")]
    lines += [name + b": " + value for name, value in result.headers]
    return b"\r\n".join(line.translate(_UNBROKEN) for line in lines) + b"\r\n\r\n"


def warc_date(moment: datetime) -> str:
    """Return a moment as WARC 1.1 writes it, to the microsecond."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _parts(headers: Headers, *block: bytes) -> tuple[bytes, ...]:
    """Return a record's bytes."""
    head = f"WARC/1.1\r\n{_lines(headers)}Content-Length: {sum(map(len, block))}\r\n\r\n".encode("utf-8", "replace")
    return (head, *block, _RECORD_ENDING)


def _lines(headers: Headers) -> str:
    return "".join([f"{name}: {value}\r\n" for name, value in headers])


def _one_line(value: str) -> str:
    """Remove line ends from a header's value, so that input of servers and users cannot become WARC syntax."""
    return " ".join(value.split())
