"""Compact record of a page's links, stored with its capture, so that an unchanged page need not be parsed again."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from webstrata.content.html import PageLinks
from webstrata.content.robots_meta import RobotsDirectives
from webstrata.model.crawl.tasks import Link, TaskType

LINKS_VERSION = 2
"""Increased when the same page would give other links: pages with records of an earlier version are then parsed
again."""

_LARGEST = 500_000
"""The longest record that is stored, in bytes."""

_MARKS = {
    (TaskType.PAGE, False): "p",
    (TaskType.PAGE, True): "P",
    (TaskType.MEDIA, False): "m",
    (TaskType.MEDIA, True): "M",
}
_MEANINGS = {mark: meaning for meaning, mark in _MARKS.items()}

_NOTHING_SHARED = 33
"""The character for a URL that shares nothing with the one before; one more for each character that it shares."""

_MOST_SHARED = 90
_AFTER_SCHEME = len("https://")


@dataclass(frozen=True)
class LinkRecord:
    """The links of a page, and the headers and user agent on which they depend."""

    page: PageLinks
    content_type: str | None
    x_robots_tag: str | None
    user_agent: str

    def is_read_as(self, content_type: str | None, x_robots_tag: str | None) -> bool:
        """Return whether the same payload with these headers has the same links."""
        return (self.content_type, self.x_robots_tag) == (content_type, x_robots_tag)

    def packed(self) -> bytes | None:
        """Return the record in few bytes; None when it is too long to store, or lacks links of the page."""
        if self.page.is_cut:
            return None
        stated = self.page.directives
        head = [
            *(LINKS_VERSION, self.user_agent, self.content_type, self.x_robots_tag),
            *(int(stated.nofollow), int(stated.noarchive), int(stated.noindex)),
        ]
        data = "\n".join([json.dumps(head, separators=(",", ":")), *_shortened(self.page.links)])
        packed = data.encode("utf-8", "surrogatepass")
        return packed if len(packed) <= _LARGEST else None


def unpacked(stored: bytes, user_agent: str) -> LinkRecord | None:
    """Return the record from its packed form; None if it was packed by another version or for another user agent."""
    head, *lines = stored.decode("utf-8", "surrogatepass").split("\n")
    version, agent, content_type, x_robots_tag, *directives = json.loads(head)
    if (version, agent) != (LINKS_VERSION, user_agent):
        return None
    page = PageLinks(tuple(_links(lines)), RobotsDirectives(*map(bool, directives)))
    return LinkRecord(page, content_type, x_robots_tag, user_agent)


def stored_requisites(stored: bytes) -> list[str] | None:
    """Return the requisites of a page from its packed record; None if another version packed it."""
    head, *lines = stored.decode("utf-8", "surrogatepass").split("\n")
    if json.loads(head)[0] != LINKS_VERSION:
        return None
    return [link.url for link in _links(lines) if link.task_type is TaskType.MEDIA]


def _shortened(links: Iterable[Link]) -> Iterator[str]:
    """Yield a line for each link: its mark, the length of the prefix that it shares with the previous URL, and the
    rest.

    Not compressed: zlib releases the GIL, and waiting to get it back takes longer than parsing a page.
    """
    before = ""
    for link in links:
        shared = _shared_length(before, link.url)
        before = link.url
        yield _MARKS[link.task_type, link.nofollow] + chr(_NOTHING_SHARED + shared) + before[shared:]


def _shared_length(before: str, url: str) -> int:
    """Return the length of the prefix that a URL shares with the one before: its folder, or at least its site."""
    folder = before.rfind("/", 0, _MOST_SHARED) + 1
    if url.startswith(before[:folder]):
        return folder
    site = before.find("/", _AFTER_SCHEME, _MOST_SHARED) + 1
    return site if url.startswith(before[:site]) else 0


def _links(lines: Iterable[str]) -> Iterator[Link]:
    url = ""
    for line in lines:
        url = url[: ord(line[1]) - _NOTHING_SHARED] + line[2:]
        yield Link(url, *_MEANINGS[line[0]])
