"""HTTP/1.1 response parser without I/O: gets bytes in pieces of any size."""

import re
from io import BytesIO
from typing import NamedTuple

from webstrata.errors import FetchError, TransientFetchError
from webstrata.model.crawl.fetching import RawHeaders

MAX_HEAD_BYTES = 65_536
"""Limit for everything before the body: interim responses, status line and headers; trailers have the same limit
again."""

MAX_HEADERS = 1_000
_MAX_LENGTH_DIGITS = 18
_MAX_CHUNK_LINE = 4_096
_MANY_STEPS = 3_000
"""After so many parsing steps (three per chunk, a few milliseconds in total), other tasks run first."""

_PREFIX = b"HTTP/"

# Many servers end lines with a bare LF; RFC 9112, 2.2 lets a reader accept that.
_HEAD_END = re.compile(rb"\n\r?\n")
_STATUS_LINE = re.compile(rb"HTTP/(\d\.\d) +([1-9]\d\d)(?: +(.*)| *)", re.DOTALL)
_SIZE_LINE = re.compile(rb"[ \t]*([0-9a-fA-F]{1,15})[ \t]*(?:;.*)?\r?", re.DOTALL)
_FOLD = re.compile(rb"[ \t]*\n[ \t]+")
_BLANKS = (b" ", b"\t", b"")
_SPACED = bytes.maketrans(b"\r\0", b"  ")
"""Bytes that could end a line or a string in another program are replaced by a space (RFC 9110, 5.5)."""

_MAX_REASON = 200
_FRAMING = frozenset({b"content-length", b"transfer-encoding", b"connection"})
_WITHOUT_BODY = frozenset({204, 304})
_FIRST_FINAL = 200
_SWITCHING_PROTOCOLS = 101

# The parser's states. Plain integers, as an enum takes a fifth of the time.
_HEAD, _LENGTH, _UNTIL_CLOSE, _CHUNK_SIZE, _CHUNK, _CHUNK_END, _TRAILERS, _DONE = range(8)


Framing = dict[bytes, list[bytes]]
"""The headers that define where a response ends, by name: all of their tokens, in lower case."""


class Head(NamedTuple):
    """The part of a response before its body: the exact bytes, and parsed."""

    raw: bytes
    http_version: str
    status: int
    reason: str
    """The reason phrase, shortened for a message."""
    headers: RawHeaders
    framing: Framing


class WireResponse(NamedTuple):
    """A complete response; its body is without chunks, but still has its content encoding."""

    head: Head
    body: bytes
    truncated: str | None
    reusable: bool
    """Whether the connection is at the end of the response and may carry another one."""


