"""Jobs that can no longer resume, as `model/jobs/attempts.py` decides, and what only a resumed crawl needs of them."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Select, and_, delete, exists, func, select, update
from sqlalchemy.orm import Session, aliased

from webstrata.db.retention.retention import ExpiredCount
from webstrata.db.schema.retention_tables import LegalHold
from webstrata.db.schema.tables import ArchiveJob, CrawlTask
from webstrata.model.jobs.job import JobStatus


@dataclass(frozen=True)
class LoggedJob:
    """A job that left logs in its folder."""

    id: int
    output_dir: str


def newest_indexed_after(session: Session, job_id: int) -> int | None:
    """Return the newest job of the same source that is indexed and younger than a job; None when there is none."""
    newer = aliased(ArchiveJob)
    wanted = (
        select(func.max(newer.id))
        .join(ArchiveJob, ArchiveJob.source_id == newer.source_id)
        .where(ArchiveJob.id == job_id, newer.id > job_id, newer.status == JobStatus.INDEXED)
    )
    return session.scalar(wanted)


def count_expired_tasks(session: Session, limit: datetime) -> ExpiredCount:
    """Count the tasks of jobs that can no longer resume and ended before a time, and of those without an end."""
    tasks = select(func.count()).select_from(CrawlTask)
    expired = session.scalar(tasks.where(CrawlTask.job_id.in_(_ended_before(limit)))) or 0
    undated = session.scalar(tasks.where(CrawlTask.job_id.in_(_undated()))) or 0
    return ExpiredCount(expired, undated)


def delete_expired_tasks(session: Session, limit: datetime, most: int) -> int:
    """Delete tasks of the jobs that ended first, among those that can no longer resume; return how many."""
    jobs = _ended_before(limit).where(exists().where(CrawlTask.job_id == ArchiveJob.id))
    # The job is locked, so that no one queues it again while its tasks go; another pass takes another job.
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
    expired = session.scalar(jobs.where(ArchiveJob.id.in_(_ended_before(limit)))) or 0
    return ExpiredCount(expired, session.scalar(jobs.where(ArchiveJob.id.in_(_undated()))) or 0)


def jobs_with_expired_logs(session: Session, limit: datetime, most: int) -> list[LoggedJob]:
    """Return jobs with logs that can no longer resume and ended before a time, the first that ended first."""
    wanted = (
        select(ArchiveJob.id, ArchiveJob.output_dir)
        .where(ArchiveJob.id.in_(_ended_before(limit)), ArchiveJob.combined_log_path.is_not(None))
        .order_by(ArchiveJob.finished_at, ArchiveJob.id)
        .limit(most)
    )
    return [LoggedJob(*row) for row in session.execute(wanted)]


def forget_logs(session: Session, job_id: int) -> None:
    """Record that the logs of a job are gone."""
    session.execute(update(ArchiveJob).where(ArchiveJob.id == job_id).values(combined_log_path=None))


def _ended_before(limit: datetime) -> Select[int]:
    return select(ArchiveJob.id).where(_is_closed(), ArchiveJob.finished_at < limit)


def _undated() -> Select[int]:
    return select(ArchiveJob.id).where(_is_closed(), ArchiveJob.finished_at.is_(None))


def _is_closed() -> ColumnElement[bool]:
    """Select jobs that can no longer resume, that no process works on, and that no legal hold covers."""
    newer = aliased(ArchiveJob)
    is_superseded = exists().where(
        newer.source_id == ArchiveJob.source_id, newer.id > ArchiveJob.id, newer.status == JobStatus.INDEXED
    )
    is_held = exists().where(
        LegalHold.released_at.is_(None), LegalHold.scope == "source", LegalHold.source_id == ArchiveJob.source_id
    )
    is_idle = and_(ArchiveJob.lease_owner.is_(None), ArchiveJob.index_lease_owner.is_(None))
    return and_(ArchiveJob.status == JobStatus.INDEXED, is_superseded, is_idle, ~is_held)
