"""The pace of a crawl: how many tasks a worker claims, and when it looks for more."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

from webstrata.coordination.permits import HostPermits
from webstrata.crawl.commit import Claim
from webstrata.model.crawl.crawl_config import CrawlConfig
from webstrata.model.crawl.tasks import Link, Task, TaskType
from webstrata.model.urls import host_of

SHORTEST_WAIT = 0.02
_LONGEST_WAIT = 1.0
_MOST_AHEAD = 10
"""How many times what is under way is leased at most."""


class Pace:
    """Knows which hosts rest, what is retried and when, and how fast outcomes arrive."""

    def __init__(self, config: CrawlConfig, permits: HostPermits, started_at: datetime, domains: Iterable[str]) -> None:
        """Begin without waiting; `domains` are those that the crawl stays within."""
        self._config = config
        self._permits = permits
        self._started_at = started_at
        self._lease = timedelta(seconds=config.lease_seconds)
        self._resting: dict[str, float] = {}
        self._hosts: set[str] | None = None
        self._retries: set[datetime] = set()
        self._brought = 0
        self.is_throttled = any(permits.is_limited(domain) for domain in domains)
        """Whether any host has to be waited for."""

    @property
    def out_of_time(self) -> bool:
        """Return whether the time limit of the crawl is reached."""
        longest = self._config.max_seconds
        return longest is not None and datetime.now(UTC) >= self._started_at + timedelta(seconds=longest)

    def knows_hosts(self, hosts: set[str]) -> None:
        """Remember every host of the crawl's URLs: while all of them rest, the frontier need not be searched."""
        self._hosts = hosts

    def add_hosts(self, links: Iterable[Link]) -> None:
        """Remember the hosts of new URLs, if all the others are known; requisites may be on hosts that need rest."""
        if self._hosts is not None:
            self._hosts.update(host_of(link.url) for link in links)
        elif not self.is_throttled:
            shown = {host_of(link.url) for link in links if link.task_type is TaskType.MEDIA}
            self.is_throttled = any(map(self._permits.is_limited, shown))

    def expects(self, retry_at: datetime) -> None:
        """Remember when a task is to be retried."""
        self._retries.add(retry_at)

    def slow_down(self, host: str, delay: float) -> None:
        """Obey a robots.txt that asks for a delay."""
        self._permits.slow_down(host, delay)
        self.is_throttled = self.is_throttled or self._permits.is_limited(host)

    async def see_who_rests(self) -> None:
        """Ask which hosts have no turn to give, if any host may have none."""
        if self.is_throttled:
            self._resting = await self._permits.resting()

    def claim(self, held: Sequence[Task], brought: int) -> Claim:
        """Return how many tasks to lease: enough to bridge a slow disk, but one at a time where hosts need rest."""
        ahead = self._ahead(max(self._brought, brought))
        self._brought = brought
        requested = (self._config.concurrency if self.is_throttled else ahead) - len(held)
        resting = self._not_now(held) if self.is_throttled else frozenset()
        if self.out_of_time or any(task.suspect for task in held) or self._all_rest(resting):
            requested = 0
        return Claim(
            limit=min(requested, 1) if self.is_throttled else requested,
            lease=self._lease,
            max_pages=self._config.max_pages,
            max_requisites=self._config.max_requisites,
            max_bytes=self._config.max_bytes,
            resting_hosts=resting,
            alone=not held,
        )

    def seconds_to_wait(self) -> float:
        """Return how long to wait for an event at most: until something becomes due."""
        now = datetime.now(UTC)
        # What became due since the last claim has not been looked at: it counts once more.
        waits = [(due - now).total_seconds() for due in self._retries]
        self._retries = {due for due in self._retries if due > now}
        waits += [seconds for seconds in self._resting.values() if seconds > 0]
        return min(max(min(waits, default=_LONGEST_WAIT), SHORTEST_WAIT), _LONGEST_WAIT)

    def _ahead(self, brought: int) -> int:
        """Return how many tasks to hold: besides those under way, those that will begin before the next round ends.

        A round on a slow disk must not leave connections idle, nor a slow site's URLs wait in our hands; where bytes
        are limited, nothing is held that may be too much.
        """
        concurrency = self._config.concurrency
        if self._config.max_bytes is not None:
            return concurrency
        return min(_MOST_AHEAD * concurrency, concurrency + 3 * brought)

    def _all_rest(self, resting: frozenset[str]) -> bool:
        """Return whether no host may be requested now; then the database need not search all waiting tasks."""
        return bool(self._hosts) and self._hosts is not None and self._hosts <= resting

    def _not_now(self, held: Sequence[Task]) -> frozenset[str]:
        """Return the hosts where no further visit may begin: they rest, or all of their slots are in use."""
        visited = Counter(host_of(task.url) for task in held)
        limited = {host: visits for host, visits in visited.items() if self._permits.is_limited(host)}
        full = {host for host, visits in limited.items() if visits >= self._permits.slots_of(host)}
        return frozenset(full | self._resting.keys())