class ResponseParser:
    """Parses the response to one GET.

    `feed` returns whether the response is complete; `end` marks the end of the input. Bytes that are not HTTP are a
    FetchError. A body that ends before its declared length is a TransientFetchError and not a capture: later readers
    would take it for the page, and another attempt usually succeeds.
    """

    def __init__(self, max_body_bytes: int, *, head_only: bool = False) -> None:
        """Begin with nothing read; a body is truncated at the limit, and with `head_only` not expected."""
        self.started = False
        self.was_laborious = False
        """Whether the last bytes had so many small chunks that parsing noticeably delayed other tasks."""
        self._max_body_bytes = max_body_bytes
        self._head_only = head_only
        self._stage = _HEAD
        self._rest = bytearray()
        """Bytes that are not parsed yet: the beginning of a head or of a line."""
        self._head: Head | None = None
        self._head_room = MAX_HEAD_BYTES
        self._left = 0
        self.body_size = 0
        self._body = BytesIO()
        """BytesIO returns its bytes without a copy, unlike a bytearray, so a large body is in memory only once."""
        self._truncated: str | None = None
        self._excess = False

    def feed(self, data: bytes) -> bool:
        """Parse the next bytes and return whether the response is complete."""
        self.started = True
        # An offset into the same bytes; slicing would copy the rest for every small chunk.
        position = steps = 0
        while position < len(data) and self._stage != _DONE:
            position = self._step(data, position)
            steps += 1
        self.was_laborious = steps > _MANY_STEPS
        self._excess = self._excess or position < len(data)
        return self._stage == _DONE

    def end(self) -> None:
        """Mark the end of the input; TransientFetchError when the response is not complete without more bytes."""
        if self._stage == _HEAD:
            where = "in the middle of its headers" if self._rest else "without a response"
            raise TransientFetchError(f"the server closed the connection {where}", kind="disconnect")
        # After the last chunk only the empty line is missing, so the body is complete.
        if self._stage not in {_UNTIL_CLOSE, _TRAILERS, _DONE}:
            raise TransientFetchError("the server closed the connection in the middle of the body", kind="disconnect")
        self._excess = True
        self._stage = _DONE

    def response(self) -> WireResponse:
        """Return the response, once it is complete."""
        assert self._head is not None
        assert self._stage == _DONE
        reusable = not self._excess and self._truncated is None and (self._head_only or _stays_open(self._head))
        return WireResponse(self._head, self._body.getvalue(), self._truncated, reusable)

    def _step(self, data: bytes, start: int) -> int:
        """Parse the bytes of the current state and return the offset of the next."""
        if self._stage == _HEAD:
            return self._take_head(data, start)
        if self._stage in {_LENGTH, _CHUNK}:
            return self._take_counted(data, start)
        if self._stage == _UNTIL_CLOSE:
            self._keep(data[start:])
            return len(data)
        return self._take_line(data, start)

    def _take_head(self, data: bytes, start: int) -> int:
        end = None if self._rest else _HEAD_END.search(data, start, start + self._head_room)
        if end is None:
            return self._take_more_of_head(data, start)
        self._read_head(data[start : end.end()])
        return end.end()

    def _take_more_of_head(self, data: bytes, start: int) -> int:
        """Add a piece of an incomplete head."""
        known = len(self._rest)
        self._rest += data[start : start + self._head_room - known]
        end = _HEAD_END.search(self._rest, max(0, known - 2))
        if end is None:
            self._refuse_early()
            return len(data)
        raw = bytes(self._rest[: end.end()])
        self._rest.clear()
        self._read_head(raw)
        return start + len(raw) - known

    def _read_head(self, raw: bytes) -> None:
        self._head_room -= len(raw)
        head = read_head(raw)
        if head.status >= _FIRST_FINAL:
            self._head = head
            self._begin_body(head)
        elif head.status == _SWITCHING_PROTOCOLS:
            raise _not_http("it switches to another protocol")

    def _refuse_early(self) -> None:
        """Refuse bytes that cannot become a head, as soon as that is certain."""
        if self._rest[: len(_PREFIX)] != _PREFIX[: len(self._rest)]:
            raise _not_http(f"it begins with {_printable(self._rest)}")
        if len(self._rest) >= self._head_room:
            raise _not_http(f"its headers are longer than {MAX_HEAD_BYTES} bytes")

    def _begin_body(self, head: Head) -> None:
        codings = set(head.framing.get(b"transfer-encoding", ())) - {b"identity"}
        if self._head_only or head.status in _WITHOUT_BODY:
            self._stage = _DONE
        elif codings == {b"chunked"}:
            self._stage = _CHUNK_SIZE
        elif codings:
            raise _not_http(f"its transfer encoding is {_printable(b', '.join(sorted(codings)))}")
        else:
            self._begin_plain_body(_length(head))

    def _begin_plain_body(self, length: int | None) -> None:
        self._left = length or 0
        if length is None:
            self._stage = _UNTIL_CLOSE
        else:
            self._stage = _LENGTH if length else _DONE

    def _take_counted(self, data: bytes, start: int) -> int:
        part = data[start : start + self._left]
        self._left -= len(part)
        if not self._left:
            self._stage = _DONE if self._stage == _LENGTH else _CHUNK_END
        self._keep(part)
        return start + len(part)

    def _keep(self, part: bytes) -> None:
        room = self._max_body_bytes - self.body_size
        if len(part) > room:
            part = part[:room]
            self._truncated = "length"
            self._stage = _DONE
        self._body.write(part)
        self.body_size += len(part)

    def _take_line(self, data: bytes, start: int) -> int:
        """Parse a line between chunks; an incomplete one waits for its rest."""
        newline = data.find(b"\n", start)
        end = len(data) if newline < 0 else newline
        room = self._head_room if self._stage == _TRAILERS else _MAX_CHUNK_LINE
        if len(self._rest) + end - start > room:
            raise _broken_chunks("a line between chunks has no end")
        line = data[start:end]
        if newline < 0:
            self._rest += line
            return end
        if self._rest:
            line = bytes(self._rest) + line
            self._rest.clear()
        self._read_line(line)
        return end + 1

    def _read_line(self, line: bytes) -> None:
        if self._stage == _CHUNK_SIZE:
            self._left = _chunk_size(line)
            self._stage = _CHUNK if self._left else _TRAILERS
            self._head_room = MAX_HEAD_BYTES
        elif self._stage == _CHUNK_END:
            if line not in {b"", b"\r"}:
                raise _broken_chunks("a chunk is longer than its declared size")
            self._stage = _CHUNK_SIZE
        elif line in {b"", b"\r"}:
            self._stage = _DONE
        else:
            self._head_room -= len(line)


