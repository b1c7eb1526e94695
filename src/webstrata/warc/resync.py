"""Recovery in damaged WARC files: finds the end of a record and the start of the next one."""

import re
import zlib
from pathlib import Path
from urllib.parse import quote

from webstrata.warc.arc import ARC_MARK, begins_arc_record, plain_arc_length
from webstrata.warc.seeking import GZIP_WINDOW, Seekable, is_gzip

_CHUNK = 262_144
_GZIP = b"\x1f\x8b\x08"
_PLAIN = b"WARC/"
_USUAL_HEADER_BYTES = 4_096
_MAX_HEADER_BYTES = 65_536
_LENGTH = re.compile(rb"\r\ncontent-length:\s*(\d{1,18})\s*\r\n", re.IGNORECASE)
_TARGET = re.compile(rb"\nwarc-target-uri:([^\n]*)", re.IGNORECASE)
_PRINTABLE = "".join(chr(code) for code in range(0x21, 0x7F))
_KIND = re.compile(rb"\nwarc-type:", re.IGNORECASE)
_HEAD_ENDING = re.compile(rb"\n\r*\n")
_NEVER_IN_A_HEAD = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")
_RECORD_ENDING = b"\r\n\r\n"
_PACKED_MARK = re.compile(re.escape(_GZIP))
_ANY_MARK = re.compile(re.escape(_GZIP) + rb"|(?<=\n)" + _PLAIN + rb"|" + ARC_MARK)
_WARC_MARK = re.compile(re.escape(_GZIP) + rb"|(?<=\n)" + _PLAIN)
_LONGEST_MARK = 16


def record_length(file: Seekable, offset: int) -> int | None:
    """Return the length of the record at an offset; None when it is incomplete."""
    file.seek(offset)
    first = file.read(len(_PLAIN))
    file.seek(offset)
    if is_gzip(first):
        return _packed_length(file)
    return _plain_length(file, offset) if first == _PLAIN else plain_arc_length(file, offset)


def _packed_length(file: Seekable) -> int | None:
    unpacking, size = zlib.decompressobj(GZIP_WINDOW), 0
    while not unpacking.eof:
        packed = unpacking.unconsumed_tail
        if not packed:
            packed = file.read(_CHUNK)
            size += len(packed)
        try:
            unpacked = unpacking.decompress(packed, _CHUNK)
        except zlib.error:
            return None
        if not packed and not unpacked:
            return None
    return size - len(unpacking.unused_data)


def _plain_length(file: Seekable, offset: int) -> int | None:
    head, ending, _ = file.read(_MAX_HEADER_BYTES).partition(_RECORD_ENDING)
    declared = _LENGTH.search(head + b"\r\n")
    if not ending or not head.startswith(_PLAIN) or declared is None:
        return None
    length = len(head) + len(ending) + int(declared.group(1))
    file.seek(offset + length - 1)
    last, between = file.read(1), file.read(2 * len(_RECORD_ENDING))
    # Two empty lines are correct, whatever follows; some writers have more or fewer.
    rest = between.lstrip(b"\r\n")
    ended = between.startswith(_RECORD_ENDING) or not rest or rest.startswith(_PLAIN[: len(rest)])
    return length + len(between) - len(rest) if last and ended else None


def has_damaged_head(file: Seekable, offset: int) -> bool:
    """Return whether an uncompressed record's head contains other bytes, such as another head; the file position is
    restored.

    In compressed files the checksum detects this.
    """
    here = file.tell()
    file.seek(offset)
    start = file.read(_USUAL_HEADER_BYTES)
    if not _HEAD_ENDING.search(start):
        start += file.read(_MAX_HEADER_BYTES)
    file.seek(here)
    head = _HEAD_ENDING.split(start, maxsplit=1)[0]
    if is_gzip(head):  # also in a compressed file that looks uncompressed because its beginning is damaged
        return False
    return _NEVER_IN_A_HEAD.search(head) is not None or len(_KIND.findall(head)) > 1


def raw_target(path: Path, offset: int) -> str | None:
    """Return the URL in a WARC record's head with non-ASCII bytes escaped; None when there is none.

    Parsers replace bytes that are not UTF-8, but old crawlers wrote URLs in the pages' charsets.
    """
    with path.open("rb") as file:
        file.seek(offset)
        start = file.read(_MAX_HEADER_BYTES)
    if is_gzip(start):
        try:
            start = zlib.decompressobj(GZIP_WINDOW).decompress(start, _MAX_HEADER_BYTES)
        except zlib.error:
            return None
    found = _TARGET.search(start)
    return None if found is None else quote(found[1].strip().strip(b"<>"), safe=_PRINTABLE)


def next_record(file: Seekable, start: int, stop: int | None = None) -> int | None:
    """Return the offset of the next record between two offsets; None when there is none."""
    file.seek(0)
    # In a compressed file, what looks like an uncompressed record is part of another record; a file with a damaged
    # beginning may be of either kind.
    mark = _mark_of(file.read(len(_PLAIN)))
    position, kept = start - 1, b""
    file.seek(position)
    while (chunk := file.read(_CHUNK)) and (stop is None or position < stop):
        block, begin = kept + chunk, position - len(kept)
        for found in mark.finditer(block):
            candidate = begin + found.start()
            if stop is not None and candidate >= stop:
                return None
            if candidate >= start and (found[0] == _PLAIN or _is_record(file, candidate)):
                return candidate
        position += len(chunk)
        kept = block[-_LONGEST_MARK:]
        file.seek(position)
    return None


def _mark_of(first: bytes) -> re.Pattern[bytes]:
    """Return the pattern for the start of records in a file: in a WARC file, ARC lines may be part of a record."""
    if is_gzip(first):
        return _PACKED_MARK
    return _WARC_MARK if first == _PLAIN else _ANY_MARK


def _is_record(file: Seekable, offset: int) -> bool:
    """Return whether a WARC record, which may be compressed, or an ARC record begins here."""
    file.seek(offset)
    first = file.read(4_096)
    try:
        if is_gzip(first) and zlib.decompressobj(GZIP_WINDOW).decompress(first, len(_PLAIN)) == _PLAIN:
            return True
    except zlib.error:
        return False
    return begins_arc_record(file, offset)
