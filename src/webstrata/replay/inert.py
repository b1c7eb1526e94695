"""Inert links: makes the links of an archived page lead only to fragments of the same page.

Relative links would lead to this server, which has other pages at those URLs. No browser policy prevents that: a
sandbox blocks forms and pop-ups but not links, and a style sheet blocks the mouse but not the keyboard. So the
attribute's name is overwritten by a meaningless one of the same length; all other bytes are unchanged.
"""

import re
from collections.abc import Iterator

from webstrata.content.rewriting.body_start import body_start
from webstrata.replay.markup import Markup

_INERT = "x-to"
_STYLE = f"<style>a[{_INERT}]{{color:#0645ad;text-decoration:underline;cursor:not-allowed}}</style>"
"""First in the body: a page's own inline styles take precedence."""

_ANY_ATTRIBUTE = (
    rb"""[\t\n\f\r /]*+(?P<name>[^\t\n\f\r />][^\t\n\f\r />=]*+)"""
    rb"""(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+(?P<value>"[^"]*+"?|'[^']*+'?|[^\t\n\f\r >"'][^\t\n\f\r >]*+)?)?"""
)
_ATTRIBUTE = re.compile(_ANY_ATTRIBUTE)
# Every "<a" counts as a link, even in comments and scripts, where this changes nothing visible; so no link is missed.
# Most links have one attribute: `more` is where others begin.
_LINK = re.compile(
    rb"<(?:a|area)(?=[\t\n\f\r /])(?=" + _ANY_ATTRIBUTE + rb"(?:>|(?P<more>)))",
    re.IGNORECASE,
)
_REFERENCES = frozenset((b"href", b"xlink:href"))


def with_inert_links(html: bytes, charset: str | None) -> bytes:
    """Return a page whose links do nothing, except those to fragments of the page itself."""
    page = Markup(html, charset)
    inert = page.replace([*_reference_places(page.ascii)], _INERT)
    return inert.insert(body_start(inert.ascii), _STYLE)


def _reference_places(html: bytes) -> Iterator[int]:
    """Yield the offsets of `href` in links that leave the page."""
    seen: set[int] = set()
    for link in _LINK.finditer(html):
        name, value, at = link.span("name"), link["value"], link.start("more")
        if _leaves_page(html[slice(*name)], value):
            yield name[1] - len(_INERT)
        # `seen` holds where attributes were read: a hostile page must not make us read its bytes repeatedly.
        while at >= 0 and at not in seen and (attribute := _ATTRIBUTE.match(html, at)):
            seen.add(at)
            if _leaves_page(attribute["name"], attribute["value"]):
                yield attribute.end("name") - len(_INERT)
            at = attribute.end()


def _leaves_page(name: bytes, value: bytes | None) -> bool:
    if name.lower() not in _REFERENCES:
        return False
    return value is None or not value.lstrip(b"\"' \t\n\f\r").startswith(b"#")
