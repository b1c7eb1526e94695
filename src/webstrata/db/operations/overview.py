"""What an archive is doing: jobs by status, their workers, and what is due next."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from webstrata.db.schema.crawl_tables import CrawlTask
from webstrata.db.schema.tables import ArchiveJob, Source
from webstrata.model.crawl.tasks import TaskStatus


@dataclass(frozen=True)
class LedJob:
    """A job, and the process that leads it."""

    job_id: int
    source_code: str
    status: str
    leader: str


@dataclass(frozen=True)
class NextRun:
    """When a source is archived next."""

    source_code: str
    at: datetime


def led_jobs(session: Session, now: datetime) -> list[LedJob]:
    """Return the jobs that have a leader."""
    led = (
        select(ArchiveJob.id, Source.code, ArchiveJob.status, ArchiveJob.lease_owner)
        .outerjoin(Source, ArchiveJob.source_id == Source.id)
        .where(ArchiveJob.lease_owner.is_not(None), ArchiveJob.lease_expires_at > now)
    )
    rows = sorted(session.execute(led), key=lambda row: row.id)
    return [LedJob(row.id, row.code or "", row.status, row.lease_owner or "") for row in rows]


def crawled_by(session: Session) -> dict[str, int]:
    """Return the job that each process crawls, by owner."""
    # Selected by job, so that the index finds the few tasks in progress.
    of_jobs = (CrawlTask.job_id.in_(select(ArchiveJob.id)), CrawlTask.status == TaskStatus.IN_PROGRESS)
    under_way = select(CrawlTask.lease_owner, CrawlTask.job_id).where(*of_jobs).distinct()
    return {row.lease_owner: row.job_id for row in session.execute(under_way) if row.lease_owner}


def next_runs(session: Session, limit: int = 5) -> list[NextRun]:
    """Return which sources are due next, the first first."""
    due = (
        select(Source.code, Source.next_run_at)
        .where(Source.next_run_at.is_not(None), ~Source.schedule_paused, Source.enabled)
        .order_by(Source.next_run_at, Source.id)
        .limit(limit)
    )
    return [NextRun(row.code, row.next_run_at) for row in session.execute(due) if row.next_run_at is not None]
