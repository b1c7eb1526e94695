"""The links and resources of a page: collected from its tree, resolved against its URL."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import repeat
from typing import NamedTuple

from webstrata.content.tree import Document, Element
from webstrata.model.crawl.tasks import Link, TaskType
from webstrata.model.urls import BaseUrl, join, resolve

LINKING = {"a": "href", "area": "href", "frame": "src", "iframe": "src"}
"""The elements that link to other pages, and the attribute with the URL."""

RESOURCES = dict.fromkeys(("img", "script", "source", "audio", "video", "embed"), "src") | {"link": "href"}
"""The elements that load something for the page, and the attribute with its URL."""

_SHOWN_LINK = re.compile(r"(?<![^ \t\n\f\r])(?:stylesheet|icon)(?![^ \t\n\f\r])", re.IGNORECASE | re.ASCII)
_NOFOLLOW = re.compile(r"(?<![^ \t\n\f\r])nofollow(?![^ \t\n\f\r])", re.IGNORECASE | re.ASCII)

_NO_PAGES = ("javascript:", "mailto:", "tel:")
"""Checked first, as resolving such links takes longer than all other links of a page."""

MAX_REFERENCES = 100_000
"""URLs that are read from one page at most: a page of ten megabytes can have six times as many, and a process that
holds those of several such pages would need a gigabyte."""

_LINKS_CACHED = 50_000
_SITES_CACHED = 16
_LONGEST_CACHED = 300
"""Longer references are not cached: they rarely occur twice and would take much memory."""

_UNRESOLVED = object()

Grouping = Callable[[str], str]
"""A function that returns the page that a URL belongs to; results are cached per function object."""


class Reference(NamedTuple):
    """A URL in a page, as it is written."""

    written: str
    is_link: bool
    """True when it leads to another page, False when the page shows it."""
    nofollow: bool = False


@dataclass(frozen=True)
class References:
    """All URLs in a page, in order, and the URL that they are relative to, if the page states one."""

    all: tuple[Reference, ...]
    base: str | None = None


@dataclass(frozen=True)
class WrittenLinks:
    """The links of a page to other pages as they are written, each once, in order, and what they are relative to."""

    links: tuple[str, ...] = ()
    base: str | None = None
    """The URL that the page states for that, if it does."""


def written_links(tree: Document, named: Mapping[str, Sequence[Element]]) -> WrittenLinks:
    """Return the links of a page, from its elements by tag."""
    linking = [tag for tag in LINKING if named.get(tag)]
    if len(linking) == 1:
        attribute = LINKING[linking[0]]
        written = [element.attr(attribute) for element in named[linking[0]]]
    else:
        written = [element.attr(LINKING[element.tag]) for element in tree.iter_elements(linking)] if linking else []
    stated = (href for element in named.get("base", ()) if (href := element.attr("href")) is not None)
    return WrittenLinks(tuple(dict.fromkeys(filter(None, written)))[:MAX_REFERENCES], next(stated, None))


def collect_references(elements: Iterable[Element]) -> References:
    """Return the references of elements; elements without a URL are ignored."""
    # Menus and teasers repeat links to the same page: each spelling is resolved once.
    found: dict[tuple[str, bool, bool], None] = {}
    base: str | None = None
    for element in elements:
        tag = element.tag
        if tag in LINKING:
            written, rel = element.attr(LINKING[tag]), element.attr("rel")
            if written is not None:
                found[written, True, rel is not None and _NOFOLLOW.search(rel) is not None] = None
        elif tag in RESOURCES:
            written = element.attr(RESOURCES[tag])
            if written is not None and (tag != "link" or _SHOWN_LINK.search(element.attr("rel") or "")):
                found[written, False, False] = None
        elif tag == "base" and base is None:
            base = element.attr("href")
        if len(found) == MAX_REFERENCES:
            break
    return References(tuple(map(Reference._make, found)), base)


def links_of(references: References, url: str) -> tuple[Link, ...]:
    """Return the links of a page, each once, in order."""
    base = BaseUrl.of(_base_of(references.base, url))
    found: dict[str, Link] = {}
    for reference in references.all:
        link = _link(base, reference)
        if link is None:
            continue
        known = found.setdefault(link.url, link)
        if known.task_type is TaskType.MEDIA and link.task_type is TaskType.PAGE:
            # A URL that is both shown and linked to is a page whose links are followed.
            found[link.url] = link
        elif known.nofollow and not link.nofollow:
            # A link is nofollow only if all its occurrences are.
            found[link.url] = replace(known, nofollow=False)
    return tuple(found.values())


def outlinks(written: Iterable[str], base: str | None, url: str, group: Grouping) -> tuple[str, ...]:
    """Return the link targets of a page, except itself:

    URL groups, each once, in order. `written` are the links as the page has them; `base` is the base URL if the page
    states one.
    """
    resolving = BaseUrl.of(_base_of(base, url))
    # Nearly all links of a page are cached from other pages of its site; only the others are resolved.
    known = _known_groups(resolving.site, group, base is None)
    links = list(written)
    groups: list[object] = list(map(known.get, links, repeat(_UNRESOLVED)))
    if _UNRESOLVED in groups:
        groups = [known[one] if one in known else _find_group(resolving, one, group, known) for one in links]
    found = dict.fromkeys(groups)
    found.pop(group(url), None)
    return tuple(page for page in found if isinstance(page, str))


def _base_of(stated: str | None, url: str) -> str:
    return url if stated is None else join(url, stated) or url


def _link(base: BaseUrl, reference: Reference) -> Link | None:
    written = reference.written
    resolving = _cached_link if len(written) <= _LONGEST_CACHED else _new_link
    return resolving(base.part_for(written), written, reference.is_link, reference.nofollow)


def _new_link(part: str, written: str, is_link: bool, nofollow: bool) -> Link | None:
    url = resolve(part, written)
    return None if url is None else Link(url, TaskType.PAGE if is_link else TaskType.MEDIA, nofollow)


_cached_link = lru_cache(_LINKS_CACHED)(_new_link)


def _find_group(base: BaseUrl, written: str, group: Grouping, known: "_KnownGroups") -> str | None:
    """Return the page that a reference leads to; cache it if the result is the same for every page of the site."""
    part = base.part_for(written)
    leads_nowhere = written.startswith(known.leading_nowhere)
    url = None if leads_nowhere else resolve(part, written)
    found = None if url is None else group(url)
    if (part == base.site or leads_nowhere) and len(written) <= _LONGEST_CACHED:
        if len(known) >= _LINKS_CACHED:
            known.clear()
        known[written] = found
    return found


class _KnownGroups(dict[str, str | None]):
    """A cache of the pages that references of a site resolve to."""

    def __init__(self, leading_nowhere: tuple[str, ...]) -> None:
        super().__init__()
        self.leading_nowhere = leading_nowhere


@lru_cache(_SITES_CACHED)
def _known_groups(site: str, group: Grouping, is_relative_to_page: bool) -> _KnownGroups:  # noqa: ARG001 - the cache key
    """Return the cache of a site; fragments lead to the page itself, unless the page states another base."""
    return _KnownGroups(("#", *_NO_PAGES) if is_relative_to_page else _NO_PAGES)


def followed(links: Sequence[Link]) -> list[Link]:
    """Return the links without nofollow."""
    return [link for link in links if not link.nofollow]
