"""Saved pages as commands read them: from a file or standard input, gzipped or not."""

import sys
from pathlib import Path

from webstrata.errors import NotFoundError, UsageError

_STANDARD_INPUT = "-"
_GZIP = b"\x1f\x8b"


def checked_url(url: str) -> str:
    """Return an address that a command was given, which may be empty; UsageError when it is no web address."""
    from webstrata.model.urls import resolve

    if url and resolve(url, url) is None:
        raise UsageError(f"{url!r} is not a web address (expected something like https://example.org/)")
    return url


def saved_page(file: str, content_encoding: str | None = None) -> bytes:
    """Return a page without compression, whether its file is gzipped or a content encoding is named."""
    from webstrata.content.decode import decoded, unpacked
    from webstrata.content.page_requests import MAX_PAGE_BYTES

    body = file_bytes(file)
    if body.startswith(_GZIP):
        return unpacked(body, "gzip", MAX_PAGE_BYTES + 1)
    is_plain = body.lstrip()[:1] == b"<"
    return body if is_plain else decoded(body, content_encoding, MAX_PAGE_BYTES + 1)


def file_bytes(file: str) -> bytes:
    """Return the first bytes of a file, or of standard input for `-`: one more than a page may have at most."""
    from webstrata.content.page_requests import MAX_PAGE_BYTES

    try:
        if file == _STANDARD_INPUT:
            return sys.stdin.buffer.read(MAX_PAGE_BYTES + 1)
        with Path(file).open("rb") as opened:
            return opened.read(MAX_PAGE_BYTES + 1)
    except OSError as error:
        raise NotFoundError(f"{file} cannot be read: {error.strerror}") from error
