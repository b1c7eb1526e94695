"""Where a page leads and what it shows."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from selectolax.lexbor import LexborHTMLParser

from webstrata.content.html import page_text
from webstrata.model.tasks import Link, TaskType
from webstrata.model.urls import Base, join, resolve

_PAGES = ("text/html", "application/xhtml+xml")
_REFERRING = "[href], [src]"
"""More than is wanted, but found three times as fast as each kind of element by a selector of its own."""

_LEADING = {"a": "href", "area": "href", "frame": "src", "iframe": "src"}
_SHOWING = dict.fromkeys(("img", "script", "source", "audio", "video", "embed"), "src") | {"link": "href"}
_REFERENCES = _LEADING | _SHOWING
_SHOWN = re.compile(r"(?<![^ \t\n\f\r])(?:stylesheet|icon)(?![^ \t\n\f\r])", re.IGNORECASE | re.ASCII)

_LINKS_KEPT = 50_000
_MEMORABLE = 300
"""Longer references hardly ever come twice, and so many of them would take too much memory."""

Attributes = Mapping[str, str | None]


def links_of_page(body: bytes, content_type: str | None, url: str) -> tuple[Link, ...]:
    """Return the links of an answer's body, if it is a page."""
    if not (content_type or "").lower().startswith(_PAGES):
        return ()
    return links_in(page_text(body, content_type), url)


def links_in(html: str, url: str) -> tuple[Link, ...]:
    """Return the links of a page, each once, in order; selectolax reads them four times as fast as a full parse."""
    elements = [(element.tag, element.attributes) for element in LexborHTMLParser(html).css(_REFERRING)]
    base = Base.of(_base(elements, url))
    found: dict[str, Link] = {}
    for tag, attributes in elements:
        link = _link(base, tag or "", attributes)
        if link is not None:
            found.setdefault(link.url, link)
    return tuple(found.values())


def _base(elements: Sequence[tuple[str | None, Attributes]], url: str) -> str:
    """Return what the page's links are relative to."""
    for tag, attributes in elements:
        if tag == "base" and "href" in attributes:
            return join(url, attributes["href"] or "") or url
    return url


def _link(base: Base, tag: str, attributes: Attributes) -> Link | None:
    """Return where an element leads or what it shows, if it does."""
    name = _REFERENCES.get(tag, "")
    if name not in attributes or (tag == "link" and not _SHOWN.search(attributes.get("rel") or "")):
        return None
    reference = attributes[name] or ""
    made = _kept_link if len(reference) <= _MEMORABLE else _new_link
    return made(base.part_for(reference), reference, tag in _LEADING)


def _new_link(part: str, reference: str, leads: bool) -> Link | None:
    url = resolve(part, reference)
    return None if url is None else Link(url, TaskType.PAGE if leads else TaskType.MEDIA)


_kept_link = lru_cache(_LINKS_KEPT)(_new_link)
