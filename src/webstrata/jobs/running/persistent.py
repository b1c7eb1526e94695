"""Runs jobs of the database: holds the lease here while child processes run the stages."""

import threading
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from webstrata.db.engine import Database
from webstrata.db.queue import frontier, jobs, leases
from webstrata.db.queue.jobs import StoredJob
from webstrata.errors import CrawlerDiedError, WebstrataError
from webstrata.jobs.auditing.worker import AuditStage
from webstrata.jobs.folders.job_folders import check_output
from webstrata.jobs.progress.tool_progress import end_by_exit_code, note_exit, settle_tool_job
from webstrata.jobs.running.crawl_end import JobEnding, settle_as, try_again_later, write_folder_records
from webstrata.jobs.running.indexing_beside import index_beside
from webstrata.jobs.running.job_lease import lead_job
from webstrata.jobs.running.recovery import Recovery
from webstrata.jobs.running.stages import DONE, FAILED, INTERRUPTED, Stages
from webstrata.model.jobs.attempts import MAX_CRAWL_DEATHS, MAX_INDEX_DEATHS, how_it_died, rest_before_retry
from webstrata.model.jobs.job import JobStatus
from webstrata.model.jobs.job_checks import check_job_config
from webstrata.notifications.delivery import Delivery
from webstrata.retention.schedule import RetentionSchedule

if TYPE_CHECKING:
    from webstrata.jobs.packages.integrity_schedule import IntegritySchedule

log = structlog.get_logger()


@dataclass(frozen=True)
class WorkerContext:
    """The context of a worker: the stages of jobs, and the parts that running jobs needs."""

    database: Database
    archive_root: Path
    recovery: Recovery
    stages: Stages
    min_free_bytes: int = 0
    index_every_seconds: float = 0
    """How often the captures of a running crawl are indexed; 0 waits for its end."""
    retention: RetentionSchedule | None = None
    """The scheduled retention of the worker."""
    delivery: Delivery | None = None
    """The delivery of the notifications in the outbox."""
    integrity: "IntegritySchedule | None" = None
    """The scheduled integrity checks of the worker."""
    audits: AuditStage | None = None
    """The stage that runs queued audits."""

    def load(self, job_id: int) -> StoredJob:
        """Return a job with its present status."""
        with self.database.read() as session:
            return jobs.load_job(session, job_id)


def run_persistent_job(
    job_id: int, *, context: WorkerContext, interrupted: threading.Event | None = None, max_retries: int = 0
) -> int:
    """Crawl a queued job and return the crawler's exit code; indexing comes afterwards.

    A killed crawler is restarted and continues where it was. A crawl without any result is queued again, up to
    `max_retries` times, unless another attempt would end in the same way.
    """
    stop_event = interrupted or threading.Event()
    context.recovery.tend()
    with lead_job(context.database, context.archive_root, job_id, helpers_welcome=True) as leader:
        job = context.load(job_id)
        code = 0 if job.crawl_ended is not None else _crawl(context, job, leader, stop_event)
        _after_crawl(context, context.load(job_id), leader, stop_event, max_retries)
        write_folder_records(context.database, context.archive_root, job_id)
    return code


def index_persistent_job(job_id: int, *, context: WorkerContext, interrupted: threading.Event | None = None) -> int:
    """Index a job whose crawl is over and return the indexer's exit code; one that is killed begins again."""
    with lead_job(context.database, context.archive_root, job_id, leases.lease_for_index) as leader:
        code = _index(context, job_id, leader, interrupted or threading.Event())
        write_folder_records(context.database, context.archive_root, job_id)
    return code