def read_head(raw: bytes) -> Head:
    """Parse a head as browsers do: lines without a colon are skipped, folded lines joined."""
    first, _, rest = raw.translate(_SPACED).rstrip().partition(b"\n")
    found = _STATUS_LINE.fullmatch(first.rstrip())
    if found is None:
        raise _not_http(f"it begins with {_printable(first)}")
    version, status, reason = found.groups()
    headers = _headers(rest)
    return Head(raw, version.decode(), int(status), _in_one_line(reason or b""), headers, _framing(headers))


def _headers(text: bytes) -> RawHeaders:
    folded = b"\n " in text or b"\n\t" in text
    lines = (_FOLD.sub(b" ", text) if folded else text).split(b"\n")
    if len(lines) > MAX_HEADERS:
        raise _not_http(f"it has more than {MAX_HEADERS} headers")
    parted = [line.partition(b":") for line in lines]
    # A first line that begins with white space continues nothing.
    return tuple([(name.rstrip(), value.strip()) for name, colon, value in parted if colon and name[:1] not in _BLANKS])


def _framing(headers: RawHeaders) -> Framing:
    framing: Framing = {}
    for name, value in headers:
        if (lowered := name.lower()) in _FRAMING:
            framing.setdefault(lowered, []).extend(filter(None, map(bytes.strip, value.lower().split(b","))))
    return framing


def _in_one_line(reason: bytes) -> str:
    """Return a reason phrase shortened for a message."""
    text = reason[:_MAX_REASON].decode("latin-1").strip()
    return text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)


def _length(head: Head) -> int | None:
    """Return the length that the head declares for the body; several lengths must agree (RFC 9110, 8.6)."""
    lengths = {word.lstrip(b"0") or b"0" for word in head.framing.get(b"content-length", ())}
    if not lengths:
        return None
    (length, *others) = lengths
    if others or not length.isdigit() or len(length) > _MAX_LENGTH_DIGITS:
        raise _not_http(f"its Content-Length is {_printable(b', '.join(sorted(lengths)))}")
    return int(length)


def _stays_open(head: Head) -> bool:
    options = head.framing.get(b"connection", ())
    # Both kinds of length at once allow response smuggling: the start of the next response is unclear (RFC 9112, 6.3).
    ambiguous = b"transfer-encoding" in head.framing and b"content-length" in head.framing
    return not ambiguous and b"close" not in options and (head.http_version == "1.1" or b"keep-alive" in options)


def _chunk_size(line: bytes) -> int:
    found = _SIZE_LINE.fullmatch(line)
    if found is None:
        raise _broken_chunks(f"a chunk's size is {_printable(line)}")
    return int(found[1], 16)


def _not_http(reason: str) -> FetchError:
    return FetchError(f"not a valid HTTP response: {reason}", kind="protocol")


def _broken_chunks(reason: str) -> TransientFetchError:
    return TransientFetchError(f"the body breaks off: {reason}", kind="protocol")


def _printable(data: bytes | bytearray) -> str:
    """Return the beginning of a server's bytes, safe to print."""
    return ascii(data[:40].decode("latin-1"))
