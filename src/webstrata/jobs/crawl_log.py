"""The combined log of a crawl: its log lines, and every few seconds how far it is."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from webstrata.crawl.tally import CrawlProgress
from webstrata.db.frontier import FrontierCounts
from webstrata.errors import StorageError
from webstrata.logs import also_to
from webstrata.warc.combined_log import combined_log_name, next_attempt, statistics_line

STATISTICS_EVERY = 5.0


class CrawlLog:
    """Writes the statistics of a crawl into its combined log."""

    def __init__(self, path: Path, max_pages: int, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin: the first statistics come with the first news."""
        self.path = path
        self._max_pages = max_pages
        self._clock = clock
        self._last: float | None = None

    def crawled(self, progress: CrawlProgress) -> None:
        """Take news of the crawl; they are written when the last ones are some seconds old."""
        if self._last is None or self._clock() - self._last >= STATISTICS_EVERY:
            self._last = self._clock()
            self.write(progress.counts)

    def write(self, counts: FrontierCounts) -> None:
        """Write how far the crawl is; StorageError when the disk refuses."""
        line = statistics_line(
            datetime.now(UTC),
            crawled=counts.finished,
            total=counts.total,
            pending=counts.pending + counts.in_progress,
            failed=counts.error,
            most=self._max_pages,
            hit=counts.finished >= self._max_pages,
        )
        try:
            with self.path.open("a", encoding="utf-8") as log:
                log.write(line)
        except OSError as error:
            raise StorageError(f"{self.path}: {error.strerror}") from error


@contextmanager
def crawl_log(output_dir: Path, stage: str, max_pages: int) -> Iterator[CrawlLog]:
    """Begin the log of the next attempt at a stage; what this process logs meanwhile goes there too."""
    path = output_dir / combined_log_name(stage, next_attempt(output_dir, stage), datetime.now(UTC))
    try:
        stream = path.open("a", encoding="utf-8", buffering=1)
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror}") from error
    with stream, also_to(stream):
        yield CrawlLog(path, max_pages)
