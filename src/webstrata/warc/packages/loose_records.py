"""Reads records of non-standard WARC and ARC files: other line ends, header names in lower case, wrong lengths.

Heads are converted to the standard form; blocks are unchanged.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from webstrata.warc.arc import MAX_LINE_BYTES, arc_head, is_arc_start
from webstrata.warc.packages.unpacking import CutOffError

_MAX_HEAD_BYTES = 1_048_576
_MAX_MARK_BYTES = 32
_READ_BYTES = 1_048_576
_BLANK = b"\r\n"
_FIRST_LINE = re.compile(rb"WARC/(\d+\.\d+)[ \t]*\r*\n")
_NEXT_RECORD = re.compile(rb"\n" + _FIRST_LINE.pattern)
_HEAD_END = re.compile(rb"\n\r*\n")
_LINE_END = re.compile(rb"\r*\n")
_LENGTH = re.compile(rb"\ncontent-length[ \t]*:[ \t]*(\d{1,15})[ \t]*\r*\n", re.IGNORECASE)
_USUAL_HEAD = re.compile(rb"WARC/(?:0\.17|0\.18|1\.0|1\.1)\r\n(?=(?:[^\r\n]+\r\n)*WARC-Type:)(?:[^\r\n]+\r\n)*\r\n")
_VERSIONS = (b"0.17", b"0.18", b"1.0", b"1.1")
_NEWEST = b"1.1"
_NAMES = {
    name.lower(): name
    for name in (
        b"WARC-Type WARC-Record-ID WARC-Date Content-Length Content-Type WARC-Concurrent-To WARC-Block-Digest"
        b" WARC-Payload-Digest WARC-IP-Address WARC-Refers-To WARC-Refers-To-Target-URI WARC-Refers-To-Date"
        b" WARC-Target-URI WARC-Truncated WARC-Warcinfo-ID WARC-Filename WARC-Profile WARC-Identified-Payload-Type"
        b" WARC-Segment-Number WARC-Segment-Origin-ID WARC-Segment-Total-Length WARC-Resource-Type"
    ).split()
}


class LooseError(Exception):
    """A record cannot be read; others may follow."""


@dataclass(frozen=True)
class LooseHead:
    """The head of a record in its standard form, the length of its block, and the bytes that end the record."""

    data: bytes
    length: int
    ending: bytes


class LooseStream:
    """Unpacked bytes in order; a damaged end is noted, not raised."""

    def __init__(self, parts: Iterator[bytes]) -> None:
        """Read parts."""
        self._parts = parts
        self._buffer = bytearray()
        self.position = 0
        self.damage: str | None = None

    def peek(self, size: int) -> bytes:
        """Return the next bytes without consuming them, fewer at the end."""
        while len(self._buffer) < size and self._fill():
            pass
        return bytes(self._buffer[:size])

    def block(self, size: int) -> Iterator[bytes]:
        """Yield so many bytes in pieces; LooseError when there are fewer."""
        while size > 0:
            part = self.peek(min(size, _READ_BYTES))
            if not part:
                raise LooseError("the file ends in the middle of a record")
            self.drop(len(part))
            size -= len(part)
            yield part

    def drop(self, size: int) -> None:
        """Consume the next bytes."""
        del self._buffer[:size]
        self.position += size

    def skip_blank_lines(self) -> None:
        """Consume line ends."""
        while (following := self.peek(_MAX_MARK_BYTES)) and (rest := following.lstrip(_BLANK)) != following:
            self.drop(len(following) - len(rest))

    def skip_to_record(self) -> bool:
        """Seek to the next WARC record, and return whether there is one."""
        while (found := _NEXT_RECORD.search(self._buffer)) is None:
            self.drop(max(0, len(self._buffer) - _MAX_MARK_BYTES))
            if not self._fill():
                return False
        self.drop(found.start() + 1)
        return True

    def _fill(self) -> bool:
        try:
            for part in self._parts:
                if part:
                    self._buffer += part
                    return True
        except CutOffError as error:
            self.damage = str(error)
        return False


def has_unusual_head(first: bytes) -> bool:
    """Return whether bytes begin with a WARC record whose head only some readers understand."""
    begin = first.lstrip(_BLANK)
    return _FIRST_LINE.match(begin) is not None and _USUAL_HEAD.match(begin) is None


def begins_record(stream: LooseStream) -> bool:
    """Return whether a WARC or an ARC record begins at a stream's position."""
    return _FIRST_LINE.match(stream.peek(_MAX_MARK_BYTES)) is not None or _is_arc(stream)


def take_head(stream: LooseStream) -> LooseHead:
    """Return the head of the next record and consume it; LooseError when there is none."""
    if _is_arc(stream):
        return _take_arc_head(stream)
    first = stream.peek(_READ_BYTES // 16)
    end = _HEAD_END.search(first) or _HEAD_END.search(first := stream.peek(_MAX_HEAD_BYTES))
    line, length = _FIRST_LINE.match(first), _LENGTH.search(first, 0, end.end() if end else 0)
    if line is None or end is None or length is None:
        raise LooseError("no WARC record here" if line is None else "a record without its length (Content-Length)")
    stream.drop(end.end())
    version = line[1] if line[1] in _VERSIONS else _NEWEST
    fields = b"".join(_field(text) for text in _LINE_END.split(first[line.end() : end.start()]) if text)
    return LooseHead(b"WARC/" + version + b"\r\n" + fields + b"\r\n", int(length[1]), b"\r\n\r\n")


def _is_arc(stream: LooseStream) -> bool:
    return is_arc_start(stream.peek(_MAX_MARK_BYTES)) and arc_head(stream.peek(MAX_LINE_BYTES)) is not None


def _take_arc_head(stream: LooseStream) -> LooseHead:
    first = stream.peek(MAX_LINE_BYTES)
    head = arc_head(first)
    assert head is not None
    stream.drop(head.line_bytes)
    return LooseHead(first[: head.line_bytes], head.length, b"\n")


def _field(line: bytes) -> bytes:
    """Return a line of a head with the standard name and line end; a folded line remains folded."""
    name, colon, value = line.partition(b":")
    if line[:1] in (b" ", b"\t") or not colon:
        return line + b"\r\n"
    name = name.strip()
    return _NAMES.get(name.lower(), name) + b": " + value.strip() + b"\r\n"
