"""The tally of a run: what this process has fetched, and how fast."""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import astuple, dataclass
from threading import Lock

from webstrata.crawl.outcome import Outcome
from webstrata.db.queue.frontier import FrontierCounts
from webstrata.model.crawl.failures import VisitFailure, failure_kind, summed_up
from webstrata.model.crawl.run_reports import HOSTS_REPORTED, CrawlReport, HostReport, busiest
from webstrata.model.crawl.tasks import TaskType
from webstrata.model.urls import host_of

RATE_SECONDS = 10
"""The period over which the rate is measured: long enough to be steady, short enough to be current."""

_MOST_HOSTS = 20 * HOSTS_REPORTED
"""The most hosts that are counted separately; of very many, the busy ones are, and the others are summed up."""

_MOST_FAILURES = 20
"""How many failed visits of a kind are reported separately; of more, the last represents the others."""

_RESPONSES, _BYTES, _ERRORS = range(3)
"""The order of a HostReport's fields."""


@dataclass(frozen=True)
class CrawlProgress:
    """Progress of a crawl: its URLs by status, and the statistics of this run."""

    counts: FrontierCounts
    report: CrawlReport
    failures: tuple[VisitFailure, ...] = ()
    """Visits of this process that failed since its last report."""


class Tally:
    """Counts the outcomes of one process; it may be read from another thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin without any URLs."""
        self._clock = clock
        self._began = self._last = clock()
        self._lock = Lock()
        self._errors: Counter[str] = Counter()
        self._hosts: dict[str, list[int]] = {}
        self._recent: dict[int, int] = {}
        self._failures: list[VisitFailure] = []
        self._requisites = 0

    def saw(self, outcome: Outcome) -> None:
        """Count an outcome that was committed."""
        result, kind = outcome.result, outcome.error_kind
        host = host_of(outcome.task.url)
        with self._lock:
            self._last = self._clock()
            # Plain numbers, counted in place: this happens thousands of times a second.
            counts = self._hosts.get(host) or self._add_host(host)
            if result is not None:
                counts[_RESPONSES] += 1
                counts[_BYTES] += len(result.body)
                self._requisites += outcome.task.task_type is TaskType.MEDIA
                second = int(self._clock())
                self._recent[second] = self._recent.get(second, 0) + 1
            if kind is not None:
                counts[_ERRORS] += 1
                self._errors[kind] += 1
                self._remember(outcome)

    def failures(self) -> tuple[VisitFailure, ...]:
        """Return the failed visits since the last call, a few of each kind."""
        with self._lock:
            failed, self._failures = self._failures, []
        return tuple(summed_up(failed, _MOST_FAILURES))

    def report(self) -> CrawlReport:
        """Return the counts so far."""
        with self._lock:
            hosts = {host: HostReport(*counts) for host, counts in self._hosts.items()}
            errors, rate = dict(self._errors.most_common()), self._rate()
            idle = round(self._clock() - self._last, 1)
            requisites = self._requisites
        return CrawlReport(
            responses=sum(seen.responses for seen in hosts.values()),
            bytes=sum(seen.bytes for seen in hosts.values()),
            errors=errors,
            hosts=busiest(hosts),
            rate=rate,
            idle=idle,
            requisites=requisites,
        )

    def _remember(self, outcome: Outcome) -> None:
        """Store a failure until the next report, if the site is its cause."""
        if (kind := failure_kind(outcome.error_kind)) is None:
            return
        self._failures.append(VisitFailure(outcome.task.url, kind, outcome.task.last_error or ""))
        if len(self._failures) > 10 * _MOST_FAILURES:
            self._failures = summed_up(self._failures, _MOST_FAILURES)

    def _add_host(self, host: str) -> list[int]:
        """Begin to count for a host; when there are too many, the less busy ones are summed up."""
        if len(self._hosts) > 2 * _MOST_HOSTS:
            seen = {name: HostReport(*counts) for name, counts in self._hosts.items()}
            self._hosts = {name: list(astuple(report)) for name, report in busiest(seen, _MOST_HOSTS).items()}
        return self._hosts.setdefault(host, [0, 0, 0])

    def _rate(self) -> float:
        """Return the recent number of responses a second; older ones are forgotten."""
        now = self._clock()
        self._recent = {second: count for second, count in self._recent.items() if second > now - RATE_SECONDS}
        span = min(max(now - self._began, 1), RATE_SECONDS)
        return round(sum(self._recent.values()) / span, 2)