def _crawl(context: WorkerContext, job: StoredJob, leader: str, interrupted: threading.Event) -> int:
    """Run the crawl of a job until it has ended in any way."""
    check_job_config(job.config)
    check_output(context.database, job, min_free_bytes=context.min_free_bytes)
    is_ours, deaths = context.stages.settles_its_job(job), 0
    while True:
        before, since = _progress(context, job.id), datetime.now(UTC)
        with index_beside(context.database, job, context.stages.index_so_far, context.index_every_seconds):
            code = context.stages.crawl(job.id, leader, interrupted)
        note_exit(context.database, job, leader, code)
        if context.load(job.id).crawl_ended is not None:
            return code
        # Its tasks are queued again for the next crawler.
        context.recovery.tend()
        if interrupted.is_set() and code != DONE:
            return _leave_unfinished(context, job.id, leader, code)
        ended = end_by_exit_code(context.database, job, code, since, settles_its_job=is_ours)
        if ended is not None:
            settle_tool_job(context.database, context.archive_root, job, leader, ended)
            return code
        reason = how_it_died("the crawler", code)
        log.error("crawl.died", exit_code=code, reason=reason)
        deaths = 0 if _progress(context, job.id) > before else deaths + 1
        if deaths and not is_ours:
            settle_as(context.database, job.id, leader, JobEnding(JobStatus.FAILED, reason), datetime.now(UTC))
            return code
        if deaths >= MAX_CRAWL_DEATHS:
            raise CrawlerDiedError(f"{reason}, {deaths} times in a row{_suspicion(context, job.id)}")


def _suspicion(context: WorkerContext, job_id: int) -> str:
    """Return a sentence with the URL that the crawler was fetching most often when it died."""
    with context.database.read() as session:
        url = frontier.suspect_url(session, job_id)
    return f", most often while it fetched {url}" if url else ""


def _leave_unfinished(context: WorkerContext, job_id: int, leader: str, code: int) -> int:
    """Leave an unfinished crawl to the next leader, as the same run."""
    with context.database.write() as session:
        leases.set_as(session, job_id, leader, status=JobStatus.QUEUED, status_reason="its worker ended")
    return code


def _progress(context: WorkerContext, job_id: int) -> tuple[int, int]:
    """Return the progress of a crawl: responses that our crawler received, pages that its log reports."""
    with context.database.read() as session:
        return leases.received(session, job_id), jobs.outcome(session, job_id)[1]


def _after_crawl(
    context: WorkerContext, job: StoredJob, leader: str, interrupted: threading.Event, max_retries: int
) -> None:
    """Start what follows a crawl: a retry, or the index of a stopped crawl's captures."""
    if job.crawl_ended is JobStatus.FAILED and (rest := _rest_before_retry(context, job, max_retries)) is not None:
        try_again_later(context.database, job, leader, rest)
        return
    if job.crawl_ended is not None and job.status is not job.crawl_ended:
        # It was interrupted during indexing: only the index remains to be done.
        with context.database.write() as session:
            leases.set_as(session, job.id, leader, status=job.crawl_ended)
    if job.crawl_ended is JobStatus.STOPPED and job.source is not None and not interrupted.is_set():
        _index(context, job.id, leader, interrupted)


def _rest_before_retry(context: WorkerContext, job: StoredJob, max_retries: int) -> timedelta | None:
    """Return how long a failed crawl waits before it is retried; None when it is not retried."""
    with context.database.read() as session:
        if not frontier.may_succeed_later(session, job.id):
            return None
    return rest_before_retry(job.retry_count, max_retries)


def _index(context: WorkerContext, job_id: int, leader: str, interrupted: threading.Event) -> int:
    """Run the index of a job; it is given up if the indexer dies repeatedly at the same place."""
    deaths = 0
    while True:
        before = _indexed_bytes(context, job_id)
        code = context.stages.index(job_id, leader, interrupted)
        if code in (0, FAILED, INTERRUPTED) or interrupted.is_set():
            return code
        reason = how_it_died("the indexer", code)
        log.error("index.died", exit_code=code, reason=reason)
        context.recovery.tend()
        deaths = 1 if _indexed_bytes(context, job_id) > before else deaths + 1
        if deaths >= MAX_INDEX_DEATHS:
            raise WebstrataError(f"{reason}, {deaths} times at the same place")


def _indexed_bytes(context: WorkerContext, job_id: int) -> int:
    with context.database.read() as session:
        return jobs.indexed_bytes(session, job_id)[0]
