"""A job's life: queued for a URL, crawled, indexed; stopped or failed with a reason a person can act on."""

import asyncio
import fcntl
import os
import re
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import structlog
import uvloop

from webstrata.assets.registry import PluginRegistry
from webstrata.assets.stage import run_plugins
from webstrata.crawl.commit import CrawlTarget
from webstrata.crawl.engine import Crawl, CrawlEnd
from webstrata.db import captures, frontier, jobs, snapshots
from webstrata.db.engine import Database
from webstrata.db.frontier import FrontierCounts
from webstrata.db.jobs import JobFolder, StoredJob
from webstrata.db.snapshots import Comparison
from webstrata.errors import DatabaseError, LeaseLostError, OutsideRootError, StorageError, UsageError
from webstrata.fetch.guard import NetworkGuard
from webstrata.fetch.http import HttpFetcher
from webstrata.index.pipeline import index_job
from webstrata.model.jobs import CrawlConfig, JobConfig, JobStatus, build_output_dir_for_job, generate_job_name
from webstrata.model.scope import ScopeRules
from webstrata.model.urls import host_of, parse_url

log = structlog.get_logger()

_CODE = re.compile(r"[^a-z0-9]+")
_PAUSE = timedelta(minutes=1)
"""How long a job rests when the trouble was on our side: a full disk is not emptied in a second."""


@dataclass(frozen=True)
class Watcher:
    """Who wants to know how a job is getting on."""

    crawled: Callable[[FrontierCounts], None] = lambda counts: None
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
    plugins: PluginRegistry = field(default_factory=PluginRegistry)

    def run(self, job_id: int, watcher: Watcher = Watcher()) -> JobSummary:  # noqa: B008 - frozen and empty
        """Take a job through its stages and return how it ended; trouble on our side leaves it to be tried again."""
        with self.database.read() as session:
            job = jobs.load_job(session, job_id)
        with structlog.contextvars.bound_contextvars(job_id=job_id):
            try:
                with _only_worker_of(job):
                    self.plugins.selected(job.config.plugins)
                    self._index(job, self._crawl(job, watcher), watcher)
            except (StorageError, DatabaseError) as error:
                _pause(self.database, job_id, error)
                raise
        return self.summary(job_id)

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

    def _crawl(self, job: StoredJob, watcher: Watcher) -> JobStatus:
        config = self.defaults.overridden(job.config.crawl)
        with self.database.write() as session:
            jobs.set_job(
                session,
                job.id,
                status=JobStatus.RUNNING,
                status_reason=None,
                not_before=None,
                started_at=datetime.now(UTC),
                finished_at=None,
            )
        fetcher = HttpFetcher(
            self.guard,
            user_agent=config.user_agent,
            timeout=config.fetch_timeout,
            max_body_bytes=config.max_body_bytes,
            connections=config.concurrency,
        )
        log.info("crawl.start", seeds=job.config.seeds)
        end = uvloop.run(
            _run_until_signal(
                lambda: Crawl(
                    self.database,
                    self._target(job),
                    job.config.seeds,
                    config,
                    fetcher,
                    self._tracked(job.id, watcher),
                    rules=job.config.rules,
                )
            )
        )
        return self._settle(job.id, end)

    def _index(self, job: StoredJob, ended: JobStatus, watcher: Watcher) -> None:
        """Make what the crawl brought searchable, if it brought anything, and let the plugins look at it.

        Only then is the job done: killed before, it counts as under way and somebody goes on with it.
        """
        with self.database.read() as session:
            _, size = captures.warc_totals(session, job.id)
        if ended is JobStatus.FAILED or not size:
            return
        database, root = self.database, self.archive_root
        if index_job(job.id, database=database, archive_root=root, progress=watcher.indexed, done=JobStatus.INDEXING):
            return
        run_plugins(job.id, database=database, archive_root=root, registry=self.plugins, plugins=job.config.plugins)
        with self.database.write() as session:
            done = JobStatus.STOPPED if ended is JobStatus.STOPPED else JobStatus.INDEXED
            jobs.set_job(session, job.id, status=done)

    def _target(self, job: StoredJob) -> CrawlTarget:
        try:
            folder = Path(job.output_dir, "warcs").relative_to(self.archive_root)
        except ValueError:
            raise OutsideRootError(
                f"the folder of job {job.id} is not in the archive root {self.archive_root}: {job.output_dir}"
            ) from None
        return CrawlTarget(job.id, job.name, job.source_id, job.source_code, self.archive_root, folder.as_posix())

    def _tracked(self, job_id: int, watcher: Watcher) -> Callable[[FrontierCounts], None]:
        """Keep the job's row true while it runs, and tell whoever watches."""

        def progress(counts: FrontierCounts) -> None:
            with self.database.write() as session:
                jobs.set_crawl_counts(session, job_id, asdict(counts))
            watcher.crawled(counts)

        return progress

    def _settle(self, job_id: int, end: CrawlEnd) -> JobStatus:
        status, reason = verdict(end)
        with self.database.write() as session:
            count, size = captures.warc_totals(session, job_id)
            jobs.set_job(
                session,
                job_id,
                status=status,
                status_reason=reason,
                finished_at=datetime.now(UTC),
                crawler_status="failed" if status is JobStatus.FAILED else "success",
                warc_file_count=count,
                warc_bytes_total=size,
            )
        log.info("crawl.end", status=status, reason=reason, **asdict(end.counts))
        return status


