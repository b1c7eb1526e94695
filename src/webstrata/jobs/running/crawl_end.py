"""The end of a crawl: the job's status, its report and its statistics are stored."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from webstrata.db.captures import captures
from webstrata.db.collections import scraper_health
from webstrata.db.engine import Database
from webstrata.db.queue import frontier, jobs, leases
from webstrata.db.queue.frontier import GivenUp
from webstrata.db.queue.jobs import StoredJob
from webstrata.errors import StorageError
from webstrata.jobs.folders.job_folders import scan_storage
from webstrata.jobs.folders.manifest import write_manifest
from webstrata.jobs.progress.crawl_stats import refresh_stats
from webstrata.jobs.progress.run_report import RunEnd, write_run_report
from webstrata.model.crawl.crawl_config import CrawlConfig
from webstrata.model.crawl.tasks import MAX_RECLAIMS
from webstrata.model.jobs.job import JobStatus
from webstrata.model.words import counted

if TYPE_CHECKING:
    from webstrata.crawl.engine import CrawlEnd

log = structlog.get_logger()

_CRAWLER_STATUS = {end: crawler_status for crawler_status, end in jobs.CRAWL_ENDS.items()}


@dataclass(frozen=True)
class JobEnding:
    """The status that the end of a crawl gives its job, and the reason."""

    status: JobStatus
    reason: str | None


def verdict(end: "CrawlEnd", refusal: str | None = None) -> JobEnding:
    """Return the status of a job after its crawl; `refusal` is the error of a site that sent only error responses."""
    to_go = f"with {counted(end.counts.pending, 'URL')} to go"
    limit = f"the {end.limit} was reached {to_go}" if end.limit is not None else None
    if end.stopped:
        return JobEnding(JobStatus.STOPPED, _join_sentences(f"stopped {to_go}", *_given_up(end)))
    if end.counts.finished == 0:
        return JobEnding(JobStatus.FAILED, end.first_error or limit or "nothing could be fetched")
    if refusal is not None:
        return JobEnding(JobStatus.FAILED, refusal)
    return JobEnding(JobStatus.COMPLETED, _join_sentences(limit, *_given_up(end)))


def _given_up(end: "CrawlEnd") -> tuple[str | None, str | None]:
    sitemaps = f"the sitemaps were given up, because the crawler died {MAX_RECLAIMS} times while it read them"
    return given_up_words(end.given_up), sitemaps if end.sitemaps_given_up else None


def given_up_words(given_up: GivenUp) -> str | None:
    """Return which URLs were given up and why, in words; None when none was."""
    if not given_up.count:
        return None
    crawler = "its crawler" if given_up.count == 1 else "the crawler of each"
    were = "was" if given_up.count == 1 else "were"
    what = f"{counted(given_up.count, 'URL')} {were} given up, because {crawler}"
    more = f" and {given_up.count - len(given_up.urls):,} more" if given_up.count > len(given_up.urls) else ""
    return f"{what} died {MAX_RECLAIMS} times: {', '.join(given_up.urls)}{more}"


def _join_sentences(*reasons: str | None) -> str | None:
    return "; ".join(filter(None, reasons)) or None


def settle(database: Database, job: StoredJob, leader: str, end: "CrawlEnd", config: CrawlConfig) -> JobEnding:
    """Record how a crawl ended, for its leader; LeaseLostError if the leader lost the job."""
    with database.read() as session:
        refusal = captures.refusal(session, job.id)
    return settle_with(database, job, leader, verdict(end, refusal), config)


def settle_with(database: Database, job: StoredJob, leader: str, ended: JobEnding, config: CrawlConfig) -> JobEnding:
    """Record the end of a job's crawl, with a report of the run, for its leader."""
    finished_at = datetime.now(UTC)
    ended = _with_warning(ended, job.config.ignored_arguments)
    with database.read() as session:
        leases.check_leader(session, job.id, leader)
    # The report is written first, so that it exists when the run is seen as over.
    write_run_report(database, job.id, RunEnd(ended.status, ended.reason, finished_at), config)
    refresh_stats(database, job.id)
    settle_as(database, job.id, leader, ended, finished_at)
    return ended


def _with_warning(ended: JobEnding, warning: str | None) -> JobEnding:
    if warning is None:
        return ended
    return JobEnding(ended.status, f"{ended.reason}; {warning}" if ended.reason else warning)


def settle_as(database: Database, job_id: int, leader: str, ended: JobEnding, finished_at: datetime) -> None:
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
        scraper_health.add_run_health(session, job_id, ended.status, finished_at)


def try_again_later(database: Database, job: StoredJob, leader: str, rest: timedelta) -> None:
    """Queue a job again whose crawl captured nothing, so that the failed URLs are retried."""
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


def write_folder_records(database: Database, archive_root: Path, job_id: int) -> None:
    """Store the sizes of a job's folder, and write its manifest; an error of the disk is only logged."""
    try:
        scan_storage(database, archive_root, job_id)
        write_manifest(database, job_id, archive_root=archive_root)
    except StorageError as error:
        log.error("job.books.failed", job_id=job_id, reason=str(error))
