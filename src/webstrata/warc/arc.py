"""ARC files, versions 1 and 2: what crawlers wrote before WARC, converted to WARC records.

A record is one line, then what the server sent, then an empty line or none:

    URL IP-address date content-type length                                                        version 1
    URL IP-address date content-type status checksum location offset file-name length              version 2

The first record, of the URL `filedesc://…`, describes the file.
"""

import re
import uuid
import zlib
from dataclasses import dataclass
from hashlib import sha1

from webstrata.warc.parsing import BrokenError
from webstrata.warc.seeking import GZIP_WINDOW, Seekable, is_gzip

MAX_LINE_BYTES = 8_192
_CHUNK = 262_144
_SCHEMES = rb"(?:filedesc|https?|ftps?|dns|gopher|news|nntp|whois|metadata|screenshot)"
ARC_MARK = rb"(?<=\n)" + _SCHEMES + rb":"
"""How a record of a plain file begins; `arc_head` checks the rest of the line."""

_LINE = (
    rb"[\r\n]*(?P<url>" + _SCHEMES + rb":[^\n]*) (?P<ip>\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]*:[0-9a-f:.]+|0|-)"
    rb" (?P<date>\d{1,17}|-) (?P<type>[^;\s]*(?:;[^\n]{0,100}?)?)"
)
_LENGTH = rb" (?P<length>\d{1,18})\r?\n"
_HEADS = (
    re.compile(_LINE + rb" (?:\d{1,3}|-) \S+ \S+ (?:\d+|-) \S+" + _LENGTH, re.IGNORECASE),
    re.compile(_LINE + _LENGTH, re.IGNORECASE),
)
"""Version 2 first: the end of its line also matches version 1, whose URLs may contain spaces."""

_HTTP_ENDING = re.compile(rb"\r?\n\r?\n")
_START = re.compile(rb"[\r\n]*" + _SCHEMES + rb":", re.IGNORECASE)


@dataclass(frozen=True)
class ArcHead:
    """The fields of a record's line, and how many bytes the line takes."""

    url: bytes
    ip: bytes
    date: bytes
    mime_type: bytes
    length: int
    line_bytes: int


@dataclass(frozen=True)
class ArcRecord:
    """A record of an ARC file: its length in the file, and the equivalent WARC record."""

    length: int
    as_warc: bytes


class PackedTogetherError(Exception):
    """Several records are in one gzip member."""


def arc_head(first: bytes) -> ArcHead | None:
    """Return the fields of the line at the beginning of some bytes, or None when no ARC record begins there."""
    line = first[:MAX_LINE_BYTES]
    found = next((found for head in _HEADS if (found := head.match(line))), None)
    if found is None:
        return None
    return ArcHead(found["url"], found["ip"], found["date"], found["type"], int(found["length"]), found.end())


def is_arc_start(first: bytes) -> bool:
    """Return whether bytes begin like a plain ARC record, whose line may be cut off."""
    return _START.match(first) is not None


def begins_arc_record(file: Seekable, offset: int) -> bool:
    """Return whether an ARC record begins at an offset."""
    file.seek(offset)
    first = file.read(MAX_LINE_BYTES)
    return arc_head(unpacked_start(first) if is_gzip(first) else first) is not None


def unpacked_start(packed: bytes) -> bytes:
    """Return the first bytes of a gzip member's content; empty when it is damaged."""
    try:
        return zlib.decompressobj(GZIP_WINDOW).decompress(packed, MAX_LINE_BYTES)
    except zlib.error:
        return b""


def arc_record(file: Seekable, offset: int, most_bytes: int) -> ArcRecord:
    """Return the record at an offset; BrokenError when it is damaged, or larger than what may be read.

    PackedTogetherError when others are in the same gzip member.
    """
    file.seek(offset)
    packed = is_gzip(file.read(3))
    file.seek(offset)
    data, length = _member(file, most_bytes) if packed else _plain(file, most_bytes)
    head = arc_head(data)
    if head is None:
        raise BrokenError("no ARC record here")
    block, rest = data[head.line_bytes :][: head.length], data[head.line_bytes + head.length :]
    if len(block) < head.length:
        raise BrokenError("this record is shorter than its declared length")
    if arc_head(rest) is not None:
        raise PackedTogetherError
    if rest.strip(b"\r\n"):
        raise BrokenError("this record does not end at its declared length")
    return ArcRecord(length, _as_warc(head, block))


