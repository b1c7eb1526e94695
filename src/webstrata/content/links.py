"""Where a page leads and what it shows."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from selectolax.lexbor import LexborHTMLParser, LexborNode

from webstrata.content.html import page_source, referring_elements
from webstrata.model.tasks import Link, TaskType
from webstrata.model.urls import Base, join, resolve

_PAGES = ("text/html", "application/xhtml+xml")
_LEADING = {"a": "href", "area": "href", "frame": "src", "iframe": "src"}
_SHOWING = dict.fromkeys(("img", "script", "source", "audio", "video", "embed"), "src") | {"link": "href"}
_REFERENCES = _LEADING | _SHOWING
_SHOWN = re.compile(r"(?<![^ \t\n\f\r])(?:stylesheet|icon)(?![^ \t\n\f\r])", re.IGNORECASE | re.ASCII)
_NOFOLLOW = re.compile(r"(?<![^ \t\n\f\r])nofollow(?![^ \t\n\f\r])", re.IGNORECASE | re.ASCII)

_LEADING_NOWHERE = ("javascript:", "mailto:", "tel:")
"""To no other page: told by their beginnings, as finding it out takes longer than all other links of a page."""

_LINKS_KEPT = 50_000
_SITES_KEPT = 16
_MEMORABLE = 300
"""Longer references hardly ever come twice, and so many of them would take too much memory."""

_SAMPLE = LexborHTMLParser("")
_BASE_TAG = _SAMPLE.create_node("base").tag_id
_LEADING_TAGS = {_SAMPLE.create_node(tag).tag_id: name for tag, name in _LEADING.items()}
"""By the parser's numbers, which are faster to compare than names."""

Attributes = Mapping[str, str | None]
Grouping = Callable[[str], str]
"""Gives the page that a URL belongs to; what it gave is remembered for as long as it is the same function."""


def links_of_page(body: bytes, content_type: str | None, url: str, *, follow_nofollow: bool = True) -> tuple[Link, ...]:
    """Return the links of an answer's body, if it is a page; those that ask not to be followed only when wanted."""
    if not (content_type or "").lower().startswith(_PAGES):
        return ()
    links = links_of(referring_elements(page_source(body, content_type)), url)
    return links if follow_nofollow else tuple(link for link in links if not link.nofollow)


def links_in(html: str, url: str) -> tuple[Link, ...]:
    """Return the links of a page's source, each once, in order."""
    return links_of(referring_elements(html.encode("utf-8", "replace")), url)


def links_of(referring: Sequence[LexborNode], url: str) -> tuple[Link, ...]:
    """Return the links of a page's referring elements, each once, in order."""
    elements = [(element.tag, element.attributes) for element in referring]
    base = Base.of(_base(elements, url))
    found: dict[str, Link] = {}
    for tag, attributes in elements:
        link = _link(base, tag or "", attributes)
        if link is not None and found.setdefault(link.url, link).nofollow and not link.nofollow:
            # One that may be followed is enough.
            found[link.url] = replace(found[link.url], nofollow=False)
    return tuple(found.values())


def outlinks(referring: Sequence[LexborNode], url: str, group: Grouping) -> tuple[str, ...]:
    """Return the pages, other than itself, that a page leads to: each once, as its group, in order."""
    bases = [("base", element.attributes) for element in referring if element.tag_id == _BASE_TAG]
    base = Base.of(_base(bases, url))
    leading_nowhere = _LEADING_NOWHERE if bases else ("#", *_LEADING_NOWHERE)
    # Menus and teasers lead to the same page over and over: what is written alike is looked at once.
    references = dict.fromkeys(
        element.attrs.get(name) for element in referring if (name := _LEADING_TAGS.get(element.tag_id))
    )
    known = _known_groups(base.site, group)
    found = dict.fromkeys(
        known[reference] if reference in known else _found_group(base, reference, group, known)
        for reference in references
        if reference and not reference.startswith(leading_nowhere)
    )
    found.pop(group(url), None)
    return tuple(page for page in found if page is not None)


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
    leads = tag in _LEADING
    nofollow = leads and "rel" in attributes and _NOFOLLOW.search(attributes["rel"] or "") is not None
    made = _kept_link if len(reference) <= _MEMORABLE else _new_link
    return made(base.part_for(reference), reference, leads, nofollow)


def _new_link(part: str, reference: str, leads: bool, nofollow: bool) -> Link | None:
    url = resolve(part, reference)
    return None if url is None else Link(url, TaskType.PAGE if leads else TaskType.MEDIA, nofollow)


_kept_link = lru_cache(_LINKS_KEPT)(_new_link)


def _found_group(base: Base, reference: str, group: Grouping, known: "dict[str, str | None]") -> str | None:
    """Return the page that a reference leads to; it is remembered when it does so from every page of the site."""
    part = base.part_for(reference)
    url = resolve(part, reference)
    found = None if url is None else group(url)
    if part == base.site and len(reference) <= _MEMORABLE:
        if len(known) >= _LINKS_KEPT:
            known.clear()
        known[reference] = found
    return found


@lru_cache(_SITES_KEPT)
def _known_groups(site: str, group: Grouping) -> "dict[str, str | None]":  # noqa: ARG001 - what they are kept by
    """Return where the references of a site's pages lead that were met so far."""
    return {}
