"""Decoding of content encodings (gzip, Brotli, ...), with a limit: a small body may unpack to any size."""

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
"""The largest body that is unpacked; the rest is dropped."""

_MAX_ENCODINGS = 4
_STEP = 65_536
"""Damage is noticed a step at a time: the output of earlier steps is used."""

_ZSTD_WINDOW: dict[int, int] = {zstd.DecompressionParameter.window_log_max: 23}
"""8 MB, the most that a web page may ask a reader to remember (RFC 9659)."""

_GZIP = 31
_ZLIB = 15
_RAW_DEFLATE = -15
_IN_MEMBERS = frozenset({"gzip", "x-gzip", "zstd"})
"""Encodings that may consist of several streams, one after the other."""

_MAX_MEMBERS = 10_000
"""The most streams of a body: more than that are empty ones, which only take time."""

_DAMAGED = (zlib.error, brotli.error, zstd.ZstdError)


class _Unpacker(Protocol):
    """Undoes one compressed stream; zlib's and zstd's objects do it in this form already."""

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
        # The library's limit is a hint: it stops at the next of its own blocks.
        return bytes(self._stream.process(data, output_buffer_limit=max_length)[:max_length])


def decoded(body: bytes, content_encoding: str | None, most: int | None = None) -> bytes:
    """Return a body without its content encodings, up to so many bytes; what cannot be undone stays as it is."""
    encodings = [word.strip().lower() for word in (content_encoding or "").split(",") if word.strip()]
    for encoding in reversed(encodings[-_MAX_ENCODINGS:]):
        if encoding == "identity":
            continue
        if encoding not in _UNPACKERS:
            return body
        body = unpacked(body, encoding, MAX_DECODED_BYTES if most is None else most)
    return body


def unpacked(body: bytes, encoding: str, most: int) -> bytes:
    """Return up to so many bytes; a cut or damaged end costs only the end, and what was never packed stays."""
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
    """Return what the compressed stream at a byte holds, up to `room` bytes, and where it ends if it ends well."""
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
    """Return whether data is real deflate (RFC 1950), not the raw one that some servers send under that name."""
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
