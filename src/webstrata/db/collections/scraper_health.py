"""Scraper health: how well each run of a source went."""

from collections import Counter
from datetime import datetime

from sqlalchemy import case, func, select, update
from sqlalchemy.orm import Session

from webstrata.db.queue import frontier
from webstrata.db.schema.collection_tables import HealthRow, ListingRow
from webstrata.db.schema.tables import ArchiveJob, Capture, Snapshot
from webstrata.model.collections.listing import JSON_NAMES, LISTING_FIELDS

_FIRST_ERROR_STATUS = 400
_ROWS_AT_ONCE = 1_000


def add_run_health(session: Session, job_id: int, status: str, now: datetime) -> None:
    """Record the success rate of a finished run; None for one without requests."""
    job = session.execute(
        select(ArchiveJob.source_id, ArchiveJob.pages_crawled, ArchiveJob.pages_failed).where(ArchiveJob.id == job_id)
    ).one()
    fetched, failed = _counts(session, job_id)
    if not fetched and not failed:
        # A crawl by another program has no tasks here, but reports its own numbers.
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


def set_fill_rates(session: Session, job_id: int) -> None:
    """Record, with a job's last run, the share of its listings that have each field."""
    newest = select(HealthRow.id, HealthRow.source_id).where(HealthRow.job_id == job_id).order_by(HealthRow.id.desc())
    run = session.execute(newest.limit(1)).first()
    if run is None:
        return
    # Selected by the job's pages, as a source may have many more listings than a run has captured.
    of_job = Snapshot.job_id == job_id
    query = select(ListingRow.fields).where(
        ListingRow.source_id == run.source_id,
        ListingRow.normalized_url_group.in_(select(Snapshot.normalized_url_group).where(of_job)),
        ListingRow.last_snapshot_id.in_(select(Snapshot.id).where(of_job)),
    )
    stated: Counter[str] = Counter()
    listings = 0
    for fields in session.scalars(query.execution_options(yield_per=_ROWS_AT_ONCE)):
        listings += 1
        stated.update((fields or {}).keys())
    if not listings:
        return
    names = (JSON_NAMES.get(name, name) for name in LISTING_FIELDS)
    rates = {name: round(stated[name] / listings, 4) for name in names}
    session.execute(update(HealthRow).where(HealthRow.id == run.id).values(field_fill_rates=rates))


def _counts(session: Session, job_id: int) -> tuple[int, int]:
    """Return how many URLs of a job were fetched, and how many failed or returned an error."""
    is_error = case((Capture.status_code >= _FIRST_ERROR_STATUS, 1))
    responses, errors = session.execute(
        select(func.count(), func.count(is_error)).where(Capture.job_id == job_id)
    ).one()
    return responses - errors, errors + frontier.counts(session, job_id).error
