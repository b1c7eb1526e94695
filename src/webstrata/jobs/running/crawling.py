"""The crawl of a job in this process: under the job's lease, or as a helper of the worker that holds it."""

import asyncio
import gc
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import structlog
import uvloop

from webstrata.coordination.permits import DEFAULT_DELAY, HostPermits, PermitStore, Politeness
from webstrata.coordination.presence import present
from webstrata.crawl.commit import CrawlTarget
from webstrata.crawl.engine import Crawl, CrawlEnd, CrawlRun
from webstrata.crawl.tally import CrawlProgress
from webstrata.db.captures import captures
from webstrata.db.engine import Database
from webstrata.db.queue import frontier, leases
from webstrata.db.queue.jobs import StoredJob
from webstrata.errors import OutsideRootError
from webstrata.fetch.choice import WITH_BROWSER, FetchOptions, fetcher_named, page_seconds, renderer_named
from webstrata.fetch.guard import NetworkGuard
from webstrata.jobs.progress.crawl_log import CrawlLog, crawl_log
from webstrata.jobs.progress.permit_waits import PermitWaits
from webstrata.jobs.running.crawl_end import settle
from webstrata.jobs.running.recovery import Recovery
from webstrata.model.crawl.crawl_config import CrawlConfig
from webstrata.model.crawl.tasks import TaskStatus
from webstrata.model.jobs.job import JobStatus
from webstrata.storage.combined_log import INITIAL_CRAWL, NEW_CRAWL_PHASE, RESUME_CRAWL
from webstrata.storage.file_system import check_room

log = structlog.get_logger()

_HOLD_MARGIN = timedelta(seconds=5)
_VISITS_PER_PAGE = 2
_NEW_OBJECTS = 50_000
"""The number of new objects between garbage collections; with Python's 700 they took a fifth of a crawl's CPU time."""

Watch = Callable[[CrawlProgress], None]


