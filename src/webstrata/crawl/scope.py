"""Which URLs belong to a job."""

from collections.abc import Iterable
from dataclasses import dataclass

from webstrata.model.tasks import Link
from webstrata.model.urls import host_of


@dataclass(frozen=True)
class Scope:
    """The hosts of the seeds, with and without `www.`, down to a depth."""

    hosts: frozenset[str]
    max_depth: int

    @classmethod
    def of_seeds(cls, seeds: Iterable[str], max_depth: int) -> "Scope":
        """Return the scope that a job has when it says nothing else."""
        return cls(frozenset(_folded(seed) for seed in seeds), max_depth)

    def admitted(self, links: Iterable[Link], depth: int) -> tuple[Link, ...]:
        """Return the links, found at a depth, that the job follows."""
        if depth > self.max_depth:
            return ()
        return tuple(link for link in links if _folded(link.url) in self.hosts)


def _folded(url: str) -> str:
    return host_of(url).removeprefix("www.")
