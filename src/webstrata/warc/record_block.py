"""Reads the block of a WARC record: the headers of its response, its body, decoded if requested, and its digest."""

from collections.abc import Callable
from dataclasses import dataclass

from fastwarc.warc import WarcRecord, WarcRecordType

from webstrata.content.decode import MAX_DECODED_BYTES, dechunked, decoded
from webstrata.model.digests import digest
from webstrata.warc.digests import normal_digest
from webstrata.warc.http_block import MAX_HTTP_HEAD, HttpHead, begins_http, has_whole_head, parse_head

MAX_BLOCK_BYTES = 1_000_000_000
"""The largest record that is read, as it must fit into memory."""

MostBytes = Callable[[str | None], int]
"""A function that returns the largest size of a body by its declared type."""

_HTTP_TYPE = "application/http"
_FIRST_BYTES = 65_536
"""How many bytes of a block are read first: enough for nearly all heads."""


class SenselessError(Exception):
    """The content of a record is invalid; reading can continue with the next one."""


@dataclass(frozen=True, slots=True)
class RecordBlock:
    """The content of a record."""

    headers: dict[str, str]
    """The headers of the response, else of the record, by name in lower case."""
    status_code: int | None
    body: bytes
    omitted_bytes: int
    """The size of the body if it was left out because it is too large."""
    payload_digest: str | None
    """From the record, else computed, as revisits may refer to it."""


def read_block(record: WarcRecord, most_bytes: MostBytes | None, *, decode: bool) -> RecordBlock:
    """Return the content of a record; a body above the size limit is left out.

    Chunks are removed from the body, and with `decode` also its content encoding.
    """
    first, http = _first_part(record)
    headers = _own_headers(record) if http is None else http.headers
    most = None if most_bytes is None else most_bytes(declared_type(headers))
    status, start = (None, 0) if http is None else (http.status_code, http.body_start)
    stated = normal_digest(record.headers.get("WARC-Payload-Digest"))
    size = record.content_length - start
    if most is not None and size > most:
        return RecordBlock(headers, status, b"", size, stated)
    payload = _payload(record, first, start)
    if stated is None and record.record_type != WarcRecordType.revisit:
        stated = digest(payload)
    body = payload if http is None else _body(payload, headers, most, decode)
    if most is not None and len(body) > most:
        return RecordBlock(headers, status, b"", len(body), stated)
    return RecordBlock(headers, status, body, 0, stated)


def declared_type(headers: dict[str, str]) -> str | None:
    """Return the declared type without its parameters."""
    return headers.get("content-type", "").partition(";")[0].strip().lower() or None


def _body(payload: bytes, headers: dict[str, str], most: int | None, decode: bool) -> bytes:
    body = dechunked(payload) if "chunked" in headers.get("transfer-encoding", "").lower() else payload
    if not decode:
        return body
    return decoded(body, headers.get("content-encoding"), MAX_DECODED_BYTES if most is None else most + 1)


def _first_part(record: WarcRecord) -> tuple[bytes, HttpHead | None]:
    """Return the beginning of a record's block, and the head of its HTTP response if it has one."""
    first = record.reader.read(min(record.content_length, _FIRST_BYTES))
    if not _may_be_http(record) or not begins_http(first):
        return first, None
    if not has_whole_head(first):
        first += record.reader.read(min(record.content_length, MAX_HTTP_HEAD) - len(first))
    return first, parse_head(first)


def _may_be_http(record: WarcRecord) -> bool:
    """Return whether a block may be an HTTP response: some tools leave out its type, or write it in capitals."""
    kind = record.headers.get("Content-Type")
    if kind is None:
        return record.headers["WARC-Target-URI"].strip("<>")[:4].lower() == "http"
    return kind.strip().lower().startswith(_HTTP_TYPE)


def _own_headers(record: WarcRecord) -> dict[str, str]:
    """Return the headers of a record with a file instead of a response; a body without a head has no type."""
    headers = {name.lower(): value for name, value in record.headers.items()}
    return {} if headers.get("content-type", "").strip().lower().startswith(_HTTP_TYPE) else headers


def _payload(record: WarcRecord, first: bytes, start: int) -> bytes:
    """Return a record's block from an offset on; its `first` bytes were read. An incomplete block is an error."""
    if record.content_length > MAX_BLOCK_BYTES:
        raise SenselessError(f"the record holds {record.content_length} bytes, more than can be read at once")
    rest = record.reader.read() if len(first) < record.content_length else b""
    if len(first) + len(rest) < record.content_length:
        raise SenselessError("the record is shorter than its Content-Length")
    return first[start:] + rest if start <= len(first) else rest[start - len(first) :]
