"""A job's life: crawled, indexed; stopped or failed with a reason a person can act on."""

import asyncio
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property, partial
from pathlib import Path

import structlog
import uvloop

from webstrata.assets.registry import PluginRegistry
from webstrata.assets.stage import run_plugins
from webstrata.coordination.permits import DEFAULT_DELAY, HostPermits, PermitStore, Politeness
from webstrata.coordination.presence import present
from webstrata.crawl.commit import CrawlTarget
from webstrata.crawl.engine import Crawl, CrawlEnd, CrawlRun
from webstrata.crawl.tally import CrawlProgress
from webstrata.db import captures, frontier, jobs, leases, snapshots
from webstrata.db.engine import Database
from webstrata.db.jobs import StoredJob
from webstrata.db.snapshots import Comparison
from webstrata.errors import (
    OUR_TROUBLE,
    DatabaseError,
    LeaseLostError,
    OutsideRootError,
    StorageError,
    WebstrataError,
)
from webstrata.fetch.choice import FetchOptions, fetcher_named
from webstrata.fetch.fetcher import Fetcher
from webstrata.fetch.guard import NetworkGuard
from webstrata.index.pipeline import index_job
from webstrata.jobs.leading import leading
from webstrata.jobs.recovery import Recovery
from webstrata.jobs.run_report import RunEnd, write_run_report
from webstrata.model.jobs import CrawlConfig, JobStatus

log = structlog.get_logger()

_PAUSE = timedelta(minutes=1)
"""How long a job rests when the trouble was on our side: a full disk is not emptied in a second."""

_HOLD_MARGIN = timedelta(seconds=5)


@dataclass(frozen=True)
class Watcher:
    """Who wants to know how a job is getting on."""

    crawled: Callable[[CrawlProgress], None] = lambda progress: None
    indexed: Callable[[int], None] = lambda pages: None


@dataclass(frozen=True)
class JobSummary:
    """How a job ended."""

    job_id: int
    seed: str
    status: JobStatus
    reason: str | None
    captured: int
    failed: int
    first_error: str | None
    refusal: str | None
    """What the site said when it gave nothing but errors."""
    comparison: Comparison
    warc_folder: Path


