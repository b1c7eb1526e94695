"""Tables of crawls: tasks, host permits, reports, and the links of payloads."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, ForeignKeyConstraint, Index, LargeBinary, String, UniqueConstraint, true
from sqlalchemy.orm import Mapped, mapped_column

import webstrata.db.schema.tables  # noqa: F401 - foreign keys refer to its tables
from webstrata.db.schema.base import Base, BigId, Json


class CrawlTask(Base):
    """One URL that a job wants."""

    __tablename__ = "crawl_tasks"
    __table_args__ = (
        UniqueConstraint("job_id", "url_key"),
        Index("ix_crawl_tasks_claim", "job_id", "status", "priority", "id"),
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    job_id: Mapped[int] = mapped_column(ForeignKey("archive_jobs.id", ondelete="CASCADE"))
    url: Mapped[str]
    url_key: Mapped[str] = mapped_column(String(32))
    host: Mapped[str]
    depth: Mapped[int] = mapped_column(default=0)
    task_type: Mapped[str] = mapped_column(String(16), default="page")
    status: Mapped[str] = mapped_column(String(16), default="pending")
    priority: Mapped[int] = mapped_column(default=0)
    attempt_count: Mapped[int] = mapped_column(default=0)
    reclaim_count: Mapped[int] = mapped_column(default=0)
    last_error: Mapped[str | None]
    may_retry: Mapped[bool] = mapped_column(server_default=true())
    lease_owner: Mapped[str | None]
    lease_token: Mapped[str | None]
    lease_expires_at: Mapped[datetime | None]
    next_run_at: Mapped[datetime]
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]


class HostPermit(Base):
    """One slot of a host: its owner, and when it is free again."""

    __tablename__ = "host_permits"
    __table_args__ = (Index(None, "free_at"),)

    host: Mapped[str] = mapped_column(primary_key=True)
    slot: Mapped[int] = mapped_column(primary_key=True)
    owner: Mapped[str]
    token: Mapped[str | None]
    free_at: Mapped[datetime]


class CrawlReportRow(Base):
    """The counts of one process in a job's run so far."""

    __tablename__ = "crawl_reports"

    job_id: Mapped[int] = mapped_column(ForeignKey("archive_jobs.id", ondelete="CASCADE"), primary_key=True)
    owner: Mapped[str] = mapped_column(primary_key=True)
    updated_at: Mapped[datetime]
    report: Mapped[dict[str, Any]] = mapped_column(Json)


class CaptureLinks(Base):
    """The links of a stored payload, as seen from a URL that returned it; deleted with the payload's capture."""

    __tablename__ = "capture_links"
    __table_args__ = (
        ForeignKeyConstraint(
            ["warc_file_id", "warc_offset"],
            ["captures.warc_file_id", "captures.warc_offset"],
            name="fk_capture_links_capture",
            ondelete="CASCADE",
        ),
        {"sqlite_with_rowid": False},
    )

    warc_file_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    warc_offset: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    url_hash: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    """URLs with the same payload have separate rows, as their relative links differ."""
    packed: Mapped[bytes] = mapped_column(LargeBinary)
    """See `content/link_record.py`."""
