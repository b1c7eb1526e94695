"""Compression of texts for SQLite with Zstandard; PostgreSQL compresses long texts by itself.

Uncompressed texts can be read, too: short ones are not compressed, nor are those of earlier versions. Reader processes
use this module, so it does not import SQLAlchemy.
"""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

_LEVEL = 3
_SHORTEST = 400
"""The length from which on compression makes a text smaller."""


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
    # Imported only by processes that read or write texts.
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


def plain(text: str) -> str:
    """Remove NUL, which PostgreSQL refuses, and replace lone surrogates, which no database can encode."""
    if text.isascii() and "\0" not in text:
        return text
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")
