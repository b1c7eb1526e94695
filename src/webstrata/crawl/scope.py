"""Which of the links that a page shows a job follows."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from webstrata.model.scope import ScopeRules
from webstrata.model.tasks import Link
from webstrata.model.traps import TrapGuard, without_session_id

_DECISIONS_KEPT = 50_000


@dataclass(frozen=True)
class Scope:
    """A job's rules, how deep it goes, and what keeps it out of traps."""

    rules: ScopeRules
    max_depth: int
    traps: TrapGuard

    def admitted(self, links: Iterable[Link], depth: int) -> tuple[Link, ...]:
        """Return the links, found at a depth, that the job follows."""
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
        url = without_session_id(href)
        return url if self.rules.admits(url) and self.traps.verdict(url) is None else None
