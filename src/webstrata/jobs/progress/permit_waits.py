"""Sums of the waiting times for host permits, for monitoring: written at intervals, not at every permit."""

import time
from collections.abc import Callable
from threading import Lock
from types import TracebackType

import structlog

from webstrata.crawl.tally import CrawlProgress
from webstrata.db.engine import Database
from webstrata.db.operations import operations
from webstrata.db.operations.operations import Operation
from webstrata.errors import DatabaseError

log = structlog.get_logger()

WRITTEN_EVERY = 10.0
_NOTICEABLE = 0.001

Watch = Callable[[CrawlProgress], None]


class PermitWaits:
    """The waiting times of one process; the last ones are written at the end of its crawl."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin with none."""
        self._database = database
        self._clock = clock
        self._lock = Lock()
        self._count, self._seconds = 0, 0.0
        self._written_at = clock()

    def __enter__(self) -> "PermitWaits":
        """Count while the block lasts."""
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        """Write what is left."""
        self._write()

    def add_wait(self, seconds: float) -> None:
        """Count the wait for one permit; very short waits are not counted."""
        if seconds >= _NOTICEABLE:
            with self._lock:
                self._count += 1
                self._seconds += seconds

    def reporting(self, watch: Watch) -> Watch:
        """Return a callback that passes progress on to `watch` and writes the sums at intervals."""

        def watch_and_write(progress: CrawlProgress) -> None:
            watch(progress)
            if self._clock() - self._written_at >= WRITTEN_EVERY:
                self._write()

        return watch_and_write

    def _write(self) -> None:
        with self._lock:
            count, seconds, self._count, self._seconds = self._count, self._seconds, 0, 0.0
        self._written_at = self._clock()
        if count == 0:
            return
        try:
            with self._database.write() as session:
                operations.count(session, Operation.HOST_TURN_WAITS, count)
                operations.count(session, Operation.HOST_TURN_WAIT_MS, round(seconds * 1000))
        except DatabaseError as error:
            # These are only numbers for monitoring, so a failure does not fail the crawl.
            log.warning("turn_waits.lost", waits=count, reason=str(error))
