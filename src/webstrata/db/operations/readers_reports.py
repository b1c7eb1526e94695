"""Storing readers' reports for the operators."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from webstrata.db.schema.public_tables import IssueReport


@dataclass(frozen=True)
class NewReport:
    """A reader's report of a problem."""

    category: str
    description: str
    snapshot_id: int | None = None
    original_url: str | None = None
    reporter_email: str | None = None
    page_url: str | None = None


def add_report(session: Session, report: NewReport, now: datetime) -> int:
    """Store a report and return its number."""
    row = IssueReport(
        category=report.category,
        description=report.description,
        snapshot_id=report.snapshot_id,
        original_url=report.original_url,
        reporter_email=report.reporter_email,
        page_url=report.page_url,
        created_at=now,
        updated_at=now,
    )
    session.add(row)
    session.flush()
    return row.id
