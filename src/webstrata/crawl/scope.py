"""Which of the links that a page shows a job follows."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from webstrata.model.scope import ScopeRules
from webstrata.model.tasks import Link
from webstrata.model.traps import TrapGuard, without_session_id


@dataclass(frozen=True)
class Scope:
    """A job's rules, how deep it goes, and what keeps it out of traps."""

    rules: ScopeRules
    max_depth: int
    traps: TrapGuard

    def admitted(self, links: Iterable[Link], depth: int) -> tuple[Link, ...]:
        """Return the links, found at a depth, that the job follows."""
        return tuple(self._admitted(links)) if depth <= self.max_depth else ()

    def _admitted(self, links: Iterable[Link]) -> Iterator[Link]:
        for link in links:
            # Cleaned first: a site that gives every link a session would else be one big trap.
            url = without_session_id(link.url)
            if self.rules.admits(url) and self.traps.verdict(url) is None:
                yield link if url == link.url else replace(link, url=url)
