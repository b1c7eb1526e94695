"""Pages made to stall a parser: cut where they nest or repeat beyond reason.

For every block that opens, an HTML parser looks through all the open ones, and for every attribute through all of its
element's: time grows with the square. Browsers stop nesting at 512 elements for the same reason.
"""

import re
from collections.abc import Iterator

DEEPEST = 2_000
MOST_ATTRIBUTES = 2_000

_HARMLESS_TAGS = 20_000
_HARMLESS_TAG_LENGTH = 20_000
_SHORTEST_TAG = len("<b>")
"""What parsers take in their stride, measured: 20,000 open elements or 10,000 attributes cost a second or so."""

_ATTRIBUTES = rb"""(?:[^>=]++|=\s*+"[^"]*+"|=\s*+'[^']*+'|=)*+"""
_TAG = re.compile(rb"<(?P<closing>/?)(?P<name>[a-z][^\s/>]*+)(?P<attributes>" + _ATTRIBUTES + rb")>?", re.IGNORECASE)
_EMPTY = ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr")
_ENDED_BY_THEIR_LIKE = ("a", "caption", "colgroup", "dd", "dt", "li", "optgroup", "option", "p", "rp", "rt")
_OF_TABLES = ("tbody", "td", "tfoot", "th", "thead", "tr")
_NEVER_DEEP = frozenset(name.encode() for name in ("body", "head", "html", *_EMPTY, *_ENDED_BY_THEIR_LIKE, *_OF_TABLES))
"""Elements of which unclosed ones do not pile up."""

_COMMENT = rb"<!--(?:-?>|(?:[^-]++|-(?!-!?>))*+(?:--!?>)?)"
_RAW = rb"<(?P<raw>script|style|textarea|title|xmp)\b(?:[^<]++|<(?!/(?P=raw)))*+(?:</(?P=raw))?"
_PIECE = re.compile(rb"|".join((_COMMENT, _RAW, _TAG.pattern)), re.IGNORECASE)
_NAME_PLACE, _CLOSING_PLACE, _ATTRIBUTES_PLACE = (_PIECE.groupindex[n] - 1 for n in ("name", "closing", "attributes"))
_VALUE = re.compile(rb"""=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>]++)""")
_BETWEEN_ATTRIBUTES = re.compile(rb"[\s/]+")


def defused(html: bytes) -> bytes:
    """Return a page that takes a parser no longer than its size warrants: nearly always as it is."""
    return html if _is_harmless(html) else b"".join(_kept(html))


def _is_harmless(html: bytes) -> bool:
    if len(html) > _SHORTEST_TAG * _HARMLESS_TAGS and html.count(b"<") > _HARMLESS_TAGS:
        return _is_shallow(html)
    tags = (_TAG.match(html, begin) for begin in _before_long_stretches(html))
    return not any(tag and _too_many_attributes(tag["attributes"]) for tag in tags)


def _is_shallow(html: bytes) -> bool:
    """Tell whether a page of many tags is harmless, three times as fast as by taking it apart."""
    depth = 0
    for piece in _PIECE.findall(html):
        name = piece[_NAME_PLACE].lower()
        if name and name not in _NEVER_DEEP:
            depth = max(0, depth - 1) if piece[_CLOSING_PLACE] else depth + 1
            if depth > DEEPEST:
                return False
        if len(piece[_ATTRIBUTES_PLACE]) > _HARMLESS_TAG_LENGTH and _too_many_attributes(piece[_ATTRIBUTES_PLACE]):
            return False
    return True


def _before_long_stretches(html: bytes) -> Iterator[int]:
    """Yield each `<` that is followed by so much without another one that its tag may be too long."""
    # Looking into every other step finds them all, without taking the page apart.
    step = _HARMLESS_TAG_LENGTH // 2
    start = 0
    while start < len(html) - step:
        if html.find(b"<", start, start + step) < 0:
            begin = html.rfind(b"<", 0, start)
            if begin >= 0:
                yield begin
            start = html.find(b"<", start + step)
            if start < 0:
                return
        start += step


def _kept(html: bytes) -> Iterator[bytes]:
    """Yield the page without tags of too many attributes, up to where it nests too deep."""
    depth, position = 0, 0
    for piece in _PIECE.finditer(html):
        name = (piece["name"] or b"").lower()
        if not name or (name in _NEVER_DEEP and len(piece[0]) <= _HARMLESS_TAG_LENGTH):
            continue
        if _too_many_attributes(piece["attributes"]):
            yield html[position : piece.start()]
            position = piece.end()
        elif name not in _NEVER_DEEP:
            depth = max(0, depth - 1) if piece["closing"] else depth + 1
            if depth > DEEPEST:
                yield html[position : piece.start()]
                return
    yield html[position:]


def _too_many_attributes(attributes: bytes) -> bool:
    if len(attributes) < 2 * MOST_ATTRIBUTES:
        return False
    return len(_BETWEEN_ATTRIBUTES.split(_VALUE.sub(b" ", attributes))) > MOST_ATTRIBUTES
