"""The stages of a job in this process: crawl and index; a stop or a failure is stored with a reason."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from webstrata.assets.registry import PluginRegistry
from webstrata.coordination.permits import PermitStore
from webstrata.db.captures import snapshots
from webstrata.db.captures.snapshots import JobComparison
from webstrata.db.engine import Database
from webstrata.db.queue import frontier, jobs, leases
from webstrata.db.queue.jobs import StoredJob
from webstrata.errors import ConflictError, UsageError
from webstrata.fetch.guard import NetworkGuard
from webstrata.jobs.folders.job_folders import check_output
from webstrata.jobs.running.crawl_end import write_folder_records
from webstrata.jobs.running.indexing_beside import IndexSoFar, index_beside
from webstrata.jobs.running.job_lease import lead_job
from webstrata.jobs.running.recovery import Recovery
from webstrata.jobs.running.stages import CRAWL_EXIT_CODES, INTERRUPTED
from webstrata.model.crawl.crawl_config import CrawlConfig
from webstrata.model.jobs.job import JobStatus
from webstrata.model.jobs.job_checks import check_job_config
from webstrata.model.jobs.tool_options import ZIMIT

if TYPE_CHECKING:
    from webstrata.crawl.tally import CrawlProgress
    from webstrata.jobs.running.crawling import Crawling
    from webstrata.jobs.running.indexing import Indexing


@dataclass(frozen=True)
class JobCallbacks:
    """Callbacks that report the progress of a job."""

    crawled: Callable[["CrawlProgress"], None] = lambda progress: None
    indexed: Callable[[int], None] = lambda pages: None
    read: Callable[[int, int], None] = lambda done, total: None
    """Progress callback of the index, called with (bytes read, bytes in total)."""
    looked: Callable[[int, int], None] = lambda done, total: None
    """Progress callback, called with (processed captures, captures in total)."""


UNWATCHED = JobCallbacks()


@dataclass(frozen=True)
class JobSummary:
    """How a job ended."""

    job_id: int
    seed: str
    """Its first seed, or the job's name if it was not crawled here."""
    status: JobStatus
    reason: str | None
    captured: int
    failed: int
    first_error: str | None
    comparison: JobComparison
    warc_folder: Path


