"""Tables of watches, their events, saved searches, and site events."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Double, ForeignKey, Index, String, UniqueConstraint, false
from sqlalchemy.orm import Mapped, mapped_column

import webstrata.db.schema.tables  # noqa: F401 - foreign keys refer to its tables
from webstrata.db.schema.base import Base, BigId, Json, utcnow


class WatchRow(Base):
    """A page, a folder or a site that is captured on a schedule of its own and reported when it changes."""

    __tablename__ = "watches"
    # An id is for ever: subscriptions and feeds refer to it.
    __table_args__ = (
        Index(None, "source_id"),
        Index(None, "source_id", "scope"),
        Index(None, "page", postgresql_using="hash"),
        Index(None, "next_run_at"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    source_id: Mapped[int] = mapped_column(ForeignKey("sources.id", ondelete="CASCADE"))
    url: Mapped[str]
    scope: Mapped[str] = mapped_column(String(16))
    page: Mapped[str]
    """The normalized address of the page, or of the folder or site whose pages are watched."""
    selector: Mapped[str | None]
    """The CSS selector of the parts that count."""
    ignored: Mapped[list[Any] | None] = mapped_column(Json)
    """CSS selectors and texts of the parts that do not count."""
    min_significance: Mapped[float] = mapped_column(Double)
    schedule: Mapped[str]
    paused: Mapped[bool] = mapped_column(default=False, server_default=false())
    next_run_at: Mapped[datetime]
    schedule_error: Mapped[str | None]
    """Why a check that is due could not be queued."""
    created_at: Mapped[datetime] = mapped_column(default=utcnow)
    first_job_id: Mapped[int | None]
    last_job_id: Mapped[int | None]


class WatchEvent(Base):
    """A change event that belongs to a watch."""

    __tablename__ = "watch_events"
    __table_args__ = (Index(None, "to_snapshot_id"),)

    watch_id: Mapped[int] = mapped_column(
        ForeignKey("watches.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    to_snapshot_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey("snapshots.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    significance: Mapped[float] = mapped_column(Double)
    """Of what changed in the parts that count for the watch."""
    summary: Mapped[str | None]


class SavedSearchRow(Base):
    """A search with a name; its feed has the captures that match."""

    __tablename__ = "saved_searches"
    __table_args__ = (UniqueConstraint("name"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(100))
    parameters: Mapped[dict[str, Any]] = mapped_column(Json)
    created_at: Mapped[datetime] = mapped_column(default=utcnow)


class SiteComparisonRow(Base):
    """A run whose site events are stored; without an older run it has none."""

    __tablename__ = "site_comparisons"

    to_job_id: Mapped[int] = mapped_column(
        ForeignKey("archive_jobs.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    from_job_id: Mapped[int | None]
    compared_at: Mapped[datetime] = mapped_column(default=utcnow)


class SiteEventRow(Base):
    """A page that was removed, moved or unlinked, or a changed template, between two runs of a source."""

    __tablename__ = "site_events"
    __table_args__ = (
        UniqueConstraint("event_key"),
        Index(None, "source_id", "at", "id"),
        Index(None, "to_job_id"),
        Index(None, "at", "id"),
        Index(None, "page"),
        Index(None, "new_page"),
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    event_key: Mapped[str] = mapped_column(String(100))
    source_id: Mapped[int] = mapped_column(ForeignKey("sources.id", ondelete="CASCADE"))
    from_job_id: Mapped[int]
    to_job_id: Mapped[int] = mapped_column(ForeignKey("archive_jobs.id", ondelete="CASCADE"))
    kind: Mapped[str] = mapped_column(String(16))
    page: Mapped[str]
    title: Mapped[str]
    summary: Mapped[str]
    from_snapshot_id: Mapped[int | None] = mapped_column(BigInteger)
    to_snapshot_id: Mapped[int | None] = mapped_column(BigInteger)
    new_page: Mapped[str | None]
    replaces: Mapped[list[Any]] = mapped_column(Json)
    """Snapshots whose change events report the same; feeds and digests leave those out."""
    at: Mapped[datetime]
    """When the newer run ended."""


class WatchSiteEvent(Base):
    """A site event that belongs to a watch."""

    __tablename__ = "watch_site_events"
    __table_args__ = (Index(None, "site_event_id"),)

    watch_id: Mapped[int] = mapped_column(
        ForeignKey("watches.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    site_event_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey("site_events.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
