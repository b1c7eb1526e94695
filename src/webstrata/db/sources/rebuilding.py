"""Queries of a rebuild: whether the database belongs to this archive, and its row counts at the end."""

from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from webstrata.db.schema.crawl_tables import CrawlTask
from webstrata.db.schema.tables import ArchiveJob, Capture, RecordProblem, Snapshot, Source
from webstrata.model.jobs.job import JobStatus


@dataclass(frozen=True)
class Totals:
    """The numbers of rows in a database."""

    sources: int = 0
    jobs: int = 0
    captures: int = 0
    snapshots: int = 0
    record_problems: int = 0


def totals(session: Session) -> Totals:
    """Return the number of rows."""
    tables = (Source, ArchiveJob, Capture, Snapshot, RecordProblem)
    return Totals(*(session.scalar(select(func.count()).select_from(table)) or 0 for table in tables))


def has_crawled(session: Session) -> bool:
    """Return whether a crawl was recorded in this database, as a rebuild restores no tasks."""
    return session.scalar(select(CrawlTask.id).limit(1)) is not None


def unfinished_jobs(session: Session) -> set[int]:
    """Return the jobs that still have to be indexed."""
    waiting = (JobStatus.COMPLETED, JobStatus.INDEXING)
    return {*session.scalars(select(ArchiveJob.id).where(ArchiveJob.status.in_(waiting)))}
