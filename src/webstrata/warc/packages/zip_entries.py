"""Entries of ZIP files as seekable files, read in place and without comparing the entry's checksum.

The checksum would only show at the end that there is damage; without it, reading continues, and the location of the
damage can be reported.
"""

import io
import zipfile
from typing import IO, BinaryIO

from webstrata.errors import WarcError

_HEADER_BYTES = 30
_SIGNATURE = b"PK\x03\x04"


def open_entry(opened: zipfile.ZipFile, file: BinaryIO, entry: zipfile.ZipInfo) -> IO[bytes]:
    """Open an entry of a ZIP file: a stored one in place, others through the ZIP file's decompression."""
    if entry.compress_type != zipfile.ZIP_STORED:
        return opened.open(entry)
    file.seek(entry.header_offset)
    header = file.read(_HEADER_BYTES)
    if len(header) < _HEADER_BYTES or not header.startswith(_SIGNATURE):
        raise WarcError(f"{entry.filename}: the entry is not where the ZIP file lists it")
    names = int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
    return io.BufferedReader(_Window(file, entry.header_offset + _HEADER_BYTES + names, entry.file_size))


class _Window(io.RawIOBase):
    """A part of an open file as a file object."""

    def __init__(self, file: BinaryIO, start: int, size: int) -> None:
        self._file = file
        self._start = start
        self._size = size
        self._at = 0

    def readable(self) -> bool:
        """Return True: the part can be read."""
        return True

    def seekable(self) -> bool:
        """Return True: every byte can be read."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a place."""
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = max(0, start + offset)
        return self._at

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Read into a buffer, up to the end of the part."""
        count = max(0, min(len(buffer), self._size - self._at))
        self._file.seek(self._start + self._at)
        data = self._file.read(count)
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)
