"""Commands for jobs: queue, stop, resume, retry."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import structlog

from webstrata.coordination.presence import is_dead
from webstrata.db.captures import captures
from webstrata.db.engine import Database, Session
from webstrata.db.operations import audit_log, catalog
from webstrata.db.queue import closed_jobs, frontier, jobs, leases
from webstrata.db.queue.jobs import StoredJob
from webstrata.db.retention.tombstones import missing_snapshot
from webstrata.errors import OUR_TROUBLE, ConflictError, OutsideRootError, StorageError, UsageError
from webstrata.jobs.folders.manifest import write_manifest
from webstrata.jobs.running.recovery import Recovery
from webstrata.jobs.sources.registry import new_folder
from webstrata.jobs.sources.source_choice import ChosenSource, choose_source
from webstrata.model.crawl.scope import ScopeRules
from webstrata.model.crawl.tasks import MAX_RECLAIMS
from webstrata.model.jobs.attempts import refuse_resuming
from webstrata.model.jobs.job import CLAIMABLE, JobConfig, JobStatus
from webstrata.model.jobs.registry import SourceJobConfig, generate_job_name
from webstrata.model.jobs.tool_options import ZIMIT
from webstrata.model.urls import host_of, parse_url, with_scheme

log = structlog.get_logger()

_ONE_PAGE = {"max_pages": 1, "max_depth": 0, "use_sitemaps": False, "capture_requisites": True}
"""The settings of a job that captures one page with all that it shows."""

_HOLD = timedelta(minutes=1)
"""How long workers do not take a job that the queueing process is about to run itself."""


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
    """Queue a job for some addresses of one site and return its id; an interrupted job is resumed.

    The job belongs to the source with `code`, else to the source whose scope contains the addresses, else to a new one.
    For the time `hold` workers do not take the job, so that they do not race with a caller who runs it at once.
    """
    seeds = tuple(parse_url(url).href for url in urls)
    if not seeds:
        raise UsageError("nothing to archive: give a URL such as https://example.org/")
    now = datetime.now(UTC)
    with database.write() as session:
        source = choose_source(session, seeds, code=code, name=name)
        unfinished = jobs.unfinished_job(session, source.id, seeds, may_have_more=not crawl)
        job_id = _resume_unfinished(session, archive_root, unfinished, crawl or {}, now, hold)
        if job_id is None:
            config = _job_config(source, seeds, crawl or {}, scope, plugins)
            job_name = generate_job_name(SourceJobConfig.plain(source.code, seeds), now)
            folder = str(new_folder(archive_root, source.code, job_name, now))
            job_id = jobs.add_job(session, source.id, name=job_name, output_dir=folder, config=config, queued_at=now)
            jobs.set_job(session, job_id, not_before=now + hold)
            audit_log.record(session, "job.create", f"job:{job_id}", source=source.code, seeds=seeds, crawl=crawl)
    write_manifest(database, job_id, archive_root=archive_root)
    return job_id


def _job_config(
    source: ChosenSource,
    seeds: tuple[str, ...],
    crawl: Mapping[str, object],
    scope: ScopeRules | None,
    plugins: tuple[str, ...] | None,
) -> JobConfig:
    """Return the configuration of a new job: the given values, and the source's for the others."""
    entry = source.entry or SourceJobConfig.plain(source.code, ())
    if plugins is None and entry.plugins is not None:
        plugins = tuple(entry.plugins)
    rules = scope.stated() if scope else {name: tuple(words) for name, words in entry.scope.items()}
    return JobConfig(seeds, {**entry.crawl, **crawl}, rules, plugins)


def _resume_unfinished(
    session: Session,
    archive_root: Path,
    unfinished: int | None,
    crawl: Mapping[str, object],
    now: datetime,
    hold: timedelta,
) -> int | None:
    """Queue an interrupted job again with new settings and return it; None if the job or its folder is gone.

    A job of zimit, which does not know these settings, is left to the workers.
    """
    job = jobs.load_job(session, unfinished) if unfinished is not None else None
    if job is None or not Path(job.output_dir).is_dir():
        return None
    if job.config.tool_options.get("engine") == ZIMIT:
        goes_on = job.status is not JobStatus.STOPPED and not crawl and not hold
        return job.id if goes_on else None
    if not _is_led(session, archive_root, job.id):
        config = replace(job.config, crawl={**job.config.crawl, **crawl})
        jobs.set_job(session, job.id, config=config.to_json())
        _record(session, "resume", job.id, job.status, JobStatus.QUEUED)
        _queue_again(session, job.id, now, now + hold)
    return job.id


