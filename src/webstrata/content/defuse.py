"""Pages made to stall a parser: cut where they nest or repeat beyond reason.

For every block that opens, an HTML parser looks through all the open ones, and for every attribute through all of its
element's: time grows with the square. Browsers stop nesting at 512 elements for the same reason.
"""

from collections.abc import Iterator

from webstrata.content.nesting import ATTRIBUTES, TOKEN, Nesting

DEEPEST = 2_000
MOST_ATTRIBUTES = 2_000

_HARMLESS_TAGS = 20_000
"""What parsers take in their stride, measured: 20,000 open elements or 10,000 attributes cost a second or so."""

_SHORTEST_TAG = len("<b>")
_SHORTEST_ATTRIBUTE = len("a ")
_ADDED_UP = (b"body", b"html")
"""Whatever the tags of a second one say is added to the first."""


def defused(html: bytes) -> bytes:
    """Return a page that takes a parser no longer than its size warrants: nearly always as it is."""
    return html if _is_harmless(html) else b"".join(_kept(html))


def _is_harmless(html: bytes) -> bool:
    """Tell whether a page is harmless at first sight."""
    if len(html) > _SHORTEST_TAG * _HARMLESS_TAGS and html.count(b"<") > _HARMLESS_TAGS:
        return False
    return not any(map(_too_many_attributes, _long_stretches(html)))


def _long_stretches(html: bytes) -> Iterator[bytes]:
    """Yield what stands between two `>` that are so far apart that too many attributes may be between."""
    # Looking into every other step finds them all, without taking the page apart.
    step = _SHORTEST_ATTRIBUTE * MOST_ATTRIBUTES // 2
    start = 0
    while start < len(html) - step:
        if html.find(b">", start, start + step) < 0:
            end = html.find(b">", start + step)
            yield html[html.rfind(b">", 0, start) + 1 : end if end >= 0 else len(html)]
            if end < 0:
                return
            start = end
        start += step


def _kept(html: bytes) -> Iterator[bytes]:
    """Yield the page without tags of too many attributes, up to where it may nest too deep."""
    nesting, begin, position, of_page = Nesting(), 0, 0, 0
    while token := TOKEN.search(html, position):
        is_page = (token["name"] or b"").lower() in _ADDED_UP
        of_page += is_page and _count(token["attributes"])
        if _too_many_attributes(token["attributes"]) or (is_page and of_page > MOST_ATTRIBUTES):
            yield html[begin : token.start()]
            begin = position = token.end()
            continue
        position = nesting.take(html, token)
        if nesting.depth > DEEPEST or not nesting.is_clear:
            yield html[begin : token.start()]
            return
    yield html[begin:]


def _too_many_attributes(attributes: bytes | None) -> bool:
    if attributes is None or len(attributes) < _SHORTEST_ATTRIBUTE * MOST_ATTRIBUTES:
        return False
    return _count(attributes) > MOST_ATTRIBUTES


def _count(attributes: bytes) -> int:
    return sum(1 for _ in ATTRIBUTES.finditer(attributes))
