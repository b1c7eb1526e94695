"""Tables of assets: plugin runs, blobs, assets and their versions."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Index, String, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

import webstrata.db.schema.tables  # noqa: F401 - foreign keys refer to its tables
from webstrata.db.schema.base import Base, BigId, Json, utcnow


class PluginRun(Base):
    """One run of a plugin on a capture, with its result; there is one for each pair."""

    __tablename__ = "plugin_runs"

    capture_id: Mapped[int] = mapped_column(ForeignKey("captures.id", ondelete="CASCADE"), primary_key=True)
    plugin: Mapped[str] = mapped_column(String(64), primary_key=True)
    plugin_version: Mapped[str | None]
    status: Mapped[str] = mapped_column(String(16))
    attempt_count: Mapped[int]
    asset_count: Mapped[int] = mapped_column(default=0)
    error: Mapped[str | None]
    updated_at: Mapped[datetime]


class AssetBlob(Base):
    """The bytes of asset versions, each stored once: in the database, in a WARC file, or in a file of the store."""

    __tablename__ = "asset_blobs"
    __table_args__ = (
        Index(
            None,
            "document_id",
            sqlite_where=text("document_id IS NOT NULL"),
            postgresql_where=text("document_id IS NOT NULL"),
        ),
        Index(
            None,
            "capture_id",
            sqlite_where=text("capture_id IS NOT NULL"),
            postgresql_where=text("capture_id IS NOT NULL"),
        ),
    )

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    size: Mapped[int] = mapped_column(BigInteger)
    created_at: Mapped[datetime] = mapped_column(default=utcnow)
    document_id: Mapped[int | None] = mapped_column(BigInteger)
    """The document from whose title and text `content/page_file.py` makes these bytes."""
    capture_id: Mapped[int | None] = mapped_column(BigInteger)
    """The capture whose body these bytes are."""
    content: Mapped[bytes | None]
    """The bytes, compressed with zlib, if their document was deleted."""


class Asset(Base):
    """Something that a plugin finds in a source, however often it was captured."""

    __tablename__ = "assets"
    __table_args__ = (
        UniqueConstraint("source_id", "plugin", "identifier"),
        Index(None, "source_id", "state"),
        Index(None, "last_seen_job_id"),
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    source_id: Mapped[int] = mapped_column(ForeignKey("sources.id", ondelete="CASCADE"))
    plugin: Mapped[str] = mapped_column(String(64))
    identifier: Mapped[str]
    asset_type: Mapped[str] = mapped_column(String(64))
    source_url: Mapped[str]
    state: Mapped[str] = mapped_column(String(16), default="present")
    version: Mapped[int]
    checksum: Mapped[str]
    first_seen_at: Mapped[datetime]
    last_seen_at: Mapped[datetime]
    last_seen_url: Mapped[str]
    last_seen_job_id: Mapped[int | None] = mapped_column(ForeignKey("archive_jobs.id", ondelete="SET NULL"))
    missing_since: Mapped[datetime | None]


class AssetVersion(Base):
    """An asset as it was from one capture on."""

    __tablename__ = "asset_versions"
    __table_args__ = (
        UniqueConstraint("asset_id", "version"),
        Index(None, "blob_digest"),
        Index(None, "job_id"),
        Index(None, "capture_id"),
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    asset_id: Mapped[int] = mapped_column(ForeignKey("assets.id", ondelete="CASCADE"))
    version: Mapped[int]
    checksum: Mapped[str]
    job_id: Mapped[int | None] = mapped_column(ForeignKey("archive_jobs.id", ondelete="SET NULL"))
    capture_id: Mapped[int | None] = mapped_column(ForeignKey("captures.id", ondelete="SET NULL"))
    captured_at: Mapped[datetime]
    normalized_path: Mapped[str]
    blob_digest: Mapped[str] = mapped_column(ForeignKey("asset_blobs.digest"))
    tags: Mapped[list[str]] = mapped_column(Json)
    metadata_: Mapped[dict[str, Any]] = mapped_column("metadata", Json)
