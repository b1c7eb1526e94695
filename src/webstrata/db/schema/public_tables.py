"""Tables of readers' reports, the audit log, usage, totals and operation counters."""

from datetime import date, datetime
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

import webstrata.db.schema.tables  # noqa: F401 - foreign keys refer to its tables
from webstrata.db.schema.base import Base, BigId, utcnow


class SourceTotals(Base):
    """The totals of a source, updated by the index, so that no query needs to count snapshots."""

    __tablename__ = "source_totals"

    source_id: Mapped[int] = mapped_column(
        ForeignKey("sources.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    snapshot_count: Mapped[int] = mapped_column(BigInteger)
    page_count: Mapped[int] = mapped_column(BigInteger)
    first_capture_timestamp: Mapped[datetime | None]
    last_capture_timestamp: Mapped[datetime | None]
    latest_snapshot_id: Mapped[int | None] = mapped_column(BigInteger)
    updated_at: Mapped[datetime] = mapped_column(default=utcnow)


class IssueReport(Base):
    """A reader's report of a problem, or request to take something down."""

    __tablename__ = "issue_reports"
    __table_args__ = (Index(None, "status", "id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    category: Mapped[str] = mapped_column(String(32))
    description: Mapped[str]
    snapshot_id: Mapped[int | None] = mapped_column(BigInteger)
    """As the reader entered it: the snapshot may not exist, or not any more."""
    original_url: Mapped[str | None]
    reporter_email: Mapped[str | None]
    page_url: Mapped[str | None]
    status: Mapped[str] = mapped_column(String(32), default="new", server_default="new")
    internal_notes: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(default=utcnow)
    updated_at: Mapped[datetime] = mapped_column(default=utcnow, onupdate=utcnow)


class UsageMetric(Base):
    """The number of requests of a kind on a day."""

    __tablename__ = "usage_metrics"

    metric_date: Mapped[date] = mapped_column(primary_key=True)
    event: Mapped[str] = mapped_column(String(64), primary_key=True)
    count: Mapped[int] = mapped_column(BigInteger)


class AuditEntry(Base):
    """A change: its actor, its action, its target, and its request."""

    __tablename__ = "audit_log"
    __table_args__ = (
        Index(None, "target", "id"),
        Index(None, "actor", "id"),
        Index(None, "action", "id"),
        Index(None, "at"),
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    at: Mapped[datetime] = mapped_column(default=utcnow)
    actor: Mapped[str]
    action: Mapped[str]
    target: Mapped[str]
    details: Mapped[dict[str, Any] | None]
    request_id: Mapped[str | None]
    client: Mapped[str | None]


class OperationCount(Base):
    """The number of operations of a kind, over all processes and since the archive was made, for monitoring."""

    __tablename__ = "operation_counts"

    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    count: Mapped[int] = mapped_column(BigInteger)