def verdict(end: CrawlEnd) -> tuple[JobStatus, str | None]:
    """Return what a crawl's end makes of its job, and why."""
    if end.stopped:
        return JobStatus.STOPPED, f"stopped with {end.counts.pending} URLs to go"
    if end.counts.finished == 0:
        return JobStatus.FAILED, end.first_error or "nothing could be fetched"
    if end.limit_reached:
        return JobStatus.COMPLETED, f"the page limit was reached with {end.counts.pending} URLs to go"
    return JobStatus.COMPLETED, None


def queue_archive(  # noqa: PLR0913 - everything that a job can be told
    database: Database,
    archive_root: Path,
    urls: tuple[str, ...],
    *,
    crawl: Mapping[str, object] | None = None,
    scope: ScopeRules | None = None,
    plugins: tuple[str, ...] | None = None,
    code: str | None = None,
    name: str | None = None,
    hold: timedelta = timedelta(0),
) -> int:
    """Queue a job for some addresses of one site and return it; one that was cut off goes on where it was.

    Workers leave the job alone for as long as `hold` says: whoever runs it at once must not race with them.
    """
    seeds = tuple(parse_url(url).href for url in urls)
    if not seeds:
        raise UsageError("nothing to archive: give an address such as https://example.org/")
    code = code or source_code_of(seeds[0])
    now = datetime.now(UTC)
    with database.write() as session:
        source_id = jobs.ensure_source(session, code, name=name or host_of(seeds[0]), base_url=seeds[0])
        unfinished = jobs.unfinished_job(session, source_id, seeds)
        job = jobs.load_job(session, unfinished) if unfinished is not None else None
        if job is not None and Path(job.output_dir).is_dir():
            if _has_no_worker(job):
                config = replace(job.config, crawl={**job.config.crawl, **(crawl or {})})
                again = {"status": JobStatus.QUEUED, "queued_at": now, "not_before": now + hold}
                jobs.set_job(session, job.id, config=config.to_json(), **again)
            return job.id
        job_name = generate_job_name(code, now)
        output_dir = _new_folder(archive_root, code, job_name, now)
        job_id = jobs.add_job(
            session,
            source_id,
            name=job_name,
            output_dir=str(output_dir),
            config=JobConfig(seeds, crawl or {}, asdict(scope) if scope else {}, plugins),
            queued_at=now,
        )
        jobs.set_job(session, job_id, not_before=now + hold)
        return job_id


def source_code_of(url: str) -> str:
    """Return the short name under which a site's captures are kept."""
    return _CODE.sub("-", host_of(url).removeprefix("www.")).strip("-")[:64]


def _new_folder(archive_root: Path, code: str, job_name: str, now: datetime) -> Path:
    """Make a job's folder; of two jobs in one second the later gets a number."""
    wanted = build_output_dir_for_job(code, job_name, archive_root, now)
    for folder in (wanted, *(wanted.with_name(f"{wanted.name}-{n}") for n in range(2, 1000))):
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        except OSError as error:
            raise StorageError(f"{folder}: {error.strerror}") from error
        return folder
    raise StorageError(f"{wanted}: too many jobs in one second")


def requeue_orphans(database: Database) -> None:
    """Put jobs back in line whose worker died: they say that they run, but nobody holds their lock."""
    with database.read() as session:
        running = jobs.jobs_under_way(session)
    for job in running:
        try:
            with _only_worker_of(job), database.write() as session:
                jobs.set_job(session, job.id, status=JobStatus.QUEUED, status_reason="its worker died")
                log.warning("job.requeued", job_id=job.id)
        except LeaseLostError:
            continue
        except StorageError as error:
            _pause(database, job.id, error)


def _pause(database: Database, job_id: int, error: Exception) -> None:
    """Say why a job waits; when the database itself is away, only the log can."""
    log.error("job.paused", job_id=job_id, reason=str(error))
    later = datetime.now(UTC) + _PAUSE
    with suppress(DatabaseError), database.write() as session:
        jobs.set_job(session, job_id, status=JobStatus.RETRYABLE, status_reason=str(error), not_before=later)


def _has_no_worker(job: StoredJob) -> bool:
    try:
        with _only_worker_of(job):
            return True
    except LeaseLostError:
        return False


@contextmanager
def _only_worker_of(job: StoredJob | JobFolder) -> Iterator[None]:
    """Hold the lock that tells others that this job has a living worker; it falls with the process."""
    descriptor = _opened_lock(job)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise LeaseLostError(f"job {job.id} is being worked on by another process") from None
        yield
    finally:
        os.close(descriptor)


def _opened_lock(job: StoredJob | JobFolder) -> int:
    try:
        return os.open(Path(job.output_dir, ".worker.lock"), os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o644)
    except FileNotFoundError:
        raise StorageError(f"the folder of job {job.id} is gone: {job.output_dir}") from None
    except OSError as error:
        raise StorageError(f"{job.output_dir}: {error.strerror}") from error


async def _run_until_signal(make_crawl: Callable[[], Crawl]) -> CrawlEnd:
    """Run a crawl; the first SIGINT or SIGTERM ends it in good order."""
    crawl = make_crawl()
    loop = asyncio.get_running_loop()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
        loop.add_signal_handler(number, crawl.stop)
    try:
        return await crawl.run()
    finally:
        for number, handler in before.items():
            loop.remove_signal_handler(number)
            signal.signal(number, handler)
