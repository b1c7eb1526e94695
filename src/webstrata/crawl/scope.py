"""Decides which links of a page a job follows: scope, depth, crawler traps and requisites."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import structlog

from webstrata.model.crawl.crawl_config import CrawlConfig
from webstrata.model.crawl.scope import ScopeRules
from webstrata.model.crawl.tasks import MAX_NESTING, Link, TaskType
from webstrata.model.crawl.traps import TrapGuard

log = structlog.get_logger()

_DECISIONS_KEPT = 50_000


@dataclass(frozen=True)
class CrawlScope:
    """A job's rules: scope, depth, protection against crawler traps, and which resources of a page are captured."""

    rules: ScopeRules
    max_depth: int
    traps: TrapGuard
    max_page_requisites: int = CrawlConfig.max_page_requisites

    def admit_links(
        self, links: Sequence[Link], depth: int, page: str | None = None, *, nesting: int = 1
    ) -> tuple[Link, ...]:
        """Return the links that the job follows.

        The trap detection learns from all links of the page. `depth` is that of linked pages, `nesting` that of
        requisites.
        """
        if page is not None:
            self.traps.learn(page, [link.url for link in links if link.task_type is TaskType.PAGE])
        is_too_deep = depth > self.max_depth
        room = self.max_page_requisites if nesting <= MAX_NESTING else 0
        followed: list[Link] = []
        for link in links:
            if link.task_type is TaskType.MEDIA:
                url = self._requisite_address(link.url) if room else None
                room -= url is not None
            else:
                url = None if is_too_deep else self._address(link.url)
            if url is not None:
                followed.append(link if url == link.url else replace(link, url=url))
        if not room and self.max_page_requisites:
            log.info("crawl.requisites.limit", url=page, nesting=nesting)
        return tuple(followed)

    @cached_property
    def _address(self) -> Callable[[str], str | None]:
        """Return a cached function from a URL to the address that the job follows; None for one that it does not
        follow."""
        return lru_cache(_DECISIONS_KEPT)(self._decide)

    def _decide(self, href: str) -> str | None:
        # Session parameters are removed first: a site that adds one to every link would look like a trap.
        url = self.traps.cleaned(href)
        return url if self.rules.admits(url) and self.traps.verdict(url) is None else None

    @cached_property
    def _requisite_address(self) -> Callable[[str], str | None]:
        """Return a cached function from the URL of a requisite to the address that the job captures; None for
        others."""
        return lru_cache(_DECISIONS_KEPT)(self._decide_requisite)

    def _decide_requisite(self, href: str) -> str | None:
        # The trap detection does not count requisites, which have no links and a limit per page.
        url = self.traps.cleaned(href)
        return url if self.rules.why_not_requisite(url) is None else None
