"""Progress reports: a crawl writes its counts regularly, and reads whether it was stopped."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime

from webstrata.coordination.threads import in_thread
from webstrata.crawl.tally import CrawlProgress, Tally
from webstrata.db.engine import Database, Session
from webstrata.db.queue import frontier, jobs, leases, run_reports
from webstrata.db.queue.frontier import FrontierCounts
from webstrata.model.crawl.run_reports import CrawlReport

_REPORT_EVERY = 0.5
_REPORT_SHARE = 10

Progress = Callable[[CrawlProgress], None]


class Reporter:
    """Writes the counts of one worker, and reports the sum over all workers."""

    def __init__(self, database: Database, job_id: int, owner: str, progress: Progress, *, leads: bool) -> None:
        """Begin with zero counts; the leading worker also updates the job's own counts."""
        self._database = database
        self._job_id = job_id
        self._owner = owner
        self._progress = progress
        self._leads = leads
        self.tally = Tally()

    async def report_until_cancelled(self, tend: Callable[[], None], stop: Callable[[], None]) -> None:
        """Report regularly; `tend` cleans up after dead workers, `stop` is called when the crawl has to end."""
        took = 0.0
        while True:
            # Reports are less frequent when counting takes long (with a million tasks), to limit their share of the
            # crawl's time.
            await asyncio.sleep(max(_REPORT_EVERY, _REPORT_SHARE * took))
            began = time.monotonic()
            await in_thread(tend)
            if not await in_thread(self._report):
                stop()
            took = time.monotonic() - began

    def report(self) -> FrontierCounts:
        """Write this worker's counts, report the sum of all workers, and return the job's URLs by status."""
        counts, now = self._current_counts(), datetime.now(UTC)
        with self._database.write() as session:
            report = self._write_report(session, counts, now)
        self._progress(CrawlProgress(counts, report, self.tally.failures()))
        return counts

    def _report(self) -> bool:
        """Write the report, reclaim leases, and return whether this worker goes on: not if another job waits for it."""
        counts, now = self._current_counts(), datetime.now(UTC)
        with self._database.write() as session:
            report = self._write_report(session, counts, now)
            # Even when nothing is left to claim; otherwise the crawl would wait for dead workers for ever.
            frontier.reclaim_expired(session, self._job_id, now)
            goes_on = leases.may_crawl(session, self._job_id)
            other_work = not self._leads and jobs.next_in_line(session, now) is not None
        self._progress(CrawlProgress(counts, report, self.tally.failures()))
        return goes_on and not other_work

    def _current_counts(self) -> FrontierCounts:
        # Counted before the transaction, during which other workers cannot write.
        with self._database.read() as session:
            return frontier.counts(session, self._job_id)

    def _write_report(self, session: Session, counts: FrontierCounts, now: datetime) -> CrawlReport:
        leases.lock_job(session, self._job_id)
        if self._leads:
            jobs.set_crawl_counts(session, self._job_id, asdict(counts))
        run_reports.write(session, self._job_id, self._owner, self.tally.report(), now)
        return run_reports.merged(session, self._job_id, now)
