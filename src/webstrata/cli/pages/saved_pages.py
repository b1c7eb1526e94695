"""Reads saved pages for commands: from a file or standard input, gzipped or not."""

import re
import sys
from pathlib import Path

from webstrata.errors import NotFoundError, UsageError

UNKNOWN_URL = "http://unknown.invalid/"
_STANDARD_INPUT = "-"
_GZIP = b"\x1f\x8b"
_HEAD = 4_096
_ZERO = b"\0"
_TAG = re.compile(rb"<(?:!doctype|html|head|body|div|p|title|meta|table)[\s>]", re.IGNORECASE)


def checked_url(url: str) -> str:
    """Return the address in an argument, which may be empty; UsageError when it is not a web address."""
    from webstrata.model.urls import resolve

    if url and resolve(url, url) is None:
        raise UsageError(f"{url!r} is not a web address (expected something like https://example.org/)")
    return url


def saved_page(file: str, content_encoding: str | None = None) -> bytes:
    """Return a page without compression, whether its file is gzipped or a content encoding is named."""
    from webstrata.content.decode import decoded, unpacked
    from webstrata.content.reader.page_requests import MAX_PAGE_BYTES

    body = file_bytes(file)
    if body.startswith(_GZIP):
        return unpacked(body, "gzip", MAX_PAGE_BYTES + 1)
    is_plain = body.lstrip()[:1] == b"<"
    return body if is_plain else decoded(body, content_encoding, MAX_PAGE_BYTES + 1)


def saved_html(file: str, url: str) -> bytes:
    """Return a saved HTML page without compression; UsageError when it is no HTML or too large."""
    from webstrata.content.kinds import PageKind, page_kind
    from webstrata.content.reader.page_requests import MAX_PAGE_BYTES

    content = saved_page(file)
    if page_kind("text/html", content, url or UNKNOWN_URL) is not PageKind.HTML or _is_binary(content[:_HEAD]):
        raise UsageError(f"{file} is not an HTML page")
    if len(content) > MAX_PAGE_BYTES:
        raise UsageError(f"{file} is larger than the {MAX_PAGE_BYTES // 1_000_000} MB that a page may have")
    return content


def _is_binary(head: bytes) -> bool:
    """Return whether bytes are neither text nor a page in UTF-16, whose every second byte is zero."""
    return _ZERO in head and _TAG.search(head.replace(_ZERO, b"")) is None


def file_bytes(file: str) -> bytes:
    """Return the first bytes of a file, or of standard input for `-`: one more than a page may have at most."""
    from webstrata.content.reader.page_requests import MAX_PAGE_BYTES

    try:
        if file == _STANDARD_INPUT:
            return sys.stdin.buffer.read(MAX_PAGE_BYTES + 1)
        with Path(file).open("rb") as opened:
            return opened.read(MAX_PAGE_BYTES + 1)
    except OSError as error:
        raise NotFoundError(f"{file} cannot be read: {error.strerror}") from error
