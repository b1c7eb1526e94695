"""Scraper health: how well each run of a source went."""

from datetime import datetime

from sqlalchemy import case, func, select
from sqlalchemy.orm import Session

from webstrata.db import frontier
from webstrata.db.collection_tables import HealthRow
from webstrata.db.tables import ArchiveJob, Capture

_FIRST_ERROR_STATUS = 400


def add_run_health(session: Session, job_id: int, status: str, now: datetime) -> None:
    """Record the success rate of a job's run that is over; one that tried nothing has none."""
    job = session.execute(
        select(ArchiveJob.source_id, ArchiveJob.pages_crawled, ArchiveJob.pages_failed).where(ArchiveJob.id == job_id)
    ).one()
    fetched, failed = _counts(session, job_id)
    if not fetched and not failed:
        # Another program's crawl leaves no tasks here; it reports its own numbers.
        fetched, failed = job.pages_crawled or 0, job.pages_failed or 0
    tried = fetched + failed
    session.add(
        HealthRow(
            created_at=now,
            source_id=job.source_id,
            job_id=job_id,
            status=status,
            pages_fetched=fetched,
            pages_failed=failed,
            success_rate=fetched / tried if tried else None,
        )
    )


def _counts(session: Session, job_id: int) -> tuple[int, int]:
    """Return how many URLs of a job were fetched, and how many failed or returned an error."""
    is_error = case((Capture.status_code >= _FIRST_ERROR_STATUS, 1))
    responses, errors = session.execute(
        select(func.count(), func.count(is_error)).where(Capture.job_id == job_id)
    ).one()
    return responses - errors, errors + frontier.counts(session, job_id).error
