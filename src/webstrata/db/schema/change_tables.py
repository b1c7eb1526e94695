"""The tables of change tracking: events, captures that wait for one, the template of each job, leases of sources."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Double, ForeignKey, Index, String, UniqueConstraint, false, text
from sqlalchemy.orm import Mapped, mapped_column

import webstrata.db.schema.tables  # noqa: F401 - foreign keys refer to its tables
from webstrata.db.schema.base import Base, BigId, Json, utcnow
from webstrata.model.changes.values import SIGNIFICANT

COUNTS = "change_type <> 'unchanged'"
"""The condition of events in default lists, which leave out unchanged captures."""

_COUNTS = text(COUNTS)
_REVIEWED = text("review_status IS NOT NULL")

IS_SIGNIFICANT = f"significance >= {SIGNIFICANT}"
"""The condition of significant changes, which are few."""


class SnapshotChange(Base):
    """The event of one capture: its differences from the previous capture of the page."""

    __tablename__ = "snapshot_changes"
    __table_args__ = (
        # One event per capture, so each pair is unique, too.
        Index("ix_snapshot_changes_to_snapshot_id", "to_snapshot_id", unique=True),
        Index("ix_snapshot_changes_from_snapshot_id", "from_snapshot_id"),
        Index(
            "ix_snapshot_changes_newest", "to_capture_timestamp", "id", sqlite_where=_COUNTS, postgresql_where=_COUNTS
        ),
        Index(
            "ix_snapshot_changes_significant",
            "to_capture_timestamp",
            "id",
            sqlite_where=text(IS_SIGNIFICANT),
            postgresql_where=text(IS_SIGNIFICANT),
        ),
        Index("ix_snapshot_changes_of_source", "source_id", "to_capture_timestamp", "id"),
        Index("ix_snapshot_changes_of_job", "to_job_id", "to_capture_timestamp", "id"),
        *(
            Index(f"ix_snapshot_changes_{name}", *columns, "id", sqlite_where=_COUNTS, postgresql_where=_COUNTS)
            for name, columns in {
                "newest_of_source": ("source_id", "to_capture_timestamp"),
                "newest_of_job": ("to_job_id", "to_capture_timestamp"),
                "newest_of_type": ("change_type", "to_capture_timestamp"),
                "most_significant": ("significance", "to_capture_timestamp"),
            }.items()
        ),
        Index(
            "ix_snapshot_changes_reviewed",
            "review_status",
            "to_capture_timestamp",
            "id",
            sqlite_where=_REVIEWED,
            postgresql_where=_REVIEWED,
        ),
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    source_id: Mapped[int] = mapped_column(ForeignKey("sources.id"))
    normalized_url_group: Mapped[str]
    from_snapshot_id: Mapped[int | None] = mapped_column(ForeignKey("snapshots.id", ondelete="CASCADE"))
    to_snapshot_id: Mapped[int] = mapped_column(ForeignKey("snapshots.id", ondelete="CASCADE"))
    from_job_id: Mapped[int | None]
    to_job_id: Mapped[int | None]
    from_capture_timestamp: Mapped[datetime | None]
    to_capture_timestamp: Mapped[datetime]
    change_type: Mapped[str] = mapped_column(String(16))
    summary: Mapped[str | None]
    diff_format: Mapped[str | None] = mapped_column(String(16))
    diff_html: Mapped[str | None]
    diff_truncated: Mapped[bool] = mapped_column(default=False, server_default=false())
    added_sections: Mapped[int | None]
    removed_sections: Mapped[int | None]
    changed_sections: Mapped[int | None]
    added_lines: Mapped[int | None]
    removed_lines: Mapped[int | None]
    change_ratio: Mapped[float | None] = mapped_column(Double)
    high_noise: Mapped[bool] = mapped_column(default=False, server_default=false())
    significance: Mapped[float] = mapped_column(Double, default=0.0, server_default="0")
    """0 to 1; from 0.3 on, a person who watches the page would want to know."""
    reasons: Mapped[list[Any] | None] = mapped_column(Json)
    """Why the change matters: code, text and weight of each reason."""
    ignored: Mapped[list[Any] | None] = mapped_column(Json)
    """The first of the ignored lines: text and reason of each."""
    template_changed: Mapped[bool] = mapped_column(default=False, server_default=false())
    is_announced: Mapped[bool] = mapped_column(default=True, server_default=false())
    """False for events of imports and backfills: they are about the past and send no notifications."""
    diff_version: Mapped[str | None] = mapped_column(String(16))
    normalization_version: Mapped[str | None] = mapped_column(String(16))
    computed_at: Mapped[datetime] = mapped_column(default=utcnow)
    computed_by: Mapped[str | None]
    error_message: Mapped[str | None]
    review_status: Mapped[str | None] = mapped_column(String(16))
    """What a person decided: `reviewed`, `important` or `noise`."""
    review_note: Mapped[str | None]
    reviewed_at: Mapped[datetime | None]
    reviewed_by: Mapped[str | None]


class PendingChange(Base):
    """A snapshot that has no event yet; written with the snapshot, deleted with its event."""

    __tablename__ = "pending_changes"
    __table_args__ = (Index(None, "source_id", "snapshot_id"),)

    snapshot_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey("snapshots.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    source_id: Mapped[int] = mapped_column(ForeignKey("sources.id"))
    is_announced: Mapped[bool] = mapped_column(default=True)


class JobTemplate(Base):
    """The lines that most pages of a job share: its site's menus, headers and footers."""

    __tablename__ = "job_templates"

    job_id: Mapped[int] = mapped_column(
        ForeignKey("archive_jobs.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    pages: Mapped[int]
    """The number of pages it was computed from."""
    lines: Mapped[list[Any]] = mapped_column(Json)


class TemplateChange(Base):
    """A change of a site's template between two jobs: one event, however many pages show it."""

    __tablename__ = "template_changes"
    __table_args__ = (
        UniqueConstraint("from_job_id", "to_job_id"),
        Index(None, "source_id", "to_job_id"),
        Index(None, "to_job_id"),
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    source_id: Mapped[int] = mapped_column(ForeignKey("sources.id"))
    from_job_id: Mapped[int] = mapped_column(ForeignKey("archive_jobs.id", ondelete="CASCADE"))
    to_job_id: Mapped[int] = mapped_column(ForeignKey("archive_jobs.id", ondelete="CASCADE"))
    added_lines: Mapped[list[Any]] = mapped_column(Json)
    removed_lines: Mapped[list[Any]] = mapped_column(Json)
    summary: Mapped[str]
    pages: Mapped[int]
    """The number of pages of the newer job that the template was computed from."""
    computed_at: Mapped[datetime] = mapped_column(default=utcnow)


class ChangeLease(Base):
    """The right to compute the events of a source."""

    __tablename__ = "change_leases"

    source_id: Mapped[int] = mapped_column(
        ForeignKey("sources.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    owner: Mapped[str]
    token: Mapped[str] = mapped_column(String(32))
    expires_at: Mapped[datetime]
