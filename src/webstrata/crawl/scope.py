"""Which of the links that a page shows a job follows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from webstrata.model.scope import ScopeRules
from webstrata.model.tasks import Link, TaskType
from webstrata.model.traps import TrapGuard

_DECISIONS_KEPT = 50_000


@dataclass(frozen=True)
class Scope:
    """A job's rules, how deep it goes, and what keeps it out of traps."""

    rules: ScopeRules
    max_depth: int
    traps: TrapGuard

    def admitted(self, links: Sequence[Link], depth: int, page: str | None = None) -> tuple[Link, ...]:
        """Return the links, found at a depth, that the job follows; a page's also teach how its site makes them."""
        if page is not None:
            self.traps.learn(page, [link.url for link in links if link.task_type is TaskType.PAGE])
        if depth > self.max_depth:
            return ()
        followed: list[Link] = []
        for link in links:
            url = self._address(link.url)
            if url is not None:
                followed.append(link if url == link.url else replace(link, url=url))
        return tuple(followed)

    @cached_property
    def _address(self) -> Callable[[str], str | None]:
        """Return the address by which a job follows a URL, if it does; kept, as a site's pages share their links."""
        return lru_cache(_DECISIONS_KEPT)(self._decided)

    def _decided(self, href: str) -> str | None:
        # Cleaned first: a site that gives every link a session would else be one big trap.
        url = self.traps.cleaned(href)
        return url if self.rules.admits(url) and self.traps.verdict(url) is None else None
