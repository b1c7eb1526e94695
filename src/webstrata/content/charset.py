"""The charset of a body: as declared, unless the bytes clearly contradict it."""

import codecs
import re

from resiliparse.parse.encoding import detect_encoding, map_encoding_to_html5

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_BOM = "\ufeff"
_UNREADABLE = "\ufffd"
_BEYOND_ASCII = bytes(range(128, 256))
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_META_CHARSET = re.compile(
    rb"""(?:<meta[^>]{0,200}?charset|<\?xml[^>]{0,100}?encoding)\s*=\s*["']?\s*([a-zA-Z0-9_:.\-]{1,40})""",
    re.IGNORECASE,
)
_META_WITHIN = 4096
"""How many bytes are searched for a declared charset: more than the standard's 1,024, which miss many real pages."""

_WIDER = {"big5": "big5hkscs", "euc_kr": "cp949", "gbk": "gb18030", "shift_jis": "cp932"}
"""Charsets of which Python's codec of the same name covers only a part, with the codec that browsers use."""

_STATED_BY_DEFAULT = "cp1252"
"""Charsets that servers declare by default; hardly any text in one of them is valid UTF-8 by chance."""

_DETECTED_WITHIN = 100_000
_UNMARKED = ((b"<\0", "utf-16-le"), (b"\0<", "utf-16-be"))
"""The first bytes of markup in UTF-16 without a byte order mark."""

_WITH_MORE_LETTERS = {"koi8-r": "koi8-u"}
"""Charsets and the variant to use instead: it has Ukrainian letters in place of box-drawing characters, which pages do
not use."""


def charset_of(body: bytes, content_type: str | None) -> str:
    """Return the charset of a body: from its byte order mark, HTTP, its own meta, then from the bytes themselves."""
    return _charset(body, content_type, _as_utf8(body) is not None)


def text_of(body: bytes, content_type: str | None) -> str:
    """Return a body as text; bytes that are invalid in its charset are replaced."""
    text = _as_utf8(body)
    charset = _charset(body, content_type, text is not None)
    if text is None or charset != "utf-8":
        text = body.decode(_WIDER.get(charset, charset), "replace")
    return text.removeprefix(_BOM)


def _charset(body: bytes, content_type: str | None, is_utf8: bool) -> str:
    stated = _stated(body, content_type)
    if stated == _STATED_BY_DEFAULT and is_utf8 and not body.isascii():
        return "utf-8"
    if stated == "utf-8" and not is_utf8 and not _is_mostly_utf8(body):
        return _detected(body, is_utf8)
    return stated or _detected(body, is_utf8)


def _stated(body: bytes, content_type: str | None) -> str | None:
    for mark, encoding in _BOMS:
        if body.startswith(mark):
            return encoding
    return _known(charset_parameter(content_type)) or _stated_within(body)


def _stated_within(body: bytes) -> str | None:
    """Return the charset that a page declares in its markup; UTF-8 if it declares UTF-16, as the HTML standard
    demands."""
    declared = _META_CHARSET.search(_COMMENT.sub(b"", body[:_META_WITHIN]))
    known = _known(declared.group(1).decode("ascii")) if declared else None
    return "utf-8" if known and known.startswith("utf-16") else known


def charset_parameter(content_type: str | None) -> str | None:
    """Return the charset that a Content-Type header states, if it does."""
    for parameter in (content_type or "").split(";")[1:]:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            return value.strip(" \t\"'")
    return None


def _known(name: str | None) -> str | None:
    """Return the charset that browsers use for a name; for Latin-1, for example, they use windows-1252."""
    if not name:
        return None
    mapped = map_encoding_to_html5(name, fallback_utf8=False)
    try:
        return codecs.lookup(mapped).name if mapped else None
    except LookupError:
        return None


def _detected(body: bytes, is_utf8: bool) -> str:
    # Valid UTF-8 is UTF-8, unless it contains ESC or NUL, which may switch to another alphabet.
    if is_utf8 and b"\x1b" not in body and b"\0" not in body:
        return "utf-8"
    start = body[:_DETECTED_WITHIN].lstrip(b" \t\r\n")
    for mark, encoding in _UNMARKED:
        if start.startswith(mark):
            return encoding
    detected = detect_encoding(start)
    if detected == "utf-8" and not _is_mostly_utf8(start):
        return "euc_kr" if _is_hangul(start) else _STATED_BY_DEFAULT
    return _known(_WITH_MORE_LETTERS.get(detected, detected)) or "utf-8"


def _is_hangul(body: bytes) -> bool:
    """Return whether a text is Korean, which the detector does not know: nearly all its non-ASCII characters are Hangul
    syllables."""
    beyond_ascii = [character for character in body.decode("cp949", "replace") if character > "\x7f"]
    syllables = sum("\uac00" <= character <= "\ud7a3" for character in beyond_ascii)
    return 5 * syllables > 4 * len(beyond_ascii)


def _as_utf8(body: bytes) -> str | None:
    try:
        return body.decode()
    except UnicodeDecodeError:
        return None


def _is_mostly_utf8(body: bytes) -> bool:
    """Return whether a page is UTF-8 with a few invalid bytes, and not in another charset."""
    text = body.decode("utf-8", "replace")
    beyond_ascii = len(text) - len(body.translate(None, _BEYOND_ASCII))
    return 2 * text.count(_UNREADABLE) <= beyond_ascii
