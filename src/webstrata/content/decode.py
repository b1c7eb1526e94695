"""Decoding of content encodings (gzip, Brotli, ...), with a limit on the decoded size."""

import sys
import zlib
from collections.abc import Callable
from typing import Protocol

import brotli

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MAX_DECODED_BYTES = 200_000_000
"""The most bytes that are decoded; the rest is dropped."""

_MAX_ENCODINGS = 4
_STEP = 65_536
"""Bytes that are decoded at once: when a step fails, the output of the earlier steps is used."""

_ZSTD_WINDOW: dict[int, int] = {zstd.DecompressionParameter.window_log_max: 23}
"""The largest window is 8 MB, the limit for web pages (RFC 9659)."""

_GZIP = 31
_ZLIB = 15
_RAW_DEFLATE = -15
_IN_MEMBERS = frozenset({"gzip", "x-gzip", "zstd"})
"""Encodings that may consist of several consecutive streams."""

_MAX_MEMBERS = 10_000
"""The most streams of a body; bodies with more consist of empty streams, which only take time."""

_DAMAGED = (zlib.error, brotli.error, zstd.ZstdError)


class _Unpacker(Protocol):
    """Interface of a decompressor of one stream, as zlib's and zstd's objects have it."""

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


class _Brotli:
    """Decodes Brotli, whose library cannot read past the end of a stream."""

    unused_data = b""

    def __init__(self) -> None:
        self._stream = brotli.Decompressor()

    @property
    def eof(self) -> bool:
        return bool(self._stream.is_finished())

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        # The library may exceed the limit: it stops only at the end of a block.
        return bytes(self._stream.process(data, output_buffer_limit=max_length)[:max_length])


def decoded(body: bytes, content_encoding: str | None, most: int | None = None) -> bytes:
    """Return a decoded body of at most `most` bytes; an encoding that cannot be decoded is left as it is."""
    encodings = [word.strip().lower() for word in (content_encoding or "").split(",") if word.strip()]
    for encoding in reversed(encodings[-_MAX_ENCODINGS:]):
        if encoding == "identity":
            continue
        if encoding not in _UNPACKERS:
            return body
        body = unpacked(body, encoding, MAX_DECODED_BYTES if most is None else most)
    return body


def unpacked(body: bytes, encoding: str, most: int) -> bytes:
    """Return at most `most` decoded bytes. If the end is cut off or damaged, only the end is lost; data that is not
    encoded is returned unchanged."""
    parts: list[bytes] = []
    room, start = most, 0
    for _ in range(_MAX_MEMBERS if encoding in _IN_MEMBERS else 1):
        part, start = _member(body, start, _UNPACKERS[encoding](body), room)
        parts.append(part)
        room -= len(part)
        if start >= len(body) or room <= 0:
            break
    return b"".join(parts) or body


def _member(body: bytes, start: int, unpacker: _Unpacker, room: int) -> tuple[bytes, int]:
    """Decompress the stream at an offset; return at most `room` bytes, and the offset of the stream's end if it is
    complete."""
    parts = []
    try:
        for begin in range(start, len(body), _STEP):
            step = body[begin : begin + _STEP]
            part = unpacker.decompress(step, room)
            parts.append(part)
            room -= len(part)
            if unpacker.eof:
                return b"".join(parts), begin + len(step) - len(unpacker.unused_data)
            if room <= 0:
                break
    except _DAMAGED:
        pass
    return b"".join(parts), len(body)


def _gzip(_body: bytes) -> _Unpacker:
    return zlib.decompressobj(_GZIP)


def _deflate(body: bytes) -> _Unpacker:
    return zlib.decompressobj(_ZLIB if _has_zlib_header(body) else _RAW_DEFLATE)


def _has_zlib_header(body: bytes) -> bool:
    """Return whether data has a zlib header (RFC 1950); some servers send raw deflate instead."""
    return len(body) >= 2 and body[0] & 0x0F == 8 and int.from_bytes(body[:2], "big") % 31 == 0


_UNPACKERS: dict[str, Callable[[bytes], _Unpacker]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": lambda _body: _Brotli(),
    "zstd": lambda _body: zstd.ZstdDecompressor(options=_ZSTD_WINDOW),
}


def dechunked(body: bytes) -> bytes:
    """Return a body without its chunks; one without chunks, in spite of its headers, is returned unchanged."""
    parts: list[bytes] = []
    position = 0
    while True:
        line_end = body.find(b"\r\n", position)
        size = _chunk_size(body[position:line_end]) if line_end >= 0 else None
        if size is None:
            return b"".join(parts) if parts else body
        if size == 0:
            return b"".join(parts)
        parts.append(body[line_end + 2 : line_end + 2 + size])
        position = line_end + 2 + size + 2


def _chunk_size(line: bytes) -> int | None:
    digits = line.partition(b";")[0].strip()
    try:
        return int(digits, 16) if digits.isalnum() else None
    except ValueError:
        return None
