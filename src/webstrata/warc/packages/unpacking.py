"""The bytes of a WARC or ARC file without its compression: gzip or zstd, of whole files or of single records."""

import sys
from collections.abc import Iterator
from typing import IO

from isal import isal_zlib

from webstrata.errors import WarcError
from webstrata.warc.seeking import is_gzip

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MOST_UNPACKED_RATIO = 250
"""The largest ratio of decompressed to compressed size; WARC files of text have about 30."""

_ALWAYS_UNPACKED = 100_000_000
_CHUNK = 1_048_576
_GZIP_MEMBER = 31
_ZSTD = b"\x28\xb5\x2f\xfd"
_ZSTD_DICTIONARY = b"\x5d\x2a\x4d\x18"
_MOST_DICTIONARY = 16_777_216
_ZSTD_WINDOW: dict[int, int] = {zstd.DecompressionParameter.window_log_max: 27}


class CutOffError(Exception):
    """Compressed data is damaged or incomplete; the data before the damage is valid."""


def is_zstd(first: bytes) -> bool:
    """Return whether a file begins with zstd data, or with the dictionary of a `.warc.zst` file."""
    return first.startswith((_ZSTD, _ZSTD_DICTIONARY))


def unpacked_parts(file: IO[bytes]) -> Iterator[bytes]:
    """Yield a file's decompressed bytes; CutOffError at damage, WarcError when they exceed the limits."""
    file.seek(0)
    first = file.read(len(_ZSTD))
    file.seek(0)
    if is_zstd(first):
        parts = _zstd_parts(file)
    elif is_gzip(first):
        parts = _gzip_parts(file)
    else:
        parts = iter(lambda: file.read(_CHUNK), b"")
    return _bounded(parts, file)


def _bounded(parts: Iterator[bytes], file: IO[bytes]) -> Iterator[bytes]:
    unpacked = 0
    for part in parts:
        unpacked += len(part)
        if unpacked > max(_ALWAYS_UNPACKED, MOST_UNPACKED_RATIO * file.tell()):
            raise WarcError(f"it unpacks to more than {MOST_UNPACKED_RATIO} times its size")
        yield part


def first_member_parts(file: IO[bytes]) -> Iterator[bytes]:
    """Yield what the first gzip member of a file holds; CutOffError when it is damaged."""
    file.seek(0)
    return _bounded(_gzip_parts(file, most_members=1), file)


def _gzip_parts(file: IO[bytes], most_members: int | None = None) -> Iterator[bytes]:
    packed, members = file.read(_CHUNK), 0
    while packed and members != most_members:
        member = isal_zlib.decompressobj(_GZIP_MEMBER)
        members += 1
        is_done = False
        while not is_done:
            try:
                part = member.decompress(packed, _CHUNK)
            except isal_zlib.error as error:  # type: ignore[misc]
                raise CutOffError(f"damaged gzip member ({error})") from error
            yield part
            is_done = member.eof
            if not (is_done or packed or part):
                raise CutOffError("the file ends in the middle of a gzip member")
            packed = member.unused_data if is_done else member.unconsumed_tail or file.read(_CHUNK)
        packed = packed or file.read(_CHUNK)


def _zstd_parts(file: IO[bytes]) -> Iterator[bytes]:
    dictionary, packed = _dictionary(file), file.read(_CHUNK)
    while packed:
        frame = zstd.ZstdDecompressor(dictionary, _ZSTD_WINDOW)
        while not frame.eof:
            if not packed and frame.needs_input:
                raise CutOffError("the file ends in the middle of a zstd frame")
            try:
                yield frame.decompress(packed, _CHUNK)
            except zstd.ZstdError as error:
                raise CutOffError(f"damaged zstd data ({error})") from error
            packed = file.read(_CHUNK) if frame.needs_input and not frame.eof else b""
        packed = frame.unused_data or file.read(_CHUNK)


def _dictionary(file: IO[bytes]) -> zstd.ZstdDict | None:
    """Return the dictionary at the beginning of a file, if it has one; it may itself be compressed."""
    if file.read(len(_ZSTD_DICTIONARY)) != _ZSTD_DICTIONARY:
        file.seek(0)
        return None
    size = int.from_bytes(file.read(4), "little")
    if size > _MOST_DICTIONARY:
        raise WarcError(f"its zstd dictionary has {size} bytes")
    data = file.read(size)
    try:
        if data.startswith(_ZSTD):
            data = zstd.ZstdDecompressor(options=_ZSTD_WINDOW).decompress(data, _MOST_DICTIONARY)
        return zstd.ZstdDict(data)
    except (zstd.ZstdError, ValueError) as error:
        raise WarcError(f"its zstd dictionary cannot be read ({error})") from error
