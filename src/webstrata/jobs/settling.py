"""The end of a crawl, written down: what became of the job, its report, its numbers."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from webstrata.db import captures, frontier, jobs, leases
from webstrata.db.engine import Database
from webstrata.db.jobs import StoredJob
from webstrata.errors import StorageError
from webstrata.jobs.crawl_stats import refresh_stats
from webstrata.jobs.manifest import write_manifest
from webstrata.jobs.run_report import RunEnd, write_run_report
from webstrata.jobs.storage import scan_storage
from webstrata.model.jobs import CrawlConfig, JobStatus
from webstrata.model.words import counted

if TYPE_CHECKING:
    from webstrata.crawl.engine import CrawlEnd

log = structlog.get_logger()

_CRAWLER_STATUS = {end: told for told, end in jobs.CRAWL_ENDS.items()}


@dataclass(frozen=True)
class Ended:
    """What a crawl's end makes of its job, and why."""

    status: JobStatus
    reason: str | None


def verdict(end: "CrawlEnd") -> Ended:
    """Return what a crawl's end makes of its job, and why."""
    if end.stopped:
        return Ended(JobStatus.STOPPED, f"stopped with {counted(end.counts.pending, 'URL')} to go")
    if end.counts.finished == 0:
        return Ended(JobStatus.FAILED, end.first_error or "nothing could be fetched")
    if end.limit is not None:
        return Ended(
            JobStatus.COMPLETED, f"the {end.limit} was reached with {counted(end.counts.pending, 'URL')} to go"
        )
    return Ended(JobStatus.COMPLETED, None)


def settle(database: Database, job: StoredJob, leader: str, end: "CrawlEnd", config: CrawlConfig) -> Ended:
    """Write down how a crawl ended, on its leader's behalf; LeaseLostError if that one lost the job."""
    return settle_with(database, job, leader, verdict(end), config)


def settle_with(database: Database, job: StoredJob, leader: str, ended: Ended, config: CrawlConfig) -> Ended:
    """Write down a verdict on a job's crawl, with a report of the run, on its leader's behalf."""
    finished_at = datetime.now(UTC)
    with database.read() as session:
        leases.check_leader(session, job.id, leader)
    # First the report: who sees that the run is over finds it there.
    write_run_report(database, job.id, RunEnd(ended.status, ended.reason, finished_at), config)
    refresh_stats(database, job.id)
    settle_as(database, job.id, leader, ended, finished_at)
    return ended


def settle_as(database: Database, job_id: int, leader: str, ended: Ended, finished_at: datetime) -> None:
    """Write how a job's crawl ended into its row."""
    with database.write() as session:
        count, size = captures.warc_totals(session, job_id)
        leases.set_as(
            session,
            job_id,
            leader,
            status=ended.status,
            status_reason=ended.reason,
            finished_at=finished_at,
            crawler_status=_CRAWLER_STATUS[ended.status],
            pause_count=0,
            warc_file_count=count,
            warc_bytes_total=size,
        )


def try_again_later(database: Database, job: StoredJob, leader: str, rest: timedelta) -> None:
    """Put a job whose crawl came to nothing back in line, for a run in which the URLs that failed get a fresh start."""
    now = datetime.now(UTC)
    with database.write() as session:
        frontier.revive(session, job.id, now)
        leases.set_as(
            session,
            job.id,
            leader,
            status=JobStatus.RETRYABLE,
            retry_count=job.retry_count + 1,
            not_before=now + rest,
            started_at=None,
            finished_at=None,
        )
    log.warning("job.retry", attempt=job.retry_count + 1, rest_seconds=rest.total_seconds(), reason=job.status_reason)


def keep_books(database: Database, archive_root: Path, job_id: int) -> None:
    """Write down what a job's folder holds, and in it what the job is; a disk that refuses costs only that."""
    try:
        scan_storage(database, archive_root, job_id)
        write_manifest(database, job_id, archive_root=archive_root)
    except StorageError as error:
        log.error("job.books.failed", job_id=job_id, reason=str(error))