@dataclass(frozen=True)
class Runner:
    """Runs jobs in this process: wired parts in, a summary out."""

    database: Database
    archive_root: Path
    defaults: CrawlConfig
    guard: NetworkGuard
    permits: PermitStore
    plugins: PluginRegistry = field(default_factory=PluginRegistry)
    proxy: str | None = field(default=None, repr=False)
    """The address of an HTTP proxy; it may hold a password."""

    def run(
        self,
        job_id: int,
        watcher: Watcher = Watcher(),  # noqa: B008 - frozen and empty
        interrupted: threading.Event | None = None,
        *,
        helpers_welcome: bool = False,
    ) -> JobSummary:
        """Lead a job through its stages and return how it ended; trouble on our side leaves it to be tried again.

        A signal that ends the crawl is told to whoever gave the event. Helpers are welcome where all have the same
        settings, as the workers of an archive do: what a person runs with settings of their own is theirs alone.
        """
        with structlog.contextvars.bound_contextvars(job_id=job_id):
            try:
                self.recovery.tend()
                lead = partial(leading, self.database, job_id, helpers_welcome=helpers_welcome)
                with present(self.archive_root) as owner, lead(owner):
                    self._guarded_stages(job_id, owner, watcher, interrupted or threading.Event())
            except OUR_TROUBLE as error:
                self._pause(job_id, error)
                raise
        return self.summary(job_id)

    def help(self, job_id: int, interrupted: threading.Event) -> bool:
        """Take part in a crawl that another worker leads, while there is something to do; tell whether there was."""
        with structlog.contextvars.bound_contextvars(job_id=job_id):
            job = self._load(job_id)
            with present(self.archive_root) as owner:
                return self._crawled(job, owner, Watcher(), interrupted, leads=False).worked

    @cached_property
    def recovery(self) -> Recovery:
        """Return what clears up after dead workers."""
        delay = self.defaults.per_host_delay
        rest = timedelta(seconds=DEFAULT_DELAY if delay is None else delay)
        return Recovery(self.database, self.archive_root, self.permits, rest)

    def summary(self, job_id: int) -> JobSummary:
        """Return how a job ended, or stands."""
        with self.database.read() as session:
            job = jobs.load_job(session, job_id)
            reason, captured, failed = jobs.outcome(session, job_id)
            return JobSummary(
                job_id=job_id,
                seed=job.config.seeds[0],
                status=job.status,
                reason=reason,
                captured=captured,
                failed=failed,
                first_error=frontier.first_error(session, job_id),
                refusal=captures.refusal(session, job_id),
                comparison=snapshots.compare_with_before(session, job_id),
                warc_folder=Path(job.output_dir) / "warcs",
            )

    def _guarded_stages(self, job_id: int, owner: str, watcher: Watcher, interrupted: threading.Event) -> None:
        """Take a job through its stages; one that makes no sense has failed, whoever ran it."""
        try:
            self._stages(job_id, owner, watcher, interrupted)
        except (*OUR_TROUBLE, LeaseLostError):
            raise
        except WebstrataError as error:
            self._set_as(job_id, owner, status=JobStatus.FAILED, status_reason=str(error))
            raise

    def _stages(self, job_id: int, owner: str, watcher: Watcher, interrupted: threading.Event) -> None:
        job = self._load(job_id)
        if not Path(job.output_dir).is_dir():
            raise StorageError(f"the folder of job {job_id} is gone: {job.output_dir}")
        self.plugins.selected(job.config.plugins)
        ended = job.crawl_ended
        if ended is None:
            log.info("crawl.start", seeds=job.config.seeds)
            ended = self._settle(job, owner, self._crawled(job, owner, watcher, interrupted, leads=True))
        else:
            # Interrupted while it was indexed: that alone is left to do.
            self._set_as(job_id, owner, status=ended)
        self._index(job, owner, ended, watcher)

    def _set_as(self, job_id: int, owner: str, **values: object) -> None:
        with self.database.write() as session:
            leases.set_as(session, job_id, owner, **values)

    def _load(self, job_id: int) -> StoredJob:
        with self.database.read() as session:
            return jobs.load_job(session, job_id)

    def _crawled(
        self, job: StoredJob, owner: str, watcher: Watcher, interrupted: threading.Event, *, leads: bool
    ) -> CrawlEnd:
        config = self.defaults.overridden(job.config.crawl)
        run = CrawlRun(
            target=self._target(job),
            seeds=job.config.seeds,
            rules=job.config.rules,
            config=config,
            owner=owner,
            started_at=job.started_at or datetime.now(UTC),
            leads=leads,
        )
        progress = self._tracked(job.id, watcher) if leads else watcher.crawled

        def crawl() -> Crawl:
            return Crawl(
                self.database, run, self._fetcher(config), self._turns(owner, config), progress, self.recovery.tend
            )

        return uvloop.run(_run_until_signal(crawl, interrupted))

    def _fetcher(self, config: CrawlConfig) -> Fetcher:
        options = FetchOptions(
            self.guard,
            user_agent=config.user_agent,
            timeout=config.fetch_timeout,
            max_body_bytes=config.max_body_bytes,
            connections=config.concurrency,
            proxy=self.proxy,
        )
        return fetcher_named(config.fetcher, options)

    def _turns(self, owner: str, config: CrawlConfig) -> HostPermits:
        politeness = Politeness(config.per_host_delay, config.per_host_concurrency, config.jitter)
        longest = timedelta(seconds=config.fetch_timeout + (config.per_host_delay or DEFAULT_DELAY))
        return HostPermits(self.permits, owner, politeness, hold=longest + _HOLD_MARGIN)

    def _index(self, job: StoredJob, owner: str, ended: JobStatus, watcher: Watcher) -> None:
        """Make what the crawl brought searchable, if it brought anything, and let the plugins look at it.

        Only then is the job done: killed before, it counts as under way and somebody goes on with it.
        """
        with self.database.read() as session:
            _, size = captures.warc_totals(session, job.id)
        if ended is JobStatus.FAILED or (size and not self._has_indexed(job, watcher)):
            return
        done = JobStatus.STOPPED if ended is JobStatus.STOPPED else JobStatus.INDEXED
        self._set_as(job.id, owner, status=done, lease_owner=None, lease_expires_at=None)

    def _has_indexed(self, job: StoredJob, watcher: Watcher) -> bool:
        database, root = self.database, self.archive_root
        if index_job(job.id, database=database, archive_root=root, progress=watcher.indexed, done=JobStatus.INDEXING):
            return False
        run_plugins(job.id, database=database, archive_root=root, registry=self.plugins, plugins=job.config.plugins)
        return True

    def _target(self, job: StoredJob) -> CrawlTarget:
        try:
            folder = Path(job.output_dir, "warcs").relative_to(self.archive_root)
        except ValueError:
            raise OutsideRootError(
                f"the folder of job {job.id} is not in the archive root {self.archive_root}: {job.output_dir}"
            ) from None
        return CrawlTarget(job.id, job.name, job.source_id, job.source_code, self.archive_root, folder.as_posix())

    def _tracked(self, job_id: int, watcher: Watcher) -> Callable[[CrawlProgress], None]:
        """Keep the job's row true while it runs, and tell whoever watches."""

        def told(progress: CrawlProgress) -> None:
            with self.database.write() as session:
                jobs.set_crawl_counts(session, job_id, asdict(progress.counts))
            watcher.crawled(progress)

        return told

    def _settle(self, job: StoredJob, owner: str, end: CrawlEnd) -> JobStatus:
        status, reason = verdict(end)
        finished_at = datetime.now(UTC)
        self._set_as(job.id, owner, crawler_stage=status)
        # First the report: who sees that the run is over finds it there.
        run_end = RunEnd(status, reason, finished_at)
        write_run_report(self.database, job.id, run_end, self.defaults.overridden(job.config.crawl))
        with self.database.write() as session:
            count, size = captures.warc_totals(session, job.id)
            leases.set_as(
                session,
                job.id,
                owner,
                status=status,
                status_reason=reason,
                finished_at=finished_at,
                crawler_status="failed" if status is JobStatus.FAILED else "success",
                warc_file_count=count,
                warc_bytes_total=size,
            )
        log.info("crawl.end", status=status, reason=reason, **asdict(end.counts))
        return status

    def _pause(self, job_id: int, error: Exception) -> None:
        """Say why a job waits; when the database itself is away, only the log can."""
        log.error("job.paused", job_id=job_id, reason=str(error))
        with suppress(DatabaseError), self.database.write() as session:
            leases.pause(session, job_id, str(error), datetime.now(UTC) + _PAUSE)


def verdict(end: CrawlEnd) -> tuple[JobStatus, str | None]:
    """Return what a crawl's end makes of its job, and why."""
    if end.stopped:
        return JobStatus.STOPPED, f"stopped with {end.counts.pending} URLs to go"
    if end.counts.finished == 0:
        return JobStatus.FAILED, end.first_error or "nothing could be fetched"
    if end.limit is not None:
        return JobStatus.COMPLETED, f"the {end.limit} was reached with {end.counts.pending} URLs to go"
    return JobStatus.COMPLETED, None


async def _run_until_signal(make_crawl: Callable[[], Crawl], interrupted: threading.Event) -> CrawlEnd:
    """Run a crawl; the first SIGINT or SIGTERM ends it in good order."""
    crawl = make_crawl()

    def interrupt() -> None:
        interrupted.set()
        crawl.stop()

    loop = asyncio.get_running_loop()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
        loop.add_signal_handler(number, interrupt)
    if interrupted.is_set():
        crawl.stop()
    try:
        return await crawl.run()
    finally:
        for number, handler in before.items():
            loop.remove_signal_handler(number)
            signal.signal(number, handler)
