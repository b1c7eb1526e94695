"""Queries of jobs that can no longer resume (see `model/jobs/attempts.py`), whose tasks and logs may be deleted."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Select, and_, delete, exists, func, select, update
from sqlalchemy.orm import Session

from webstrata.db.retention.retention import ExpiredCount
from webstrata.db.schema.crawl_tables import CrawlTask
from webstrata.db.schema.retention_tables import LegalHold
from webstrata.db.schema.tables import ArchiveJob
from webstrata.model.jobs.attempts import IndexedJob, newer_alike
from webstrata.model.jobs.job import JobStatus

_MOST_JOBS = 10_000
"""The most jobs per pass, oldest first, because of the limit of parameters."""


@dataclass(frozen=True)
class LoggedJob:
    """A job that left logs in its folder."""

    id: int
    output_dir: str


def repeated_by(session: Session, job_id: int) -> int | None:
    """Return the newest indexed job with the same source and configuration as a job; None when there is none."""
    source = select(ArchiveJob.source_id).where(ArchiveJob.id == job_id).scalar_subquery()
    return newer_alike(_indexed_jobs(session, ArchiveJob.source_id == source)).get(job_id)


def count_expired_tasks(session: Session, limit: datetime) -> ExpiredCount:
    """Count the tasks of jobs that can no longer resume and ended before a time, and of those without an end."""
    tasks = select(func.count()).select_from(CrawlTask)
    expired = session.scalar(tasks.where(CrawlTask.job_id.in_(_ended_before(session, limit)))) or 0
    undated = session.scalar(tasks.where(CrawlTask.job_id.in_(_undated(session)))) or 0
    return ExpiredCount(expired, undated)


def delete_expired_tasks(session: Session, limit: datetime, most: int) -> int:
    """Delete tasks of the jobs that ended first, among those that can no longer resume; return how many."""
    jobs = _ended_before(session, limit).where(exists().where(CrawlTask.job_id == ArchiveJob.id))
    # Locked, so that the job is not queued again while its tasks are deleted; a concurrent pass skips it.
    oldest = jobs.order_by(ArchiveJob.finished_at, ArchiveJob.id).limit(1).with_for_update(skip_locked=True)
    job_id = session.scalar(oldest)
    if job_id is None:
        return 0
    ids = list(session.scalars(select(CrawlTask.id).where(CrawlTask.job_id == job_id).limit(most)))
    session.execute(delete(CrawlTask).where(CrawlTask.id.in_(ids)))
    return len(ids)


def count_expired_logs(session: Session, limit: datetime) -> ExpiredCount:
    """Count the jobs with logs that can no longer resume and ended before a time, and those without an end."""
    jobs = select(func.count()).select_from(ArchiveJob).where(ArchiveJob.combined_log_path.is_not(None))
    expired = session.scalar(jobs.where(ArchiveJob.id.in_(_ended_before(session, limit)))) or 0
    return ExpiredCount(expired, session.scalar(jobs.where(ArchiveJob.id.in_(_undated(session)))) or 0)


def jobs_with_expired_logs(session: Session, limit: datetime, most: int, skipped: int = 0) -> list[LoggedJob]:
    """Return some jobs with logs that can no longer resume and ended before a time, the first that ended first."""
    wanted = (
        select(ArchiveJob.id, ArchiveJob.output_dir)
        .where(ArchiveJob.id.in_(_ended_before(session, limit)), ArchiveJob.combined_log_path.is_not(None))
        .order_by(ArchiveJob.finished_at, ArchiveJob.id)
        .limit(most)
        .offset(skipped)
    )
    return [LoggedJob(*row) for row in session.execute(wanted)]


def forget_logs(session: Session, job_id: int) -> None:
    """Record that the logs of a job are gone."""
    session.execute(update(ArchiveJob).where(ArchiveJob.id == job_id).values(combined_log_path=None))


def _ended_before(session: Session, limit: datetime) -> Select[int]:
    return select(ArchiveJob.id).where(_is_closed(session), ArchiveJob.finished_at < limit)


def _undated(session: Session) -> Select[int]:
    return select(ArchiveJob.id).where(_is_closed(session), ArchiveJob.finished_at.is_(None))


def _is_closed(session: Session) -> ColumnElement[bool]:
    """Select jobs that can no longer resume, that no process works on, and that no legal hold covers."""
    repeated = sorted(newer_alike(_indexed_jobs(session, ArchiveJob.source_id.is_not(None))))[:_MOST_JOBS]
    is_held = exists().where(
        LegalHold.released_at.is_(None), LegalHold.scope == "source", LegalHold.source_id == ArchiveJob.source_id
    )
    is_idle = and_(ArchiveJob.lease_owner.is_(None), ArchiveJob.index_lease_owner.is_(None))
    return and_(ArchiveJob.status == JobStatus.INDEXED, ArchiveJob.id.in_(repeated), is_idle, ~is_held)


def _indexed_jobs(session: Session, which: ColumnElement[bool]) -> list[IndexedJob]:
    wanted = select(ArchiveJob.id, ArchiveJob.source_id, ArchiveJob.config).where(
        ArchiveJob.status == JobStatus.INDEXED, which
    )
    return [IndexedJob(row.id, row.source_id or 0, row.config or {}) for row in session.execute(wanted)]
