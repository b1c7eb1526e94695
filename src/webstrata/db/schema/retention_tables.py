"""Tables of retention: policies, passes, legal holds, tombstones, and the artifacts of audits."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Double, ForeignKey, Index, Integer, String
from sqlalchemy.orm import Mapped, mapped_column

import webstrata.db.schema.tables  # noqa: F401 - foreign keys refer to its tables
from webstrata.db.schema.base import Base, BigId, utcnow


class RetentionPolicyRow(Base):
    """The TTL of a collection, where it differs from the default."""

    __tablename__ = "retention_policies"

    collection: Mapped[str] = mapped_column(String(64), primary_key=True)
    ttl_days: Mapped[Any] = mapped_column(Integer)
    """May have any value, as an administrator may have written it by hand; validated when it is read."""
    updated_at: Mapped[datetime] = mapped_column(default=utcnow, onupdate=utcnow)


class RetentionRun(Base):
    """One pass of the retention engine that deleted, or failed to."""

    __tablename__ = "retention_runs"
    __table_args__ = (Index(None, "created_at"),)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    created_at: Mapped[datetime] = mapped_column(default=utcnow)
    trigger: Mapped[str] = mapped_column(String(16))
    seconds: Mapped[float] = mapped_column(Double)
    results: Mapped[dict[str, Any] | None]
    error: Mapped[str | None]


class RetentionPermit(Base):
    """The time when any process last began a kind of pass; taken with one conditional update."""

    __tablename__ = "retention_permits"

    name: Mapped[str] = mapped_column(String(32), primary_key=True)
    taken_at: Mapped[datetime]


class LegalHold(Base):
    """An order to keep everything of a source, a page, a snapshot or an audit session."""

    __tablename__ = "legal_holds"
    __table_args__ = (Index(None, "source_id"), Index(None, "snapshot_id"))

    id: Mapped[int] = mapped_column(primary_key=True)
    scope: Mapped[str] = mapped_column(String(16))
    """source, page, snapshot or audit."""
    source_id: Mapped[int | None] = mapped_column(ForeignKey("sources.id", ondelete="CASCADE"))
    normalized_url_group: Mapped[str | None]
    snapshot_id: Mapped[int | None] = mapped_column(BigInteger)
    session_id: Mapped[str | None] = mapped_column(String(36))
    """The audit session whose artifacts must stay."""
    reason: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(default=utcnow)
    created_by: Mapped[str]
    released_at: Mapped[datetime | None]
    released_by: Mapped[str | None]


class Tombstone(Base):
    """The record of a deleted or withheld snapshot: its id, its digest, the reason and the time."""

    __tablename__ = "tombstones"
    __table_args__ = (Index(None, "warc_filename", "warc_offset"), Index(None, "captured_at", "warc_record_id"))

    snapshot_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    job_id: Mapped[int | None]
    source_code: Mapped[str | None]
    url: Mapped[str]
    captured_at: Mapped[datetime]
    digest: Mapped[str | None]
    warc_filename: Mapped[str]
    warc_offset: Mapped[int | None] = mapped_column(BigInteger)
    warc_record_id: Mapped[str | None]
    reason: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(default=utcnow)
    created_by: Mapped[str]


class Artifact(Base):
    """A file that an audit stored as evidence; the row stays when the file is deleted."""

    __tablename__ = "artifacts"
    __table_args__ = (
        Index(None, "type", "deleted_at", "retention_until"),
        Index(None, "session_id"),
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    session_id: Mapped[str] = mapped_column(String(36))
    page_id: Mapped[str | None] = mapped_column(String(36))
    type: Mapped[str] = mapped_column(String(32))
    storage_uri: Mapped[str]
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    checksum: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[datetime] = mapped_column(default=utcnow)
    retention_until: Mapped[datetime | None]
    deleted_at: Mapped[datetime | None]
    cleanup_failed_at: Mapped[datetime | None]
    """When deleting its file last failed; it is tried again after the others."""
