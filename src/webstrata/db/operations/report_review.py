"""Readers' reports, listed and updated by operators."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from webstrata.db.operations import audit_log
from webstrata.db.schema.base import utcnow
from webstrata.db.schema.public_tables import IssueReport


@dataclass(frozen=True)
class ReviewedReport:
    """A report, and its status."""

    id: int
    category: str
    description: str
    snapshot_id: int | None
    original_url: str | None
    reporter_email: str | None
    page_url: str | None
    status: str
    internal_notes: str | None
    created_at: datetime
    updated_at: datetime


def reports(
    session: Session, *, status: str | None = None, category: str | None = None, limit: int, offset: int = 0
) -> tuple[tuple[ReviewedReport, ...], int]:
    """Return reports, newest first, and how many there are in all."""
    columns = {IssueReport.status: status, IssueReport.category: category}
    conditions = [column == value for column, value in columns.items() if value is not None]
    total = session.scalar(select(func.count()).select_from(IssueReport).where(*conditions)) or 0
    rows = session.scalars(
        select(IssueReport).where(*conditions).order_by(IssueReport.id.desc()).limit(limit).offset(offset)
    )
    return tuple(map(_reviewed, rows)), total


def report(session: Session, report_id: int) -> ReviewedReport | None:
    """Return one report."""
    row = session.get(IssueReport, report_id)
    return None if row is None else _reviewed(row)


def change_report(session: Session, report_id: int, changes: Mapping[str, str]) -> ReviewedReport | None:
    """Write the status or the notes of a report, and return it; None when there is none."""
    row = session.get(IssueReport, report_id, with_for_update=True)
    if row is None:
        return None
    changed = {name: value for name, value in changes.items() if getattr(row, name) != value}
    if changed:
        before = {name: getattr(row, name) for name in changed}
        for name, value in changed.items():
            setattr(row, name, value)
        row.updated_at = utcnow()
        audit_log.record(session, "report.update", f"report:{report_id}", before=before, after=changed)
        session.flush()
    return _reviewed(row)


def _reviewed(row: IssueReport) -> ReviewedReport:
    return ReviewedReport(
        id=row.id,
        category=row.category,
        description=row.description,
        snapshot_id=row.snapshot_id,
        original_url=row.original_url,
        reporter_email=row.reporter_email,
        page_url=row.page_url,
        status=row.status,
        internal_notes=row.internal_notes,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
