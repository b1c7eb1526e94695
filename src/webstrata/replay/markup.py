"""The markup of an archived page as ASCII, whatever its encoding, to find tags and to insert text by offset."""

from dataclasses import dataclass
from functools import cached_property

_UTF16_LITTLE = frozenset(("utf-16", "utf-16le", "utf16", "utf-16-le", "ucs-2", "unicode", "csunicode"))
_UTF16_BIG = frozenset(("utf-16be", "utf-16-be", "unicodefffe"))


@dataclass(frozen=True)
class Markup:
    """An archived page whose markup can be read and changed as ASCII."""

    html: bytes
    charset: str | None

    @cached_property
    def ascii(self) -> bytes:
        """Return the page's bytes; for UTF-16, one byte for each code unit after the byte order mark."""
        if self._codec is None:
            return self.html
        return _as_ascii(self.html[self._mark :], self._codec)

    def insert(self, at: int, text: str) -> bytes:
        """Return the page with some ASCII text inserted at an offset of its markup."""
        place = self._place(at)
        return self.html[:place] + text.encode(self._codec or "ascii") + self.html[place:]

    def replace(self, places: list[int], text: str) -> "Markup":
        """Return the page with the text at some offsets overwritten by an ASCII text."""
        changed, written = bytearray(self.html), text.encode(self._codec or "ascii")
        for at in places:
            place = self._place(at)
            changed[place : place + len(written)] = written
        return Markup(bytes(changed), self.charset)

    def _place(self, at: int) -> int:
        return at if self._codec is None else self._mark + 2 * at

    @cached_property
    def _mark(self) -> int:
        return 2 if self.html.startswith((b"\xff\xfe", b"\xfe\xff")) else 0

    @cached_property
    def _codec(self) -> str | None:
        return _utf16_codec(self.html, self.charset)


def _utf16_codec(html: bytes, charset: str | None) -> str | None:
    """Return the page's UTF-16 codec, or None; as in browsers, a byte order mark takes precedence."""
    label = (charset or "").strip().lower()
    if html.startswith(b"\xff\xfe"):
        return "utf-16-le"
    if html.startswith(b"\xfe\xff"):
        return "utf-16-be"
    if html.startswith(b"\xef\xbb\xbf"):
        return None
    return "utf-16-le" if label in _UTF16_LITTLE else "utf-16-be" if label in _UTF16_BIG else None


def _as_ascii(html: bytes, codec: str) -> bytes:
    """Return one byte for each code unit: its ASCII character, or 0xFF."""
    even, odd = html[::2], html[1::2]
    low, high = (even, odd) if codec == "utf-16-le" else (odd, even)
    return bytes(0xFF if upper or lower > 0x7F else lower for lower, upper in zip(low, high, strict=False))
