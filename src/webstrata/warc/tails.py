"""The end of a WARC file without a known length: its writer may have been cut off in the middle of a record."""

import re
import zlib
from pathlib import Path
from typing import IO

from webstrata.warc.arc import arc_head, is_arc_start
from webstrata.warc.parsing import opened
from webstrata.warc.resync import next_record, record_length
from webstrata.warc.seeking import is_gzip

_TAIL_BYTES = 1_048_576
_MARKS = (b"\x1f\x8b\x08", b"WARC/")
_MOST_MARKS = 100
_GZIP_WINDOW = 31
_CHUNK = 262_144
_MAX_HEADER_BYTES = 65_536
_LENGTH = re.compile(rb"\r\ncontent-length:\s*(\d{1,18})\s*\r\n", re.IGNORECASE)


def whole_end(warc_path: Path) -> int:
    """Return the offset of the end of a file's last complete record.

    Damage before it is ignored here: the index detects and reports it, and reads the records after it.
    """
    with opened(warc_path) as file:
        size = file.seek(0, 2)
        return size if _ends_with_a_record(file, size) else _end_by_reading(file, size)


def _ends_with_a_record(file: IO[bytes], size: int) -> bool:
    """Return whether the file's last bytes are a record, searched from the end: the rest need not be read."""
    start = max(0, size - _TAIL_BYTES)
    file.seek(start)
    tail = file.read(_TAIL_BYTES)
    marks = sorted({place for mark in _MARKS for place in _places(tail, mark)}, reverse=True)
    return any(record_length(file, start + mark) == size - start - mark for mark in marks[:_MOST_MARKS])


def _places(data: bytes, mark: bytes) -> list[int]:
    return [found.start() for found in re.finditer(re.escape(mark), data)]


def _end_by_reading(file: IO[bytes], size: int) -> int:
    """Return the end of the last record by reading them all; damage in the middle is skipped."""
    offset = 0
    while offset < size:
        length = record_length(file, offset)
        if length:
            offset += length
            continue
        following = next_record(file, offset + 1)
        if following is None:
            return offset if _is_cut_off(file, offset, size) else size
        offset = following
    return size


def _is_cut_off(file: IO[bytes], offset: int, size: int) -> bool:
    """Return whether a record begins here that would extend beyond the end of the file."""
    file.seek(offset)
    first = file.read(_MAX_HEADER_BYTES)
    if is_gzip(first):
        return _member_is_cut_off(file, offset)
    if is_arc_start(first):
        arc = arc_head(first)
        return arc is None or offset + arc.line_bytes + arc.length > size
    if not first.startswith(b"WARC/"):
        return any(mark.startswith(first) for mark in _MARKS)
    head, ending, _ = first.partition(b"\r\n\r\n")
    declared = _LENGTH.search(head + b"\r\n")
    if not ending:
        return len(first) < _MAX_HEADER_BYTES
    return declared is not None and offset + len(head) + len(ending) + int(declared[1]) > size


def _member_is_cut_off(file: IO[bytes], offset: int) -> bool:
    unpacking = zlib.decompressobj(_GZIP_WINDOW)
    file.seek(offset)
    while not unpacking.eof:
        packed = unpacking.unconsumed_tail or file.read(_CHUNK)
        if not packed:
            return True
        try:
            unpacking.decompress(packed, _CHUNK)
        except zlib.error:
            return False
    return False
