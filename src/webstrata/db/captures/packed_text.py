"""Texts as SQLite stores them: compressed with Zstandard. PostgreSQL compresses long texts by itself.

A text that is stored as it is can be read as well: short ones are, and those of earlier versions. Processes that read
pages use this module: it loads nothing that speaks with databases.
"""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

_LEVEL = 3
_SHORTEST = 400
"""Characters from which on compressing a text saves something."""


def packed(text: str) -> str | bytes:
    """Return a text as SQLite stores it."""
    text = plain(text)
    return _zstd().compress(text.encode(), _LEVEL) if len(text) >= _SHORTEST else text


def unpacked(stored: str | bytes) -> str:
    """Return a text that a database has stored."""
    if isinstance(stored, str):
        return stored
    text: bytes = _zstd().ZstdDecompressor().decompress(stored)
    return text.decode()


def _zstd() -> "ModuleType":
    # Only what reads or writes texts loads it.
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


def plain(text: str) -> str:
    """Drop what PostgreSQL refuses (NUL) and replace what no database can encode (half a surrogate pair)."""
    if text.isascii() and "\0" not in text:
        return text
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")
