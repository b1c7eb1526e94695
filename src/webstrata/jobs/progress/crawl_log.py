"""The combined log of a crawl: its log lines, and every few seconds its failed visits and statistics."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from webstrata.crawl.tally import CrawlProgress
from webstrata.db.queue.frontier import FrontierCounts
from webstrata.errors import StorageError
from webstrata.logs import also_to, without_secrets
from webstrata.model.crawl.failures import VisitFailure, summed_up
from webstrata.storage.combined_log import combined_log_name, log_line, next_attempt, statistics_line

STATISTICS_EVERY = 5.0
FAILURES_LOGGED = 5
"""How many failed visits of each kind are logged between two statistics; the last one also represents the others."""

_LONGEST = 500


class CrawlLog:
    """Writes the statistics and the failed visits of a crawl into its combined log."""

    def __init__(self, path: Path, max_pages: int, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin: the first statistics are written with the first progress."""
        self.path = path
        self._max_pages = max_pages
        self._clock = clock
        self._last: float | None = None
        self._failures: list[VisitFailure] = []

    def record(self, progress: CrawlProgress) -> None:
        """Record the progress of the crawl; statistics are written every few seconds."""
        self._failures = summed_up([*self._failures, *progress.failures], FAILURES_LOGGED)
        if self._last is None or self._clock() - self._last >= STATISTICS_EVERY:
            self._last = self._clock()
            self.write(progress.counts)

    def write(self, counts: FrontierCounts) -> None:
        """Write the failed visits and the statistics of the crawl; StorageError when the log cannot be written."""
        now = datetime.now(UTC)
        # Failures are written before the statistics: a monitor counts consecutive failures up to statistics with new
        # pages.
        failed = "".join(_failure_line(now, failure) for failure in self._failures)
        line = statistics_line(
            now,
            crawled=counts.finished,
            total=counts.total,
            pending=counts.pending + counts.in_progress,
            failed=counts.error,
            most=self._max_pages,
            hit=counts.finished >= self._max_pages,
        )
        try:
            with self.path.open("a", encoding="utf-8") as log:
                log.write(failed + line)
        except OSError as error:
            raise StorageError(f"{self.path}: {error.strerror}") from error
        self._failures = []


@contextmanager
def crawl_log(output_dir: Path, stage: str, max_pages: int) -> Iterator[CrawlLog]:
    """Begin the log of the next attempt at a stage; log lines of this process are also written to it."""
    path = output_dir / combined_log_name(stage, next_attempt(output_dir, stage), datetime.now(UTC))
    try:
        stream = path.open("a", encoding="utf-8", buffering=1)
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror}") from error
    with stream, also_to(stream):
        yield CrawlLog(path, max_pages)


def _failure_line(now: datetime, failure: VisitFailure) -> str:
    # Passwords are hidden before the text is shortened: a part of a URL may no longer look like one with a password.
    shown = without_secrets({"url": failure.url, "kind": failure.kind, "reason": failure.reason})
    details: dict[str, object] = {name: text[:_LONGEST] for name, text in shown.items()}
    details |= {"count": failure.count} if failure.count > 1 else {}
    return log_line(now, "warn", "pageStatus", "Page Load Failed", details)
