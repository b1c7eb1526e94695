"""Queries of metrics whose cost does not depend on the size of the archive: no table that grows with captures is read.

Counts of snapshots come from the totals that the index updates (`db/sources/totals.py`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from webstrata.db.queue.run_reports import current_report
from webstrata.db.schema.crawl_tables import CrawlReportRow
from webstrata.db.schema.tables import ArchiveJob, Source, WarcFile
from webstrata.model.crawl import run_reports
from webstrata.model.crawl.run_reports import CrawlReport
from webstrata.model.jobs.job import CUT_SHORT, JobStatus

_WITH_SOMETHING_TO_INDEX = (
    *(JobStatus.RUNNING, JobStatus.COMPLETED, JobStatus.INDEXING, JobStatus.INDEX_FAILED, *CUT_SHORT),
)
_WAITING_FOR_INDEX = (JobStatus.COMPLETED, JobStatus.INDEXING)


@dataclass(frozen=True)
class JobNumbers:
    """The number of a source's jobs with the same status."""

    source_code: str
    status: str
    cleanup_status: str
    jobs: int
    pages_crawled: int
    pages_failed: int


@dataclass(frozen=True)
class RunningJob:
    """A job that is being crawled."""

    id: int
    source_code: str
    started_at: datetime | None
    combined_log_path: str | None
    frontier_depth: int
    """URLs that are pending or in progress, by the last report of its crawl."""
    report: CrawlReport | None
    """The counts of its processes; None where the crawler does not report."""


@dataclass(frozen=True)
class IndexLag:
    """What is captured and not searchable yet."""

    bytes: int
    waiting_since: datetime | None
    """Since when the first of these jobs has been waiting or being indexed."""


def job_numbers(session: Session) -> list[JobNumbers]:
    """Return the number of jobs by source and status."""
    codes = {row.id: row.code for row in session.execute(select(Source.id, Source.code))}
    # Grouped in the order of an index that has all these columns, so that the table is not read.
    by = (ArchiveJob.source_id, ArchiveJob.status, ArchiveJob.cleanup_status)
    rows = session.execute(
        select(*by, func.count(), func.sum(ArchiveJob.pages_crawled), func.sum(ArchiveJob.pages_failed)).group_by(*by)
    )
    return [
        JobNumbers(codes.get(row[0], ""), row[1], row[2], row[3], int(row[4] or 0), int(row[5] or 0)) for row in rows
    ]


def running_jobs(session: Session, now: datetime) -> list[RunningJob]:
    """Return the jobs that are being crawled."""
    rows = session.execute(
        select(ArchiveJob, Source.code)
        .outerjoin(Source, ArchiveJob.source_id == Source.id)
        .where(ArchiveJob.status == JobStatus.RUNNING)
        .order_by(ArchiveJob.id)
    ).all()
    reports = _reports_of_running_jobs(session, now) if rows else {}
    return [
        RunningJob(
            id=job.id,
            source_code=code or "",
            started_at=job.started_at,
            combined_log_path=job.combined_log_path,
            frontier_depth=_depth(job.last_stats_json or {}),
            report=reports.get(job.id),
        )
        for job, code in rows
    ]


def index_lag(session: Session) -> IndexLag:
    """Return what is captured and not searchable yet."""
    lag = (
        select(func.sum(WarcFile.committed_bytes - WarcFile.indexed_bytes))
        .join(ArchiveJob, WarcFile.job_id == ArchiveJob.id)
        .where(ArchiveJob.status.in_(_WITH_SOMETHING_TO_INDEX), WarcFile.indexed_bytes < WarcFile.committed_bytes)
    )
    waiting = select(func.min(ArchiveJob.finished_at)).where(ArchiveJob.status.in_(_WAITING_FOR_INDEX))
    found = session.execute(select(lag.scalar_subquery(), waiting.scalar_subquery())).one()
    return IndexLag(int(found[0] or 0), found[1])


def _reports_of_running_jobs(session: Session, now: datetime) -> dict[int, CrawlReport]:
    rows = session.scalars(
        select(CrawlReportRow)
        .join(ArchiveJob, CrawlReportRow.job_id == ArchiveJob.id)
        .where(ArchiveJob.status == JobStatus.RUNNING)
    )
    by_job: dict[int, list[CrawlReport]] = {}
    for row in rows:
        by_job.setdefault(row.job_id, []).append(current_report(row, now))
    return {job_id: run_reports.merged(every) for job_id, every in by_job.items()}


def _depth(stats: Mapping[str, object]) -> int:
    counts = [stats.get(name) for name in ("pending", "in_progress")]
    return sum(count for count in counts if isinstance(count, int))
