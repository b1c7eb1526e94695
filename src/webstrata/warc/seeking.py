"""Interface of seekable files, and the start of gzip members."""

from typing import Protocol

GZIP_WINDOW = 31
"""The window size that makes zlib expect gzip's own header and checksum."""

_GZIP = b"\x1f\x8b\x08"


class Seekable(Protocol):
    """Bytes that can be read from anywhere."""

    def seek(self, offset: int, /) -> int:
        """Go to a byte."""

    def read(self, size: int, /) -> bytes:
        """Return the next bytes."""

    def tell(self) -> int:
        """Return where the next byte lies."""


def is_gzip(data: bytes) -> bool:
    """Return whether bytes begin like a gzip member."""
    return data.startswith(_GZIP)