@dataclass(frozen=True)
class Crawling:
    """Crawls jobs in this process."""

    database: Database
    archive_root: Path
    defaults: CrawlConfig
    guard: NetworkGuard
    permits: PermitStore
    recovery: Recovery
    min_free_bytes: int = 0
    proxy: str | None = field(default=None, repr=False)
    concurrency: int | None = None
    """How many requests are under way at once; overrides the job's own setting."""
    chromium: Path | None = None
    """The browser to open pages with; None to look for an installed one."""

    def lead(
        self,
        job: StoredJob,
        leader: str,
        watch: Watch,
        interrupted: threading.Event,
        *,
        is_child: bool = False,
    ) -> JobStatus | None:
        """Crawl a job for its leader, record its end and return its status.

        For a crawler in a child process (`is_child`), a signal means that its leader ends or is gone: then other
        workers are not stopped, the job is left as it is for the next leader, and None is returned.
        """
        config = self._config(job)
        stage = self._stage_of(job)
        log.info("crawl.start", stage=stage, seeds=job.config.seeds)
        with crawl_log(Path(job.output_dir), stage, config.max_pages) as written, present(self.archive_root) as owner:
            self._begin(job, leader, stage, written)
            if job.config.ignored_arguments:
                log.warning("option.without_effect", reason=job.config.ignored_arguments)
            seen = self._progress_callback(job.id, leader, written, watch)
            end = self._run_crawl(job, owner, seen, _Signals(interrupted, is_child), leads=True)
            written.write(end.counts)
            if end.left:
                log.info("crawl.left", **asdict(end.counts))
                return None
            ended = settle(self.database, job, leader, end, config)
            log.info("crawl.end", status=ended.status, reason=ended.reason, **asdict(end.counts))
        return ended.status

    def help(self, job: StoredJob, interrupted: threading.Event) -> bool:
        """Help with a crawl that another worker leads, while there is work; return whether there was any."""
        with present(self.archive_root) as owner:
            return self._run_crawl(job, owner, lambda _progress: None, _Signals(interrupted), leads=False).worked

    def _begin(self, job: StoredJob, leader: str, stage: str, written: CrawlLog) -> None:
        with self.database.write() as session:
            leases.set_as(session, job.id, leader, crawler_stage=stage, combined_log_path=str(written.path))

    def _stage_of(self, job: StoredJob) -> str:
        """Return the name of this attempt's stage: the first crawl, a resumed one, or one after earlier captures."""
        with self.database.read() as session:
            unfinished = frontier.has_any(session, job.id, TaskStatus.PENDING, TaskStatus.IN_PROGRESS)
            _, size = captures.warc_totals(session, job.id)
        if unfinished:
            return RESUME_CRAWL
        return NEW_CRAWL_PHASE if size else INITIAL_CRAWL

    def _progress_callback(self, job_id: int, leader: str, written: CrawlLog, watch: Watch) -> Watch:
        """Return a callback that reports the crawl's progress to its log and the caller, unless the lease was lost."""

        def seen(progress: CrawlProgress) -> None:
            with self.database.read() as session:
                leases.check_leader(session, job_id, leader)
            written.record(progress)
            watch(progress)

        return seen

    def _config(self, job: StoredJob) -> CrawlConfig:
        config = self.defaults.overridden(job.config.crawl)
        most = config.concurrency if self.concurrency is None else self.concurrency
        if config.fetcher == "browser":
            # Without a browser, pages that need one are left to other workers.
            most = min(most, _VISITS_PER_PAGE * config.browser_pages)
        return replace(config, concurrency=most)

    def _run_crawl(self, job: StoredJob, owner: str, seen: Watch, signals: "_Signals", *, leads: bool) -> CrawlEnd:
        config, waits = self._config(job), PermitWaits(self.database)
        run = CrawlRun(
            target=self._target(job),
            seeds=job.config.seeds,
            rules=job.config.rules,
            config=config,
            owner=owner,
            started_at=job.started_at or datetime.now(UTC),
            leads=leads,
        )

        def crawl() -> Crawl:
            return Crawl(
                self.database,
                run,
                fetcher_named(config.fetcher, self._options(config)),
                self._host_permits(owner, config, waits),
                waits.reporting(seen),
                self.recovery.tend,
                room=partial(check_room, Path(job.output_dir), self.min_free_bytes),
                renderer=renderer_named(config.fetcher, self._options(config)),
            )

        with _seldom_collecting(), waits:
            return uvloop.run(_run_until_signal(crawl, signals))

    def _options(self, config: CrawlConfig) -> FetchOptions:
        return FetchOptions(
            self.guard,
            user_agent=config.user_agent,
            timeout=config.fetch_timeout,
            max_body_bytes=config.max_body_bytes,
            connections=config.concurrency,
            max_buffered_bytes=config.max_buffered_bytes,
            proxy=self.proxy,
            chromium=self.chromium,
            pages=config.browser_pages,
            screenshots=config.screenshots,
        )

    def _host_permits(self, owner: str, config: CrawlConfig, waits: PermitWaits) -> HostPermits:
        politeness = Politeness(config.per_host_delay, config.per_host_concurrency, config.jitter)
        seconds = page_seconds(config.fetch_timeout) if config.fetcher in WITH_BROWSER else config.fetch_timeout
        longest = timedelta(seconds=seconds + (config.per_host_delay or DEFAULT_DELAY))
        return HostPermits(self.permits, owner, politeness, hold=longest + _HOLD_MARGIN, waited=waits.add_wait)

    def _target(self, job: StoredJob) -> CrawlTarget:
        try:
            folder = Path(job.output_dir, "warcs").relative_to(self.archive_root)
        except ValueError:
            raise OutsideRootError(
                f"the folder of job {job.id} is not in the archive root {self.archive_root}: {job.output_dir}"
            ) from None
        return CrawlTarget(job.id, job.name, job.source_id, job.source_code, self.archive_root, folder.as_posix())


@dataclass(frozen=True)
class _Signals:
    """The effect of a signal: it ends the crawl for all workers, or only this worker's part."""

    interrupted: threading.Event
    means_leaving: bool = False


async def _run_until_signal(make_crawl: Callable[[], Crawl], signals: _Signals) -> CrawlEnd:
    """Run a crawl; the first SIGINT or SIGTERM lets it shut down."""
    crawl = make_crawl()
    end = crawl.leave if signals.means_leaving else crawl.stop

    def interrupt() -> None:
        signals.interrupted.set()
        end()

    if signals.interrupted.is_set():
        end()
    with _handling_signals(interrupt):
        return await crawl.run()


@contextmanager
def _seldom_collecting() -> Iterator[None]:
    """Exclude loaded objects from garbage collection, and run the collector less often during a crawl."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


@contextmanager
def _handling_signals(interrupt: Callable[[], None]) -> Iterator[None]:
    """Handle SIGINT and SIGTERM with a function while the block lasts."""
    loop = asyncio.get_running_loop()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
        loop.add_signal_handler(number, interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            loop.remove_signal_handler(number)
            signal.signal(number, handler)
