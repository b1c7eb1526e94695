"""Tables of evidence audits: sessions, their pages and their log."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, Integer, String, UniqueConstraint, false, text
from sqlalchemy.orm import Mapped, mapped_column

from webstrata.db.schema.base import Base, BigId, Json, utcnow


class AuditSessionRow(Base):
    """An audit session; while it is queued, its row is the entry in the queue."""

    __tablename__ = "audit_sessions"
    __table_args__ = (
        Index(None, "status", "next_run_at", "created_at"),
        Index(None, "domain", "lease_expires_at"),
        Index(None, "created_at", "id"),
        Index(None, "status", "created_at", "id"),
        Index(
            "ix_audit_sessions_leases",
            "lease_owner",
            sqlite_where=text("lease_token IS NOT NULL"),
            postgresql_where=text("lease_token IS NOT NULL"),
        ),
    )

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    url: Mapped[str]
    domain: Mapped[str]
    """The normalised domain: sessions on the same one run one at a time."""
    status: Mapped[str] = mapped_column(String(16))
    created_at: Mapped[datetime] = mapped_column(default=utcnow)
    final_url: Mapped[str | None]
    mode: Mapped[str] = mapped_column(String(16))
    retention_policy: Mapped[str] = mapped_column(String(16))
    attempts: Mapped[int] = mapped_column(Integer, default=0)
    error_summary: Mapped[str | None]
    crawl_policy_version: Mapped[str] = mapped_column(String(16))
    config_snapshot: Mapped[dict[str, Any]]
    low_confidence: Mapped[bool] = mapped_column(default=False, server_default=false())
    pdp_url: Mapped[str | None]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    manifest_sha256: Mapped[str | None] = mapped_column(String(64))
    next_run_at: Mapped[datetime] = mapped_column(default=utcnow)
    lease_owner: Mapped[str | None]
    lease_token: Mapped[str | None] = mapped_column(String(32))
    lease_expires_at: Mapped[datetime | None]


class AuditPageRow(Base):
    """One page of a session on one viewport."""

    __tablename__ = "audit_pages"
    __table_args__ = (UniqueConstraint("session_id", "page_type", "viewport"),)

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    session_id: Mapped[str] = mapped_column(ForeignKey("audit_sessions.id", ondelete="CASCADE"))
    page_type: Mapped[str] = mapped_column(String(16))
    viewport: Mapped[str] = mapped_column(String(16))
    status: Mapped[str] = mapped_column(String(16))
    url: Mapped[str | None]
    final_url: Mapped[str | None]
    http_status: Mapped[int | None]
    error: Mapped[str | None]
    load_timings: Mapped[dict[str, Any]]
    low_confidence_reasons: Mapped[list[str]] = mapped_column(Json)


class CrawlLogRow(Base):
    """An entry of a session's log."""

    __tablename__ = "crawl_logs"
    __table_args__ = (Index(None, "session_id", "id"),)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    session_id: Mapped[str] = mapped_column(ForeignKey("audit_sessions.id", ondelete="CASCADE"))
    level: Mapped[str] = mapped_column(String(16))
    event_type: Mapped[str] = mapped_column(String(16))
    message: Mapped[str]
    details: Mapped[dict[str, Any]]
    timestamp: Mapped[datetime]


class AuditScheduleRow(Base):
    """A shop that is audited on a schedule."""

    __tablename__ = "audit_schedules"
    __table_args__ = (UniqueConstraint("url"), Index(None, "next_run_at"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(primary_key=True)
    url: Mapped[str]
    mode: Mapped[str] = mapped_column(String(16))
    schedule: Mapped[str]
    paused: Mapped[bool] = mapped_column(default=False, server_default=false())
    next_run_at: Mapped[datetime]
    created_at: Mapped[datetime] = mapped_column(default=utcnow)
    last_session_id: Mapped[str | None] = mapped_column(String(36))
    """The newest audit of the schedule."""
