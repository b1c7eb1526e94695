"""The HTTP response in a WARC record's block: status, headers and the offset of its body.

Crawlers store what servers sent: heads with bare line feeds or doubled carriage returns, `ICY 200 OK`, `HTTP/2 200`,
bodies without a head. WARC libraries return such responses empty or without a status.
"""

import re
from dataclasses import dataclass

MAX_HTTP_HEAD = 1_048_576
"""The longest head: a block without the end of a head in so many bytes is a body without a head."""

_START = re.compile(rb"\s*(?:HTTP|ICY )", re.IGNORECASE)
_HEAD_END = re.compile(rb"\r*\n\r*\n")
_STATUS = re.compile(rb"\s*(?:HTTP\w?(?:/[\d.]*)?|ICY)[ \t]+([1-9]\d\d)(?!\d)", re.IGNORECASE)
_LINE_END = re.compile(rb"\r*\n")
_FOLD = re.compile(rb"\r*\n[ \t]+")
_INTERIM = frozenset({100, 102, 103})
_START_BYTES = 64


@dataclass(frozen=True, slots=True)
class HttpHead:
    """The head of an archived response."""

    status_code: int | None
    """None when the status line has none."""
    headers: dict[str, str]
    """By name in lower case; of several headers with the same name, the last."""
    body_start: int
    """The offset of the body in the block."""


def begins_http(block: bytes) -> bool:
    """Return whether a block begins like an HTTP response."""
    return _START.match(block) is not None


def has_whole_head(block: bytes) -> bool:
    """Return whether the head of a response ends within some bytes."""
    return _HEAD_END.search(block) is not None


def parse_head(block: bytes) -> HttpHead | None:
    """Return the head that a block begins with, or None when the block is a body without one.

    Interim responses (`100 Continue`, `103 Early Hints`), which some crawlers store as well, are passed over.
    """
    start = 0
    while True:
        head = _head_at(block, start)
        if head is None or head.status_code not in _INTERIM or not begins_http(block[head.body_start :][:_START_BYTES]):
            return head
        start = head.body_start


def _head_at(block: bytes, start: int) -> HttpHead | None:
    if _START.match(block, start) is None:
        return None
    end = _HEAD_END.search(block, start, start + MAX_HTTP_HEAD)
    if end is None and len(block) - start > MAX_HTTP_HEAD:
        return None
    stop = len(block) if end is None else end.start()
    status = _STATUS.match(block, start)
    lines = _LINE_END.split(_FOLD.sub(b" ", block[start:stop].lstrip()))[1:]
    headers = dict(_header(line) for line in lines if b":" in line)
    return HttpHead(int(status[1]) if status else None, headers, stop if end is None else end.end())


def _header(line: bytes) -> tuple[str, str]:
    # HTTP/2 names its own fields `:status`.
    name, _, value = line[1:].partition(b":") if line.startswith(b":") else line.partition(b":")
    # One character for each byte: the bytes of a Location can be restored.
    return name.decode("latin-1").strip().lower(), value.decode("latin-1").strip()
