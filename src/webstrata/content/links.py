"""Where a page leads and what it shows."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from selectolax.lexbor import LexborNode

from webstrata.content.html import LEADING, page_source, referring_elements
from webstrata.model.tasks import Link, TaskType
from webstrata.model.urls import Base, join, resolve

_PAGES = ("text/html", "application/xhtml+xml")
_SHOWING = dict.fromkeys(("img", "script", "source", "audio", "video", "embed"), "src") | {"link": "href"}
_REFERENCES = {**LEADING, **_SHOWING}
_SHOWN = re.compile(r"(?<![^ \t\n\f\r])(?:stylesheet|icon)(?![^ \t\n\f\r])", re.IGNORECASE | re.ASCII)
_NOFOLLOW = re.compile(r"(?<![^ \t\n\f\r])nofollow(?![^ \t\n\f\r])", re.IGNORECASE | re.ASCII)

MAX_PAGE_BYTES = 20_000_000
"""The part of a page that is read for links: a parser needs about ten times as much memory as the page has bytes."""

_LEADING_NOWHERE = ("javascript:", "mailto:", "tel:")
"""To no other page: told by their beginnings, as finding it out takes longer than all other links of a page."""

_LINKS_KEPT = 50_000
_SITES_KEPT = 16
_MEMORABLE = 300
"""Longer references hardly ever come twice, and so many of them would take too much memory."""

Attributes = Mapping[str, str | None]
Grouping = Callable[[str], str]
"""Gives the page that a URL belongs to; what it gave is remembered for as long as it is the same function."""


def links_of_page(body: bytes, content_type: str | None, url: str, *, follow_nofollow: bool = True) -> tuple[Link, ...]:
    """Return the links of an answer's body, if it is a page; those that ask not to be followed only when wanted."""
    if not is_page(content_type):
        return ()
    links = links_of(referring_elements(page_source(body[:MAX_PAGE_BYTES], content_type)), url)
    return links if follow_nofollow else tuple(link for link in links if not link.nofollow)


def is_page(content_type: str | None) -> bool:
    """Tell whether a body of this type is a page, which may lead to others."""
    return (content_type or "").lower().startswith(_PAGES)


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


def outlinks(references: Iterable[str], base: str | None, url: str, group: Grouping) -> tuple[str, ...]:
    """Return the pages, other than itself, that a page leads to: each once, as its group, in order.

    `references` are what it leads to as it is written; `base` is what they are relative to, when it says so itself.
    """
    resolving = Base.of(url if base is None else join(url, base) or url)
    # Nearly all that a page leads to is known from other pages of its site: what is not, and only that, is looked at.
    known = _known_groups(resolving.site, group, base is None)
    found = dict.fromkeys(
        [
            known[written] if written in known else _found_group(resolving, written, group, known)
            for written in references
        ]
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
    leads = tag in LEADING
    nofollow = leads and "rel" in attributes and _NOFOLLOW.search(attributes["rel"] or "") is not None
    made = _kept_link if len(reference) <= _MEMORABLE else _new_link
    return made(base.part_for(reference), reference, leads, nofollow)


def _new_link(part: str, reference: str, leads: bool, nofollow: bool) -> Link | None:
    url = resolve(part, reference)
    return None if url is None else Link(url, TaskType.PAGE if leads else TaskType.MEDIA, nofollow)


_kept_link = lru_cache(_LINKS_KEPT)(_new_link)


def _found_group(base: Base, reference: str, group: Grouping, known: "_KnownGroups") -> str | None:
    """Return the page that a reference leads to; it is remembered when it does so from every page of the site."""
    part = base.part_for(reference)
    leads_nowhere = reference.startswith(known.leading_nowhere)
    url = None if leads_nowhere else resolve(part, reference)
    found = None if url is None else group(url)
    if (part == base.site or leads_nowhere) and len(reference) <= _MEMORABLE:
        if len(known) >= _LINKS_KEPT:
            known.clear()
        known[reference] = found
    return found


class _KnownGroups(dict[str, str | None]):
    """Where the references of a site's pages lead that were met so far."""

    def __init__(self, leading_nowhere: tuple[str, ...]) -> None:
        super().__init__()
        self.leading_nowhere = leading_nowhere


@lru_cache(_SITES_KEPT)
def _known_groups(site: str, group: Grouping, is_relative_to_page: bool) -> _KnownGroups:  # noqa: ARG001 - kept by them
    """Return what is known of a site; parts of a page lead nowhere else, unless it says that they are another's."""
    return _KnownGroups(("#", *_LEADING_NOWHERE) if is_relative_to_page else _LEADING_NOWHERE)
