"""What a page asks of robots: in its `meta` elements and in the `X-Robots-Tag` header."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser

from webstrata.content.robots_txt import product_token

_HEAD_WITHIN = 262_144
"""Where a page's head is looked for; some are long with styles and scripts, but not that long."""

_MARK = re.compile("</(?:head|HEAD)|<[mM][eE][tT][aA][^<>]*")
_FOR_ALL = "robots"
_FORBIDDING = ("nofollow", "noarchive", "noindex", "none")
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
    ours = {_FOR_ALL, product_token(user_agent)} - {""}
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
    head = _head_that_may_forbid(html, ours)
    if not head:
        return
    for element in LexborHTMLParser(head).css("meta[name][content]"):
        if (element.attributes["name"] or "").strip().lower() in ours:
            yield from _SEPARATORS.split(_VALUE.sub("", (element.attributes["content"] or "").lower()))


def _head_that_may_forbid(html: str, ours: set[str]) -> str:
    may_forbid, end = False, _HEAD_WITHIN
    for mark in _MARK.finditer(html, 0, _HEAD_WITHIN):
        if mark[0].startswith("</"):
            end = mark.start()
            break
        may_forbid = may_forbid or _may_forbid(mark[0].lower(), ours)
    return html[:end] if may_forbid else ""


def _may_forbid(meta: str, ours: set[str]) -> bool:
    return any(name in meta for name in ours) and any(word in meta for word in _FORBIDDING)