@dataclass(frozen=True)
class QueuedPage:
    """A job that was queued for one page."""

    job_id: int
    url: str
    source: str


def queue_missing(database: Database, archive_root: Path, snapshot_id: int) -> QueuedPage:
    """Queue a job that captures a snapshot's page again with all that it shows; NotFoundError without a snapshot."""
    with database.read() as session:
        snapshot = catalog.snapshot(session, snapshot_id)
        if snapshot is None:
            raise missing_snapshot(session, snapshot_id)
    job_id = queue_archive(database, archive_root, (snapshot.url,), crawl=_ONE_PAGE, code=snapshot.source_code)
    return QueuedPage(job_id, snapshot.url, snapshot.source_code)


def queue_tool_job(
    database: Database,
    archive_root: Path,
    *,
    name: str,
    urls: tuple[str, ...],
    output_dir: Path,
    passthrough: tuple[str, ...] = (),
) -> int:
    """Queue a job with its files in a given folder, to be run by the caller; an earlier job of the folder is resumed
    with the given addresses.

    ConflictError when they are of another site.
    """
    seeds = tuple(parse_url(with_scheme(url)).href for url in urls)
    check_in_root(output_dir, archive_root)
    try:
        output_dir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"{output_dir}: {error.strerror}") from error
    folder, now = str(output_dir.resolve()), datetime.now(UTC)
    with database.write() as session:
        job_id = jobs.job_in_folder(session, folder)
        if job_id is None:
            source = choose_source(session, seeds)
            config = JobConfig(seeds, zimit_passthrough_args=passthrough)
            job_id = jobs.add_job(session, source.id, name=name, output_dir=folder, config=config, queued_at=now)
            jobs.set_job(session, job_id, not_before=now + _HOLD)
            audit_log.record(session, "job.create", f"job:{job_id}", source=source.code, seeds=seeds, folder=folder)
        elif not _is_led(session, archive_root, job_id):
            _record(session, "resume", job_id, jobs.status_of(session, job_id), JobStatus.QUEUED)
            _begin_at(session, job_id, seeds, passthrough)
            _queue_again(session, job_id, now, now + _HOLD)
    write_manifest(database, job_id, archive_root=archive_root)
    return job_id


def _begin_at(session: Session, job_id: int, seeds: tuple[str, ...], passthrough: tuple[str, ...]) -> None:
    job = jobs.load_job(session, job_id)
    if job.config.seeds and host_of(seeds[0]) not in {host_of(seed) for seed in job.config.seeds}:
        raise ConflictError(f"{job.output_dir} holds job {job_id} of another site: choose a folder for {seeds[0]}")
    config = replace(job.config, seeds=seeds, zimit_passthrough_args=passthrough)
    jobs.set_job(session, job_id, config=config.to_json())


def check_in_root(output_dir: Path, archive_root: Path) -> None:
    """Raise OutsideRootError unless a folder is in the archive root."""
    if not output_dir.resolve().is_relative_to(archive_root):
        raise OutsideRootError(f"{output_dir} is not in the archive root {archive_root}: choose a folder in there")


def request_stop(recovery: Recovery, job_id: int) -> None:
    """Stop a job's crawl soon, wherever it runs; without a worker, at once. ConflictError without a crawl.

    The leases of dead workers are released first, as they would never notice the stop.
    """
    _clear_up(recovery)
    now = datetime.now(UTC)
    with recovery.database.write() as session:
        status = jobs.status_of(session, job_id)
        if status is JobStatus.RUNNING:
            jobs.set_job(session, job_id, stop_requested_at=now)
            _record(session, "stop", job_id, status, status)
        elif status in CLAIMABLE:
            after = _stop_waiting_job(session, jobs.load_job(session, job_id), now)
            _record(session, "stop", job_id, status, after)
        else:
            raise ConflictError(f"job {job_id} is {status}: there is no crawl to stop")
    # Otherwise a rebuild would queue it again.
    write_manifest(recovery.database, job_id, archive_root=recovery.archive_root)


def _clear_up(recovery: Recovery) -> None:
    """Release the leases and permits of dead workers; if that fails, for example without Redis, the next worker does
    it."""
    try:
        recovery.tend()
    except OUR_TROUBLE as error:
        log.warning("job.recovery.failed", reason=str(error))


