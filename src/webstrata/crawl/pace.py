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
"""The most leased URLs, as a multiple of the concurrency."""


class Pace:
    """Tracks which hosts must not be requested yet, when tasks are retried, and how fast visits end."""

    def __init__(self, config: CrawlConfig, permits: HostPermits, started_at: datetime, domains: Iterable[str]) -> None:
        """Begin without waiting; `domains` are those in the scope of the crawl."""
        self._config = config
        self._permits = permits
        self._started_at = started_at
        self._lease = timedelta(seconds=config.lease_seconds)
        self._resting: dict[str, float] = {}
        self._hosts: set[str] | None = None
        self._retries: set[datetime] = set()
        self._brought = 0
        self.is_throttled = any(permits.is_limited(domain) for domain in domains)
        """Whether any host limits how fast it may be requested."""

    @property
    def out_of_time(self) -> bool:
        """Return whether the time limit of the crawl is reached."""
        longest = self._config.max_seconds
        return longest is not None and datetime.now(UTC) >= self._started_at + timedelta(seconds=longest)

    def set_hosts(self, hosts: set[str]) -> None:
        """Set all hosts of the crawl's URLs: while none may be requested, the frontier is not searched."""
        self._hosts = hosts

    def add_hosts(self, links: Iterable[Link]) -> None:
        """Add the hosts of new URLs, if all others are known; requisites may be on hosts with a limit."""
        if self._hosts is not None:
            self._hosts.update(host_of(link.url) for link in links)
        elif not self.is_throttled:
            shown = {host_of(link.url) for link in links if link.task_type is TaskType.MEDIA}
            self.is_throttled = any(map(self._permits.is_limited, shown))

    def add_retry(self, retry_at: datetime) -> None:
        """Add the time at which a task is retried."""
        self._retries.add(retry_at)

    def slow_down(self, host: str, delay: float) -> None:
        """Apply the crawl delay of a robots.txt."""
        self._permits.slow_down(host, delay)
        self.is_throttled = self.is_throttled or self._permits.is_limited(host)

    async def load_resting_hosts(self) -> None:
        """Load the hosts without a free permit, if any host has a limit."""
        if self.is_throttled:
            self._resting = await self._permits.resting()

    def claim(self, held: Sequence[Task], brought: int) -> Claim:
        """Return how many tasks to lease: several, so that slow writes leave no connection idle; one at a time for
        limited hosts."""
        ahead = self._ahead(max(self._brought, brought))
        self._brought = brought
        requested = (self._config.concurrency if self.is_throttled else ahead) - len(held)
        resting = self._unavailable_hosts(held) if self.is_throttled else frozenset()
        if self.out_of_time or any(task.suspect for task in held) or self._are_all_resting(resting):
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
        """Return the longest wait for an event, in seconds: until a retry or a host is due."""
        now = datetime.now(UTC)
        # Includes tasks that became due since the last claim, as they were not leased yet.
        waits = [(due - now).total_seconds() for due in self._retries]
        self._retries = {due for due in self._retries if due > now}
        waits += [seconds for seconds in self._resting.values() if seconds > 0]
        return min(max(min(waits, default=_LONGEST_WAIT), SHORTEST_WAIT), _LONGEST_WAIT)

    def _ahead(self, brought: int) -> int:
        """Return how many tasks to have leased: those being visited, and those that will begin before the next round
        ends.

        A round on a slow disk must not leave connections idle, and URLs of a slow site should not be leased for long;
        with a limit of bytes, no task is leased ahead.
        """
        concurrency = self._config.concurrency
        if self._config.max_bytes is not None:
            return concurrency
        return min(_MOST_AHEAD * concurrency, concurrency + 3 * brought)

    def _are_all_resting(self, resting: frozenset[str]) -> bool:
        """Return whether no host may be requested now; then the database does not search the waiting tasks."""
        return bool(self._hosts) and self._hosts is not None and self._hosts <= resting

    def _unavailable_hosts(self, held: Sequence[Task]) -> frozenset[str]:
        """Return the hosts where no further visit may begin: they have to rest, or all their slots are in use."""
        visited = Counter(host_of(task.url) for task in held)
        limited = {host: visits for host, visits in visited.items() if self._permits.is_limited(host)}
        full = {host for host, visits in limited.items() if visits >= self._permits.slots_of(host)}
        return frozenset(full | self._resting.keys())
