"""Robots directives of a page: from its `meta` elements and the `X-Robots-Tag` header."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from webstrata.content.robots_txt import product_token

_FOR_ALL = "robots"
_AGENT = re.compile(r"\s*[a-z][a-z0-9_.-]*\s*")
_VALUE = re.compile(r":[^,;]*")
_SEPARATORS = re.compile(r"[\s,;]+")
_WITH_VALUES = frozenset({"max-snippet", "max-image-preview", "max-video-preview", "unavailable_after"})
"""Directives that contain a colon and so look as if they began with the name of a robot."""


@dataclass(frozen=True)
class RobotsDirectives:
    """The robots directives of a page."""

    nofollow: bool = False
    noarchive: bool = False
    noindex: bool = False


def robots_directives(metas: Sequence[tuple[str, str]], x_robots_tag: str | None, user_agent: str) -> RobotsDirectives:
    """Return the directives of a page for all robots and for the one of a user agent such as `webstrata/1.0 (…)`.

    `metas` are the names and contents of the meta elements in the head. Several headers are given as lines of one text.
    What any directive forbids is forbidden.
    """
    ours = {_FOR_ALL, product_token(user_agent)} - {""}
    words = {*_words_of_header(x_robots_tag or "", ours), *_words_of_metas(metas, ours)}
    return RobotsDirectives(
        nofollow=not words.isdisjoint({"nofollow", "none"}),
        noarchive="noarchive" in words,
        noindex=not words.isdisjoint({"noindex", "none"}),
    )


def _words_of_header(lines: str, ours: set[str]) -> Iterator[str]:
    """Yield the directives that apply to us; after the name of a robot, the rest of a line is for that robot."""
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


def _words_of_metas(metas: Sequence[tuple[str, str]], ours: set[str]) -> Iterator[str]:
    for name, content in metas:
        if name.strip().lower() in ours:
            yield from _SEPARATORS.split(_VALUE.sub("", content.lower()))
