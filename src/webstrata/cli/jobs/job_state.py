"""The state of a job that runs in this process or another: its stage, its progress, and the time left."""

import time
from collections.abc import Callable
from datetime import timedelta

from webstrata.crawl.tally import CrawlProgress
from webstrata.db.queue.frontier import FrontierCounts
from webstrata.jobs.running.lifecycle import JobCallbacks
from webstrata.model.crawl.run_reports import CrawlReport
from webstrata.model.jobs.estimates import Stage, StageProgress, seconds_left, share_done
from webstrata.model.words import counted

_STILL_GROWING = 5.0
"""Seconds after the last new URL for which a crawl still counts as growing."""


class JobState:
    """Collects the progress of a job, from any thread, and describes it in words."""

    def __init__(self, title: str, first: Stage = Stage.CRAWL, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin before anything is known."""
        self.title = title
        self.crawl = CrawlProgress(FrontierCounts(), CrawlReport())
        self.snapshots = 0
        self._clock, self._began = clock, clock()
        self._first = self._stage = first
        self._progress: StageProgress | None = None
        self._stage_began, self._done_then = self._began, 0
        self._grew_at = self._began

    @property
    def watcher(self) -> JobCallbacks:
        """Return the watcher that a job reports its progress to."""
        return JobCallbacks(self.record_crawl, self.record_indexed, self.read, self.record_plugins)

    def record_crawl(self, progress: CrawlProgress) -> None:
        """Record the progress of the crawl."""
        if progress.counts.total > self.crawl.counts.total:
            self._grew_at = self._clock()
        self.crawl = progress
        counts, rate = progress.counts, progress.report.rate
        if self._stage is Stage.CRAWL and counts.finished + counts.error:
            self._progress = StageProgress(counts.finished + counts.error, counts.total, rate)

    def record_indexed(self, snapshots: int) -> None:
        """Add to the number of indexed snapshots."""
        self.snapshots += snapshots

    def read(self, done: int, total: int) -> None:
        """Record how much of its WARC files the index has read."""
        self._advance(Stage.INDEX, done, total)

    def record_plugins(self, done: int, total: int) -> None:
        """Record how many captures the plugins have processed."""
        self._advance(Stage.ASSETS, done, total)

    @property
    def is_crawling(self) -> bool:
        """Return whether the crawl is not over."""
        return self._stage is Stage.CRAWL

    @property
    def elapsed(self) -> timedelta:
        """Return how long the job has run, in whole seconds."""
        return timedelta(seconds=int(self._clock() - self._began))

    @property
    def share(self) -> float | None:
        """Return the share of all stages that is done, from 0 to 1; None before the first response."""
        return None if self._progress is None else share_done(self._first, self._stage, self._progress)

    @property
    def words(self) -> str:
        """Return the job's stage, progress and remaining time, in words."""
        left = self._time_left()
        return self._doing() + (f", {left}" if left else "")

    def _advance(self, stage: Stage, done: int, total: int) -> None:
        now = self._clock()
        if stage is not self._stage or self._progress is None:
            self._stage, self._stage_began, self._done_then = stage, now, done
        rate = (done - self._done_then) / max(now - self._stage_began, 0.001)
        self._progress = StageProgress(done, total, rate)

    def _doing(self) -> str:
        progress = self._progress or StageProgress()
        if self._stage is Stage.INDEX:
            how_far = f"{_read(progress)}{counted(self.snapshots, 'snapshot')}"
            return how_far if self._first is Stage.INDEX else f"indexing, {how_far}"
        if self._stage is Stage.ASSETS and progress.share < 1:
            return f"running plugins on {progress.done:,} of {counted(progress.total, 'capture')}"
        if self._stage is Stage.ASSETS:
            return "comparing with earlier captures"
        if self._progress is None:
            return "reading robots.txt and the first page"
        return f"crawling, {progress.done:,} of {counted(progress.total, 'URL')}"

    def _time_left(self) -> str:
        """Return the remaining time; a lower limit while the crawl still finds new URLs."""
        left = None if self._progress is None else seconds_left(self._stage, self._progress)
        if left is None or left < 1:
            return ""
        grows = self._stage is Stage.CRAWL and self._clock() - self._grew_at < _STILL_GROWING
        return f"{'at least' if grows else 'about'} {timedelta(seconds=int(left))} left"


def _read(progress: StageProgress) -> str:
    if not progress.total:
        return ""
    return f"{int(100 * progress.share)}% read, " if progress.share < 1 else "all read, counting links, "