def plain_arc_length(file: Seekable, offset: int) -> int | None:
    """Return how many bytes a record takes in a file that is not compressed, or None when it is not whole."""
    file.seek(offset)
    head = arc_head(file.read(MAX_LINE_BYTES))
    if head is None:
        return None
    length = head.line_bytes + head.length
    file.seek(offset + length - 1)
    last, following = file.read(1), file.read(MAX_LINE_BYTES)
    empty = len(following) - len(following.lstrip(b"\r\n"))
    # One empty line is enough, whatever follows; some writers leave it out.
    ended = empty or not following or arc_head(following) is not None
    return length + empty if last and ended else None


def _member(file: Seekable, most_bytes: int) -> tuple[bytes, int]:
    """Return the content of the gzip member that begins here, and its compressed length."""
    unpacking, size, data = zlib.decompressobj(GZIP_WINDOW), 0, bytearray()
    while not unpacking.eof:
        packed = unpacking.unconsumed_tail
        if not packed:
            packed = file.read(_CHUNK)
            size += len(packed)
        try:
            data += unpacking.decompress(packed, _CHUNK)
        except zlib.error as error:
            raise BrokenError(f"damaged gzip member ({error})") from error
        if not packed and not unpacking.eof:
            raise BrokenError("the file ends in the middle of a record")
        if len(data) > most_bytes:
            raise BrokenError(f"the record holds more than {most_bytes} bytes, more than can be read at once")
    return bytes(data), size - len(unpacking.unused_data)


def _plain(file: Seekable, most_bytes: int) -> tuple[bytes, int]:
    offset = file.tell()
    length = plain_arc_length(file, offset)
    if length is None:
        raise BrokenError("this record does not end at its declared length, or the file ends in the middle of it")
    if length > most_bytes:
        raise BrokenError(f"the record holds {length} bytes, more than can be read at once")
    file.seek(offset)
    return file.read(length), length


def _as_warc(head: ArcHead, block: bytes) -> bytes:
    is_http = head.url[:4].lower() == b"http" and block.startswith(b"HTTP/")
    content = _with_line_ends(block) if is_http else block
    lines = {
        b"WARC-Type": _kind(head, is_http),
        b"WARC-Target-URI": head.url,
        b"WARC-Date": head.date,
        b"WARC-Record-ID": _record_id(head, block),
        b"WARC-IP-Address": head.ip,
        b"Content-Type": b"application/http; msgtype=response" if is_http else head.mime_type,
        b"Content-Length": b"%d" % len(content),
    }
    fields = b"".join(name + b": " + value + b"\r\n" for name, value in lines.items())
    return b"WARC/1.0\r\n" + fields + b"\r\n" + content + b"\r\n\r\n"


def _with_line_ends(response: bytes) -> bytes:
    """Return a response whose head has the line ends of HTTP: early crawlers stored bare line feeds."""
    ending = _HTTP_ENDING.search(response)
    if ending is None:
        return response
    head = b"\r\n".join(response[: ending.start()].splitlines())
    return head + b"\r\n\r\n" + response[ending.end() :]


def _kind(head: ArcHead, is_http: bool) -> bytes:
    if head.url.lower().startswith(b"filedesc:"):
        return b"warcinfo"
    return b"response" if is_http else b"resource"


def _record_id(head: ArcHead, block: bytes) -> bytes:
    """Return an id that is the same for every copy of a record: ARC records have none of their own."""
    name = sha1(b" ".join((head.url, head.ip, head.date, block)), usedforsecurity=False).hexdigest()
    return b"<urn:uuid:%s>" % str(uuid.uuid5(uuid.NAMESPACE_URL, f"arc:{name}")).encode()
