"""What pages wish of robots, in meta tags, headers and single links, and which of it is granted."""

from collections.abc import Sequence
from dataclasses import dataclass

from webstrata.content.decode import decoded
from webstrata.content.html import page_text
from webstrata.content.links import MAX_PAGE_BYTES
from webstrata.content.robots_meta import RobotsDirectives, robots_directives
from webstrata.model.fetching import FetchResult
from webstrata.model.tasks import Link


@dataclass(frozen=True)
class PageWishes:
    """Which of the wishes that pages state are granted."""

    user_agent: str
    nofollow: bool
    noarchive: bool

    def of(self, result: FetchResult) -> RobotsDirectives:
        """Return what an answer wishes, as far as it is granted."""
        if not self.nofollow and not self.noarchive:
            return RobotsDirectives()
        body = decoded(result.body, result.header("content-encoding"), MAX_PAGE_BYTES)
        return self.of_page(body, result.header("content-type"), result.header_lines("x-robots-tag"))

    def of_page(self, body: bytes, content_type: str | None, x_robots_tag: str | None) -> RobotsDirectives:
        """Return what a page wishes, as far as it is granted."""
        if not self.nofollow and not self.noarchive:
            return RobotsDirectives()
        html = page_text(body[:MAX_PAGE_BYTES], content_type) if "html" in (content_type or "").lower() else None
        stated = robots_directives(html, x_robots_tag, self.user_agent)
        return RobotsDirectives(
            nofollow=self.nofollow and stated.nofollow, noarchive=self.noarchive and stated.noarchive
        )

    def followed(self, links: Sequence[Link]) -> Sequence[Link]:
        """Return the links that may be followed: where nofollow is granted, all but those that are marked so."""
        return [link for link in links if not link.nofollow] if self.nofollow else links