def _stop_waiting_job(session: Session, job: StoredJob, now: datetime) -> JobStatus:
    """Stop a job that no worker crawls and return its new status.

    A container may have outlived all processes that managed it: then the next worker takes it over, sees the stop
    request and ends it. Our own crawler ends by itself and releases its leases.
    """
    if job.config.tool_options.get("engine") == ZIMIT and job.status_reason == leases.WORKER_DIED:
        jobs.set_job(session, job.id, stop_requested_at=now, not_before=None)
        return job.status
    reason = "stopped before it began" if job.started_at is None else "stopped while it waited to continue"
    if job.started_at is not None and job.status_reason:
        reason = f"{reason} ({job.status_reason})"
    over = {"status": JobStatus.STOPPED, "status_reason": reason, "finished_at": now}
    jobs.set_job(session, job.id, **over, crawler_status="stopped")
    return JobStatus.STOPPED


def resume_job(recovery: Recovery, job_id: int) -> None:
    """Resume a job that ended or lost its worker: failed and pending URLs are fetched.

    ConflictError while it is running or queued.
    """
    with recovery.database.read() as session:
        waited = jobs.status_of(session, job_id) is JobStatus.QUEUED
    _clear_up(recovery)
    now = datetime.now(UTC)
    with recovery.database.write() as session:
        status = jobs.status_of(session, job_id)
        waits = status is JobStatus.QUEUED and waited and not leases.is_stop_requested(session, job_id)
        if waits or status is JobStatus.RUNNING:
            raise ConflictError(f"job {job_id} is {status} already")
        if leases.leader(session, job_id, now):
            raise ConflictError(f"job {job_id} is still being indexed: it can be resumed when that has ended")
        if not jobs.load_job(session, job_id).config.seeds:
            raise ConflictError(f"job {job_id} was not crawled here: there is no crawl to resume")
        if refusal := refuse_resuming(job_id, status, closed_jobs.repeated_by(session, job_id)):
            raise ConflictError(refusal)
        _queue_again(session, job_id, now, now, by_person=True)
        # The reason is cleared, as a queued job has none; it is still in the audit log and the job's log.
        jobs.set_job(session, job_id, status_reason=None, crawler_status=None)
        _record(session, "resume", job_id, status, JobStatus.QUEUED)


def retry_job(database: Database, job_id: int) -> JobStatus:
    """Retry a failed job, its crawl or its index, and return its new status.

    ConflictError for a job where neither failed.
    """
    now = datetime.now(UTC)
    with database.write() as session:
        status = jobs.status_of(session, job_id)
        if status is JobStatus.FAILED:
            _queue_again(session, job_id, now, now, by_person=True)
            jobs.set_job(session, job_id, status=JobStatus.RETRYABLE)
            _record(session, "retry", job_id, status, JobStatus.RETRYABLE)
            return JobStatus.RETRYABLE
        if status is JobStatus.INDEX_FAILED:
            again = {"status": JobStatus.COMPLETED, "status_reason": None, "not_before": None, "output_device": None}
            jobs.set_job(session, job_id, **again)
            _record(session, "retry", job_id, status, JobStatus.COMPLETED)
            return JobStatus.COMPLETED
        raise ConflictError(f"job {job_id} is {status}: only failed and index_failed jobs can be retried")


def _record(session: Session, order: str, job_id: int, before: JobStatus, after: JobStatus) -> None:
    """Write a command for a job into the audit log; after a stop request the crawl still runs for a moment."""
    audit_log.record(session, f"job.{order}", f"job:{job_id}", before={"status": before}, after={"status": after})


def _is_led(session: Session, archive_root: Path, job_id: int) -> bool:
    leader = leases.leader(session, job_id, datetime.now(UTC))
    return leader is not None and not is_dead(archive_root, leader)


def _queue_again(
    session: Session, job_id: int, now: datetime, not_before: datetime, *, by_person: bool = False
) -> None:
    """Queue a job again for a new run, in which failed URLs start with no attempts.

    If a person requested it, URLs that killed crawlers are tried once more, and so are the seeds of a site that sent
    only errors.
    """
    frontier.revive(session, job_id, now, by_person=by_person)
    if by_person and jobs.sitemap_tries(session, job_id) >= MAX_RECLAIMS:
        jobs.set_job(session, job_id, sitemap_tries=MAX_RECLAIMS - 1)
    if by_person and captures.refusal(session, job_id) is not None:
        frontier.ask_seeds_again(session, job_id, now)
    jobs.set_job(
        session,
        job_id,
        status=JobStatus.QUEUED,
        queued_at=now,
        not_before=not_before,
        started_at=None,
        finished_at=None,
        stop_requested_at=None,
        retry_count=0,
        pause_count=0,
        output_device=None,
        lease_owner=None,
        lease_expires_at=None,
    )
