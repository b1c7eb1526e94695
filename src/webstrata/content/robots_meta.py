"""What a page asks of robots: in its `meta` elements and in the `X-Robots-Tag` header."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser

_HEAD_WITHIN = 262_144
"""Where a page's head is looked for; some are long with styles and scripts, but not that long."""

_META = re.compile("<[mM][eE][tT][aA][^<>]*")
_FOR_ALL = "robots"
_FORBIDDING = ("nofollow", "noarchive", "noindex", "none")
_PRODUCT = re.compile(r"[a-z0-9_.-]*")
_AGENT = re.compile(r"\s*[a-z][a-z0-9_.-]*\s*")
_VALUE = re.compile(r":[^,;]*")
_SEPARATORS = re.compile(r"[\s,;]+")
_WITH_VALUES = frozenset({"max-snippet", "max-image-preview", "max-video-preview", "unavailable_after"})
"""Directives that have a colon of their own, and so look as if they named a robot."""


@dataclass(frozen=True)
class RobotsDirectives:
    """What must not be done with a page."""

    nofollow: bool = False
    noarchive: bool = False
    noindex: bool = False


def robots_directives(html: str | None, x_robots_tag: str | None, user_agent: str) -> RobotsDirectives:
    """Return what a page forbids all robots or ours, which a user agent such as `webstrata/1.0 (…)` names.

    Several headers are given as lines of one text. Whatever is forbidden anywhere is forbidden.
    """
    product = _PRODUCT.match(user_agent.lower())
    ours = {_FOR_ALL, product[0] if product else ""} - {""}
    words = {*_words_of_header(x_robots_tag or "", ours), *_words_of_page(html or "", ours)}
    return RobotsDirectives(
        nofollow=not words.isdisjoint({"nofollow", "none"}),
        noarchive="noarchive" in words,
        noindex=not words.isdisjoint({"noindex", "none"}),
    )


def _words_of_header(lines: str, ours: set[str]) -> Iterator[str]:
    """Yield the directives that speak to us; in a line, those behind the name of a robot are for that robot."""
    for line in lines.lower().splitlines():
        speaks_to_us = True
        for part in line.split(","):
            name, colon, directive = part.partition(":")
            if not colon or name.strip() in _WITH_VALUES or not _AGENT.fullmatch(name):
                directive = part
            else:
                speaks_to_us = name.strip() in ours
            if speaks_to_us:
                yield directive.strip()


def _words_of_page(html: str, ours: set[str]) -> Iterator[str]:
    """Yield the directives of a page's head; only a head that may have some is parsed."""
    head = html[: _head_length(html)]
    if not any(_may_forbid(meta[0].lower(), ours) for meta in _META.finditer(head)):
        return
    for element in LexborHTMLParser(head).css("meta[name][content]"):
        if (element.attributes["name"] or "").strip().lower() in ours:
            yield from _SEPARATORS.split(_VALUE.sub("", (element.attributes["content"] or "").lower()))


def _head_length(html: str) -> int:
    for end in ("</head", "</HEAD"):
        length = html.find(end, 0, _HEAD_WITHIN)
        if length >= 0:
            return length
    return _HEAD_WITHIN


def _may_forbid(meta: str, ours: set[str]) -> bool:
    return any(name in meta for name in ours) and any(word in meta for word in _FORBIDDING)
