"""Texts as SQLite stores them: compressed with Zstandard. PostgreSQL compresses long texts by itself.

A text that is stored as it is can be read as well: short ones are, and those of earlier versions.
"""

import sys
from typing import TYPE_CHECKING

from sqlalchemy import Dialect, Text
from sqlalchemy.types import TypeDecorator

from webstrata.db.types import plain

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


class PackedText(TypeDecorator[str]):
    """A long text; SQLite gets it compressed, by the program or as it was packed before."""

    impl = Text()
    cache_ok = True

    def process_bind_param(self, value: str | bytes | None, dialect: Dialect) -> str | bytes | None:
        """Pack a text for SQLite; one that is packed stays as it is."""
        if value is None or isinstance(value, bytes):
            return value
        return packed(value) if dialect.name == "sqlite" else plain(value)

    def process_result_value(self, value: str | bytes | None, dialect: Dialect) -> str | None:
        """Return the text itself."""
        return None if value is None else unpacked(value)
