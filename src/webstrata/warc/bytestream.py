"""The uncompressed bytes of a WARC file, member by member, with their offsets; reading continues after damage."""

import zlib
from collections.abc import Iterator
from typing import IO

from webstrata.warc.resync import next_record

TOO_SHORT = "this record is shorter than its Content-Length"

_CHUNK = 1_048_576
_GZIP_MAGIC = b"\x1f\x8b"
_GZIP_WINDOW = 31
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


class DamagedError(Exception):
    """Bytes that cannot be read as a WARC; reading goes on after them."""

    def __init__(self, offset: int, reason: str) -> None:
        super().__init__(reason)
        self.offset = offset
        self.reason = reason


class TooShortError(DamagedError):
    """A record that is shorter than its declared length."""


class ByteStream:
    """Unpacked bytes that are read in order."""

    def __init__(self, parts: Iterator[bytes], offset: int, *, moving: bool) -> None:
        """Read parts that begin at an offset; `moving` means that each byte has its own offset, as in uncompressed
        files."""
        self._parts = parts
        self._begin = offset
        self._moving = moving
        self._buffer = bytearray()
        self._position = 0
        self.record_offset = offset
        self.given_up_at: int | None = None

    def begin_record(self) -> int:
        """Note that a record begins here, and return its offset."""
        self.record_offset = self.offset
        return self.record_offset

    def give_up(self) -> None:
        """Mark the current record as damaged; the next record is searched from its beginning on."""
        self.given_up_at = self.record_offset

    @property
    def offset(self) -> int:
        """Return the offset of the next byte in the file; inside a gzip member, the offset of the member."""
        return self._begin + self._position if self._moving else self._begin

    @property
    def is_packed(self) -> bool:
        """Return whether these bytes come out of a gzip member."""
        return not self._moving

    def at_end(self) -> bool:
        """Return whether nothing is left."""
        return not self._buffer and not self._fill()

    def peek(self, size: int) -> bytes:
        """Return the next bytes, up to a size, without taking them."""
        while len(self._buffer) < size and self._fill():
            pass
        return bytes(self._buffer[:size])

    def read(self, size: int) -> bytes:
        """Return that many bytes; DamagedError when there are fewer."""
        while len(self._buffer) < size:
            if not self._fill():
                raise self._too_short()
        return self._take(size)

    def _too_short(self) -> TooShortError:
        """Return the error for too few bytes: in a complete gzip member the record is too short, a plain file may be
        cut off."""
        reason = TOO_SHORT if self.is_packed else "the file ends in the middle of a record"
        return TooShortError(self.record_offset if self.is_packed else self.offset, reason)

    def parts(self, size: int, at_once: int) -> Iterator[bytes]:
        """Yield that many bytes in pieces."""
        while size > 0:
            part = self.read(min(size, at_once))
            size -= len(part)
            yield part

    def read_until(self, ending: bytes, limit: int) -> bytes | None:
        """Return the bytes up to and with an ending, or None when it does not come within the limit."""
        searched = 0
        while (found := self._buffer.find(ending, searched, limit)) < 0:
            searched = max(0, len(self._buffer) - len(ending))
            if len(self._buffer) >= limit or not self._fill():
                return None
        return self._take(found + len(ending))

    def _fill(self) -> bool:
        part = next(self._parts, b"")
        self._buffer += part
        return bool(part)

    def _take(self, size: int) -> bytes:
        taken = bytes(self._buffer[:size])
        del self._buffer[:size]
        self._position += size
        return taken


def members(file: IO[bytes]) -> Iterator[ByteStream]:
    """Yield a file's members: each gzip member, and each uncompressed part up to the next damage."""
    if file.read(len(_ZSTD_MAGIC)) == _ZSTD_MAGIC:
        raise OSError(0, "zstd-compressed WARC files cannot be read")
    offset: int | None = 0
    while offset is not None:
        file.seek(offset)
        if file.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC:
            member = _GzipMember(file, offset)
            yield ByteStream(member.parts(), offset, moving=False)
            offset = member.next_offset()
        else:
            stream = ByteStream(_plain_parts(file, offset), offset, moving=True)
            yield stream
            offset = None if stream.given_up_at is None else next_record(file, stream.given_up_at + 1)


def _plain_parts(file: IO[bytes], offset: int) -> Iterator[bytes]:
    file.seek(offset)
    yield from iter(lambda: file.read(_CHUNK), b"")


class _GzipMember:
    """One gzip member, decompressed while it is read."""

    def __init__(self, file: IO[bytes], offset: int) -> None:
        self._file = file
        self._offset = offset
        self._end: int | None = None

    def parts(self) -> Iterator[bytes]:
        unpacking = zlib.decompressobj(_GZIP_WINDOW)
        self._file.seek(self._offset)
        packed = b""
        while not unpacking.eof:
            packed = unpacking.unconsumed_tail or self._file.read(_CHUNK)
            if not packed:
                raise DamagedError(self._offset, "the file ends in the middle of a gzip member")
            try:
                part = unpacking.decompress(packed, _CHUNK)
            except zlib.error:
                raise DamagedError(self._offset, "damaged gzip member") from None
            if part:
                yield part
        self._end = self._file.tell() - len(unpacking.unused_data)

    def next_offset(self) -> int | None:
        """Return where the next member begins, or None at the end of the file."""
        if self._end is None and not self._was_read_to_its_end():
            return next_record(self._file, self._offset + 1)
        assert self._end is not None
        self._file.seek(self._end)
        return self._end if self._file.read(1) else None

    def _was_read_to_its_end(self) -> bool:
        """Unpack what the reader left, to find the member's end."""
        try:
            for _ in self.parts():
                pass
        except DamagedError:
            return False
        return True
