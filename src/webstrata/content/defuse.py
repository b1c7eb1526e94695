"""Pages made to stall a parser: cut where they nest or repeat beyond reason.

For every block that opens, an HTML parser looks through all the open ones, and for every attribute through all of its
element's: time grows with the square. Browsers stop nesting at 512 elements for the same reason.
"""

import re
from collections.abc import Iterator

DEEPEST = 2_000
MOST_ATTRIBUTES = 2_000

_HARMLESS_TAGS = 10_000
_HARMLESS_TAG_LENGTH = 20_000
"""What parsers take in their stride, measured: 10,000 open elements or attributes cost half a second."""

_ATTRIBUTES = r"""(?:=\s*+"[^"]*+"|=\s*+'[^']*+'|[^>])*+"""
_TAG = re.compile(rf"<(?P<closing>/?)(?P<name>[a-z][^\s/>]*+)(?P<attributes>{_ATTRIBUTES})>?", re.IGNORECASE)
_PIECE = re.compile(
    r"<!--(?:-?>|.*?(?:--!?>|\Z))"
    r"|<(?P<raw>script|style|textarea|title|xmp)\b.*?(?:</(?P=raw)|\Z)"
    rf"|{_TAG.pattern}",
    re.IGNORECASE | re.DOTALL,
)
_VALUE = re.compile(r"""=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>]++)""")
_BETWEEN_ATTRIBUTES = re.compile(r"[\s/]+")
_EMPTY = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"}
_ENDED_BY_THEIR_LIKE = {"a", "caption", "colgroup", "dd", "dt", "li", "optgroup", "option", "p", "rp", "rt"}
_OF_TABLES = {"tbody", "td", "tfoot", "th", "thead", "tr"}
_NEVER_DEEP = frozenset({"body", "head", "html"} | _EMPTY | _ENDED_BY_THEIR_LIKE | _OF_TABLES)
"""Elements of which unclosed ones do not pile up."""


def defused(html: str) -> str:
    """Return a page that takes a parser no longer than its size warrants: nearly always as it is."""
    return html if _is_harmless(html) else "".join(_kept(html))


def _is_harmless(html: str) -> bool:
    if html.count("<") > _HARMLESS_TAGS:
        return False
    if not _may_have_long_tag(html):
        return True
    long_parts = (part for part in html.split("<") if len(part) > _HARMLESS_TAG_LENGTH)
    return all(_tag_length(part) <= _HARMLESS_TAG_LENGTH for part in long_parts)


def _may_have_long_tag(html: str) -> bool:
    """Tell, without taking the page apart, whether some stretch without `<` fills a whole step."""
    step = _HARMLESS_TAG_LENGTH // 2
    return any(html.find("<", start, start + step) < 0 for start in range(0, len(html) - step, step))


def _tag_length(part: str) -> int:
    tag = _TAG.match(f"<{part}")
    return tag.end() if tag else 0


def _kept(html: str) -> Iterator[str]:
    """Yield the page without tags of too many attributes, up to where it nests too deep."""
    depth, position = 0, 0
    for piece in _PIECE.finditer(html):
        name = (piece["name"] or "").lower()
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


def _too_many_attributes(attributes: str) -> bool:
    if len(attributes) < 2 * MOST_ATTRIBUTES:
        return False
    return len(_BETWEEN_ATTRIBUTES.split(_VALUE.sub(" ", attributes))) > MOST_ATTRIBUTES
