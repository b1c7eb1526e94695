"""Repacks WARC and ARC files whose records cannot be read one by one: each record becomes a gzip member.

These are files that are compressed as a whole or with zstd, and files with non-standard heads. Heads are written in the
standard form; blocks, and so their digests, are unchanged.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from isal import isal_zlib

from webstrata.errors import WarcError
from webstrata.storage.output_file import new_file
from webstrata.warc.arc import PackedTogetherError, arc_record, is_arc_start
from webstrata.warc.http_block import begins_http, has_whole_head
from webstrata.warc.packages.loose_records import LooseError, LooseStream, begins_record, has_unusual_head, take_head
from webstrata.warc.packages.unpacking import first_member_parts, is_zstd, unpacked_parts
from webstrata.warc.parsing import BrokenError, as_broken, opened, parsed_records
from webstrata.warc.record_block import MAX_BLOCK_BYTES
from webstrata.warc.seeking import is_gzip

_FIRST_BYTES = 65_536
_LEVEL = 2
_GZIP_MEMBER = 31
_MEMORY_LEVEL = 8
_CHUNK = 1_048_576
_MOST_NOTES = 20


def unusual_form(path: Path) -> str | None:
    """Return why a file must be repacked; None when it need not or cannot be."""
    with opened(path) as file:
        first = file.read(4)
        if is_zstd(first):
            return "compressed with zstd"
        start = LooseStream(unpacked_parts(file)).peek(_FIRST_BYTES)
        if has_unusual_head(start):
            return "its record headers do not follow the WARC standard"
        if is_gzip(first) and _is_packed_together(file, is_arc=is_arc_start(start)):
            return "its records are not compressed one by one"
    return None


def repack(source: Path, target: Path) -> list[str]:
    """Write a file's records to a new file, and return notes about omitted records; WarcError when all are omitted."""
    with opened(source) as file, new_file(target, force=True) as output:
        try:
            stream = LooseStream(_parts(file))
            notes = _copy_records(stream, output)
        except WarcError as error:
            raise WarcError(f"{source.name}: {error}") from error
        if not output.tell():
            raise WarcError(f"{source.name}: no record in it can be read ({'; '.join(notes[:1]) or 'it is empty'})")
    shown = notes[:_MOST_NOTES]
    return shown if len(shown) == len(notes) else [*shown, f"{len(notes) - len(shown)} more problems"]


def is_arc(path: Path) -> bool:
    """Return whether a file's records are ARC records; it may be compressed."""
    with opened(path) as file:
        return is_arc_start(LooseStream(unpacked_parts(file)).peek(_FIRST_BYTES))


def _is_packed_together(file: IO[bytes], *, is_arc: bool) -> bool:
    """Return whether a gzip member of a file contains several records; a damaged one is left to the reader."""
    if is_arc:
        try:
            arc_record(file, 0, MAX_BLOCK_BYTES)
        except PackedTogetherError:
            return True
        except BrokenError:
            return False
        return False
    end = file.seek(0, os.SEEK_END)
    file.seek(0)
    last = -1
    try:
        with as_broken():
            for record in parsed_records(file):
                if not last < record.stream_pos < end:
                    return True
                last = record.stream_pos
    except BrokenError:
        return _has_second_record(file)
    return False


def _has_second_record(file: IO[bytes]) -> bool:
    """Return whether the first gzip member of a file holds more than one record."""
    stream = LooseStream(first_member_parts(file))
    try:
        for _ in stream.block(take_head(stream).length):
            pass
    except LooseError:
        return False
    stream.skip_blank_lines()
    return begins_record(stream)


def _copy_records(stream: LooseStream, output: IO[bytes]) -> list[str]:
    """Write all records of a stream, and return its problems."""
    notes: list[str] = []
    is_there = True
    stream.skip_blank_lines()
    while is_there and stream.peek(1):
        start, problem = stream.position, _copy_or_undo(stream, output)
        stream.skip_blank_lines()
        if stream.peek(1) and not begins_record(stream):
            problem = problem or "the record does not end at its Content-Length"
            is_there = stream.skip_to_record()
        if problem is not None:
            notes.append(f"byte {start} unpacked: {problem}")
    return notes if stream.damage is None else [*notes, f"{stream.damage}: what follows is left out"]


def _copy_or_undo(stream: LooseStream, output: IO[bytes]) -> str | None:
    """Write the next record; if it is incomplete, write nothing and return the reason."""
    begin = output.tell()
    try:
        _copy_record(stream, output)
    except LooseError as error:
        output.seek(begin)
        output.truncate()
        return str(error)
    return None


def _copy_record(stream: LooseStream, output: IO[bytes]) -> None:
    """Write the next record as a gzip member; LooseError when it is incomplete."""
    head = take_head(stream)
    packing = isal_zlib.compressobj(_LEVEL, isal_zlib.DEFLATED, _GZIP_MEMBER, _MEMORY_LEVEL)
    output.write(packing.compress(head.data))
    for part in stream.block(head.length):
        output.write(packing.compress(part))
    output.write(packing.compress(head.ending) + packing.flush())


def _parts(file: IO[bytes]) -> Iterator[bytes]:
    """Yield a file's bytes, decompressed, and without carriage returns that a text-mode transfer added."""
    file.seek(0)
    has_doubled_returns = b"\r\r\n" in file.readline(_FIRST_BYTES)
    if has_doubled_returns and not _fits(unpacked_parts(file)) and _fits(_without_added_returns(file)):
        return _without_added_returns(file)
    return unpacked_parts(file)


def _fits(parts: Iterator[bytes]) -> bool:
    """Return whether the first record has its declared length, and its response a complete head."""
    stream = LooseStream(parts)
    try:
        first, *_ = [*stream.block(take_head(stream).length), b""]
    except LooseError:
        return False
    stream.skip_blank_lines()
    is_whole = has_whole_head(first) or not begins_http(first)
    return is_whole and (not stream.peek(1) or begins_record(stream))


def _without_added_returns(file: IO[bytes]) -> Iterator[bytes]:
    """Undo a transfer in text mode, which replaced every line feed by a carriage return and a line feed."""
    file.seek(0)
    held = b""
    while chunk := file.read(_CHUNK):
        data = held + chunk
        held = b"\r" if data.endswith(b"\r") else b""
        yield data[: len(data) - len(held)].replace(b"\r\n", b"\n")
    yield held
