"""Undoing content encodings, with a limit: a small body may unpack to anything."""

import zlib

MAX_DECODED_BYTES = 200_000_000
"""The largest body that is unpacked; what lies behind is dropped."""

_WINDOW_BITS = {"gzip": 31, "x-gzip": 31, "deflate": 15}
_RAW_DEFLATE = -15
_MAX_ENCODINGS = 4
_STEP = 65_536
"""Damage is noticed a step at a time: what was unpacked before its step is kept."""


def decoded(body: bytes, content_encoding: str | None) -> bytes:
    """Return a body without its content encodings; what cannot be undone stays as it is."""
    encodings = [word.strip().lower() for word in (content_encoding or "").split(",") if word.strip()]
    for encoding in reversed(encodings[-_MAX_ENCODINGS:]):
        if encoding == "identity":
            continue
        if encoding not in _WINDOW_BITS:
            return body
        body = _inflated(body, _WINDOW_BITS[encoding])
    return body


def _inflated(body: bytes, window_bits: int) -> bytes:
    """Unpack as much as there is; a cut or damaged end costs only the end, and what was never packed stays."""
    if window_bits == _WINDOW_BITS["deflate"] and not _has_zlib_header(body):
        window_bits = _RAW_DEFLATE
    parts: list[bytes] = []
    room, rest = MAX_DECODED_BYTES, body
    # gzip may consist of several members, one behind the other.
    while rest and room > 0:
        part, rest = _member(rest, window_bits, room)
        parts.append(part)
        room -= len(part)
    return b"".join(parts) or body


def _member(body: bytes, window_bits: int, room: int) -> tuple[bytes, bytes]:
    """Return what one compressed stream holds, up to `room` bytes, and what lies behind it when it ends well."""
    unpacking, parts = zlib.decompressobj(window_bits), []
    try:
        for start in range(0, len(body), _STEP):
            part = unpacking.decompress(body[start : start + _STEP], room)
            parts.append(part)
            room -= len(part)
            if unpacking.eof:
                return b"".join(parts), unpacking.unused_data + body[start + _STEP :]
            if room <= 0:
                break
    except zlib.error:
        pass
    return b"".join(parts), b""


def _has_zlib_header(body: bytes) -> bool:
    """Tell real deflate (RFC 1950) from the raw one that some servers send under the same name."""
    return len(body) >= 2 and body[0] & 0x0F == 8 and int.from_bytes(body[:2], "big") % 31 == 0


def dechunked(body: bytes) -> bytes:
    """Return a body without its chunks; one that has none, whatever its headers say, stays as it is."""
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
