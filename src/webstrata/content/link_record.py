"""The links of a page in a few bytes, stored with its capture: an unchanged page is not parsed again."""

import json
import zlib
from dataclasses import dataclass

from isal import isal_zlib

from webstrata.content.html import PageLinks
from webstrata.content.robots_meta import RobotsDirectives
from webstrata.model.tasks import Link, TaskType

LINKS_VERSION = 1
"""Raised when other links are read from the same page: what an earlier version stored is then read again."""

_LEVEL = 2
_LARGEST = 500_000
"""The longest list of links that is stored, in bytes before compression."""

_MARKS = {
    (TaskType.PAGE, False): "p",
    (TaskType.PAGE, True): "P",
    (TaskType.MEDIA, False): "m",
    (TaskType.MEDIA, True): "M",
}
_MEANINGS = {mark: meaning for meaning, mark in _MARKS.items()}


@dataclass(frozen=True)
class LinkRecord:
    """The links of a page, and what else decided on them beside its payload and its URL."""

    page: PageLinks
    content_type: str | None
    x_robots_tag: str | None
    user_agent: str

    def is_read_as(self, content_type: str | None, x_robots_tag: str | None) -> bool:
        """Tell whether the same payload with these headers has the same links."""
        return (self.content_type, self.x_robots_tag) == (content_type, x_robots_tag)

    def packed(self) -> bytes | None:
        """Return the record in as few bytes as compression makes of it; None when it is too long to store."""
        stated = self.page.directives
        head = [
            *(LINKS_VERSION, self.user_agent, self.content_type, self.x_robots_tag),
            *(int(stated.nofollow), int(stated.noarchive), int(stated.noindex)),
        ]
        lines = [_MARKS[link.task_type, link.nofollow] + link.url for link in self.page.links]
        data = "\n".join([json.dumps(head, separators=(",", ":")), *lines]).encode("utf-8", "surrogatepass")
        return isal_zlib.compress(data, _LEVEL) if len(data) <= _LARGEST else None


def unpacked(stored: bytes, user_agent: str) -> LinkRecord | None:
    """Return what was packed; None if another version of the program did, or one with another user agent."""
    lines = zlib.decompress(stored).decode("utf-8", "surrogatepass").split("\n")
    version, agent, content_type, x_robots_tag, *directives = json.loads(lines[0])
    if (version, agent) != (LINKS_VERSION, user_agent):
        return None
    links = tuple([Link(line[1:], *_MEANINGS[line[0]]) for line in lines[1:]])
    return LinkRecord(
        PageLinks(links, RobotsDirectives(*map(bool, directives))), content_type, x_robots_tag, user_agent
    )