@dataclass(frozen=True)
class Runner:
    """Runs jobs, or single stages of them, in this process."""

    database: Database
    archive_root: Path
    defaults: CrawlConfig
    guard: NetworkGuard
    permits: PermitStore
    plugins: PluginRegistry = field(default_factory=PluginRegistry)
    proxy: str | None = field(default=None, repr=False)
    """The address of an HTTP proxy; it may hold a password."""
    min_free_bytes: int = 0
    index_processes: int | None = None
    concurrency: int | None = None
    """How many concurrent requests a crawl has; None uses the job's setting."""
    tracks_changes: bool = True
    beside: IndexSoFar | None = None
    """Indexes the captures of a running crawl in another process: in this one it would slow the crawl down."""
    index_every_seconds: float = 0
    chromium: Path | None = None
    """The browser of crawls that use one; None to look for an installed one."""
    make_preview: Callable[[int], None] | None = None
    """Called with a job that was indexed, to take a picture of its source's front page."""

    def run(
        self,
        job_id: int,
        watcher: JobCallbacks = UNWATCHED,
        interrupted: threading.Event | None = None,
        *,
        helpers_welcome: bool = False,
    ) -> JobSummary:
        """Run a job through its stages and return how it ended; after a failure on our side it is retried later.

        A signal that ends the crawl also sets the event `interrupted`. Other workers may help if `helpers_welcome`,
        which requires the same settings, as in all workers of an archive; a job with a command's own settings gets no
        helpers.
        """
        self.recovery.tend()
        stop_requested = interrupted or threading.Event()
        with lead_job(self.database, self.archive_root, job_id, helpers_welcome=helpers_welcome) as leader:
            ended = self._crawl_if_needed(job_id, leader, watcher, stop_requested)
            if ended is not None:
                watcher.read(0, 0)
                # Captures are indexed even after an interruption: the event stops only the crawl.
                self.index(
                    job_id, leader, threading.Event(), watcher.indexed, advanced=watcher.read, looked=watcher.looked
                )
            write_folder_records(self.database, self.archive_root, job_id)
        return self.summary(job_id)

    def crawl(
        self,
        job_id: int,
        leader: str,
        interrupted: threading.Event,
        watch: Callable[["CrawlProgress"], None] = UNWATCHED.crawled,
        *,
        is_child: bool = False,
    ) -> int:
        """Crawl a job for its leader and record its end; return archive-tool's exit code for it.

        A crawler in a child process does not settle the job when its parent process ends.
        """
        with structlog.contextvars.bound_contextvars(job_id=job_id):
            job = self._load(job_id)
            if job.config.tool_options.get("engine") == ZIMIT:
                raise UsageError(f"job {job_id} is crawled by zimit: webstrata run-db-job --id {job_id}, or a worker")
            if job.source is None:
                raise ConflictError(jobs.no_source(job_id))
            self.plugins.selected(job.config.plugins)
            ended = self._crawling.lead(job, leader, watch, interrupted, is_child=is_child)
        return INTERRUPTED if ended is None else CRAWL_EXIT_CODES[ended]

    def index(
        self,
        job_id: int,
        leader: str,
        interrupted: threading.Event,
        progress: Callable[[int], None] = UNWATCHED.indexed,
        *,
        advanced: Callable[[int, int], None] = UNWATCHED.read,
        looked: Callable[[int, int], None] = UNWATCHED.looked,
        again: bool = False,
    ) -> int:
        """Index a job whose crawl is over, for its leader; return 0, 1 if it failed, 130 if it was stopped."""
        with structlog.contextvars.bound_contextvars(job_id=job_id):
            code = self._indexing.run(
                job_id, leader, progress, interrupted, advanced=advanced, looked=looked, again=again
            )
            if code == 0 and self.make_preview is not None and not interrupted.is_set():
                self.make_preview(job_id)
            return code

    def settles_its_job(self, job: StoredJob) -> bool:
        """Return True: a crawl in this process also records its end."""
        return True

    def index_so_far(self, job_id: int, interrupted: threading.Event) -> int:
        """Index the captures of a running crawl until stopped, and return 130 then."""
        return self._indexing.so_far(job_id, interrupted)

    def help(self, job_id: int, interrupted: threading.Event) -> bool:
        """Help with a crawl that another worker leads, while there is work; return whether there was any."""
        with structlog.contextvars.bound_contextvars(job_id=job_id):
            return self._crawling.help(self._load(job_id), interrupted)

    @cached_property
    def recovery(self) -> Recovery:
        """Return the recovery after dead workers."""
        return Recovery.resting(self.database, self.archive_root, self.permits, self.defaults.per_host_delay)

    def summary(self, job_id: int) -> JobSummary:
        """Return how a job ended, or its present status."""
        with self.database.read() as session:
            job = jobs.load_job(session, job_id)
            reason, captured, failed = jobs.outcome(session, job_id)
            return JobSummary(
                job_id=job_id,
                seed=next(iter(job.config.seeds), job.name),
                status=job.status,
                reason=reason,
                captured=captured,
                failed=failed,
                first_error=frontier.first_error(session, job_id),
                comparison=snapshots.compare_with_before(session, job_id),
                warc_folder=Path(job.output_dir) / "warcs",
            )

    def _crawl_if_needed(
        self, job_id: int, leader: str, watcher: JobCallbacks, interrupted: threading.Event
    ) -> JobStatus | None:
        """Crawl, and return the resulting status; a job that was interrupted during indexing is not crawled again."""
        job = self._load(job_id)
        if job.crawl_ended is not None:
            with self.database.write() as session:
                leases.set_as(session, job_id, leader, status=job.crawl_ended)
            return job.crawl_ended
        check_job_config(job.config)
        check_output(self.database, job, min_free_bytes=self.min_free_bytes)
        with index_beside(self.database, job, self.beside, self.index_every_seconds):
            code = self.crawl(job_id, leader, interrupted, watcher.crawled)
        with self.database.write() as session:
            leases.set_as(session, job_id, leader, crawler_exit_code=code)
        return self._load(job_id).crawl_ended

    @cached_property
    def _crawling(self) -> "Crawling":
        # Imported here: each stage takes long to load, and a worker's child process needs only one.
        from webstrata.jobs.running.crawling import Crawling

        return Crawling(
            self.database,
            self.archive_root,
            self.defaults,
            self.guard,
            self.permits,
            self.recovery,
            self.min_free_bytes,
            self.proxy,
            self.concurrency,
            self.chromium,
        )

    @cached_property
    def _indexing(self) -> "Indexing":
        from webstrata.db.watching.site_diff import CrawlDefaults
        from webstrata.jobs.running.indexing import FOLLOW_SECONDS, Indexing

        return Indexing(
            self.database,
            self.archive_root,
            self.plugins,
            self.index_processes,
            tracks_changes=self.tracks_changes,
            follow_every_seconds=self.index_every_seconds or FOLLOW_SECONDS,
            crawl_defaults=CrawlDefaults(self.defaults.max_depth, self.defaults.max_pages),
        )

    def _load(self, job_id: int) -> StoredJob:
        with self.database.read() as session:
            return jobs.load_job(session, job_id)
