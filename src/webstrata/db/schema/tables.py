"""The tables. Names of classes and columns are part of the product's contract: they do not change."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Double, ForeignKey, Index, String, UniqueConstraint, false, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from webstrata.db.schema.base import Base, BigId, Json, utcnow
from webstrata.db.types import PackedText
from webstrata.model.urls import URL_GROUP_VERSION


class Source(Base):
    """Where captures come from: a site, or a part of one."""

    __tablename__ = "sources"

    id: Mapped[int] = mapped_column(primary_key=True)
    code: Mapped[str] = mapped_column(String(64), unique=True)
    name: Mapped[str]
    base_url: Mapped[str | None]
    description: Mapped[str | None]
    enabled: Mapped[bool] = mapped_column(default=True)
    created_at: Mapped[datetime] = mapped_column(default=utcnow)
    updated_at: Mapped[datetime] = mapped_column(default=utcnow, onupdate=utcnow)

    job_config: Mapped[dict[str, Any] | None]
    """What its jobs are made from: the registry's entry."""
    schedule: Mapped[str | None]
    schedule_paused: Mapped[bool] = mapped_column(default=False, server_default=false())
    next_run_at: Mapped[datetime | None]
    schedule_error: Mapped[str | None]
    """Why its job, which is due, could not be queued."""
    page_parameters: Mapped[list[str] | None] = mapped_column(Json)
    """The query parameters that distinguish its pages."""
    group_version: Mapped[int] = mapped_column(default=URL_GROUP_VERSION, server_default="1")

    jobs: Mapped[list["ArchiveJob"]] = relationship(back_populates="source")
    snapshots: Mapped[list["Snapshot"]] = relationship(back_populates="source")


class ArchiveJob(Base):
    """One archiving of a source; the row is its place in the queue."""

    __tablename__ = "archive_jobs"
    __table_args__ = (
        Index(None, "status", "queued_at"),
        Index(None, "status", "id"),
        Index(None, "source_id", "id"),
        Index(None, "output_dir"),
        Index(
            "ix_archive_jobs_leases",
            "lease_expires_at",
            sqlite_where=text("lease_expires_at IS NOT NULL"),
            postgresql_where=text("lease_expires_at IS NOT NULL"),
        ),
        Index("ix_archive_jobs_numbers", "source_id", "status", "cleanup_status", "pages_crawled", "pages_failed"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    source_id: Mapped[int | None] = mapped_column(ForeignKey("sources.id"))
    name: Mapped[str]
    output_dir: Mapped[str]

    status: Mapped[str] = mapped_column(String(32), default="queued")
    status_reason: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(default=utcnow)
    updated_at: Mapped[datetime] = mapped_column(default=utcnow, onupdate=utcnow)
    queued_at: Mapped[datetime | None]
    not_before: Mapped[datetime | None]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    retry_count: Mapped[int] = mapped_column(default=0)
    pause_count: Mapped[int] = mapped_column(default=0, server_default="0")
    """How often in a row trouble of ours made it rest."""
    lease_owner: Mapped[str | None]
    lease_token: Mapped[str | None]
    lease_expires_at: Mapped[datetime | None]
    stop_requested_at: Mapped[datetime | None]
    sitemaps_read_at: Mapped[datetime | None]
    sitemap_tries: Mapped[int] = mapped_column(default=0, server_default="0")
    helpers_welcome: Mapped[bool] = mapped_column(default=False, server_default=false())
    index_lease_owner: Mapped[str | None]
    index_lease_token: Mapped[str | None]
    index_lease_expires_at: Mapped[datetime | None]
    indexed_at: Mapped[datetime | None]
    was_crawled_here: Mapped[bool] = mapped_column(default=False, server_default=false())
    """Whether an external tool, such as zimit, crawled it: it has no tasks in this database."""

    config: Mapped[dict[str, Any] | None]

    crawler_exit_code: Mapped[int | None]
    crawler_status: Mapped[str | None]
    crawler_stage: Mapped[str | None]
    last_stats_json: Mapped[dict[str, Any] | None]
    pages_crawled: Mapped[int | None]
    pages_total: Mapped[int | None]
    pages_failed: Mapped[int | None]
    responses_count: Mapped[int] = mapped_column(default=0, server_default="0")
    response_bytes_total: Mapped[int] = mapped_column(BigInteger, default=0, server_default="0")
    requisites_count: Mapped[int] = mapped_column(default=0, server_default="0")
    """How many of the responses are requisites of pages."""

    warc_file_count: Mapped[int] = mapped_column(default=0)
    indexed_page_count: Mapped[int] = mapped_column(default=0)
    index_problem_count: Mapped[int] = mapped_column(default=0, server_default="0")
    warc_bytes_total: Mapped[int | None] = mapped_column(BigInteger)
    output_bytes_total: Mapped[int | None] = mapped_column(BigInteger)
    tmp_bytes_total: Mapped[int | None] = mapped_column(BigInteger)
    tmp_non_warc_bytes_total: Mapped[int | None] = mapped_column(BigInteger)
    storage_scanned_at: Mapped[datetime | None]
    output_device: Mapped[str | None]

    final_zim_path: Mapped[str | None]
    combined_log_path: Mapped[str | None]
    state_file_path: Mapped[str | None]
    cleanup_status: Mapped[str] = mapped_column(String(32), default="none")
    cleaned_at: Mapped[datetime | None]

    source: Mapped[Source | None] = relationship(back_populates="jobs")
    snapshots: Mapped[list["Snapshot"]] = relationship(back_populates="job")


class WarcFile(Base):
    """A WARC file of a job and how much of it is acknowledged; bytes after that do not count."""

    __tablename__ = "warc_files"
    __table_args__ = (
        Index(None, "job_id"),
        Index(None, "owner"),
        Index(
            "ix_warc_files_indexed",
            *("index_version", "job_id"),
            sqlite_where=text("indexed_bytes > 0"),
            postgresql_where=text("indexed_bytes > 0"),
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    job_id: Mapped[int] = mapped_column(ForeignKey("archive_jobs.id", ondelete="CASCADE"))
    path: Mapped[str] = mapped_column(unique=True)
    committed_bytes: Mapped[int] = mapped_column(BigInteger, default=0)
    indexed_bytes: Mapped[int] = mapped_column(BigInteger, default=0)
    index_version: Mapped[int] = mapped_column(default=0, server_default="0")
    problem_count: Mapped[int] = mapped_column(default=0, server_default="0")
    owner: Mapped[str | None]
    deleting_since: Mapped[datetime | None]
    """Since when the file is being deleted: no new revisit may refer to its records."""
    created_at: Mapped[datetime] = mapped_column(default=utcnow)


class RecordProblem(Base):
    """A place in a WARC file that could not be read or understood, and why; the records around it are indexed."""

    __tablename__ = "record_problems"
    __table_args__ = (UniqueConstraint("warc_file_id", "warc_offset"), Index(None, "job_id"))

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    job_id: Mapped[int] = mapped_column(ForeignKey("archive_jobs.id", ondelete="CASCADE"))
    warc_file_id: Mapped[int] = mapped_column(ForeignKey("warc_files.id", ondelete="CASCADE"))
    warc_offset: Mapped[int] = mapped_column(BigInteger)
    reason: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(default=utcnow)


class Capture(Base):
    """One record of a WARC file with a response for a URL; the crawl writes it and the index reads it."""

    __tablename__ = "captures"
    __table_args__ = (
        UniqueConstraint("warc_file_id", "warc_offset"),
        Index(None, "url_key", "capture_timestamp"),
        Index(None, "job_id"),
        Index(None, "source_id", "payload_digest", "record_type"),
        Index(
            "ix_captures_refers_to",
            "refers_to",
            sqlite_where=text("refers_to IS NOT NULL"),
            postgresql_where=text("refers_to IS NOT NULL"),
        ),
        Index(None, "warc_record_id"),
        Index(
            "ix_captures_redirects",
            *("job_id", "id"),
            sqlite_where=text("status_code IN (301, 302, 303, 307, 308)"),
            postgresql_where=text("status_code IN (301, 302, 303, 307, 308)"),
        ),
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    job_id: Mapped[int] = mapped_column(ForeignKey("archive_jobs.id"))
    source_id: Mapped[int] = mapped_column(ForeignKey("sources.id"))
    warc_file_id: Mapped[int] = mapped_column(ForeignKey("warc_files.id"))
    warc_offset: Mapped[int] = mapped_column(BigInteger)
    warc_length: Mapped[int] = mapped_column(BigInteger)
    warc_record_id: Mapped[str]
    record_type: Mapped[str] = mapped_column(String(16))
    url: Mapped[str]
    url_key: Mapped[str]
    """`surt` of the URL; PostgreSQL compares it byte by byte (COLLATE "C"), as SQLite does."""
    capture_timestamp: Mapped[datetime]
    status_code: Mapped[int | None]
    mime_type: Mapped[str | None]
    payload_digest: Mapped[str | None]
    refers_to: Mapped[str | None]
    etag: Mapped[str | None]
    last_modified: Mapped[str | None]
    date_source: Mapped[str | None] = mapped_column(String(8))
    """Where the time comes from when the record's own date cannot be read; NULL when it can."""


class Document(Base):
    """A text to be found: stored and indexed once, however often it was captured."""

    __tablename__ = "documents"
    __table_args__ = (UniqueConstraint("normalized_url_group", "text_hash"),)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    normalized_url_group: Mapped[str]
    text_hash: Mapped[str] = mapped_column(String(32))
    title: Mapped[str]
    text: Mapped[str] = mapped_column(PackedText())
    blocks: Mapped[str | None]
    """The kind of each line of the text: a letter a line (see `content/blocks.py`)."""
    regions: Mapped[str | None]
    """The region of the page that each line is in, a letter a line."""
    fingerprint: Mapped[int | None] = mapped_column(BigInteger)


class PageMetadata(Base):
    """What a page states about itself: canonical address, publication date, images, structured data."""

    __tablename__ = "page_metadata"

    content_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    """The page's body, as `snapshots.content_hash` names it."""
    metadata_json: Mapped[bytes]
    """JSON, compressed with zlib."""


class Snapshot(Base):
    """One captured page, for search and display; it is identified by its WARC record."""

    __tablename__ = "snapshots"
    __table_args__ = (
        Index(None, "capture_timestamp", "id"),
        Index(None, "source_id", "capture_timestamp", "id"),
        Index(None, "normalized_url_group", "capture_timestamp"),
        Index(None, "document_id"),
        Index(None, "job_id", "id"),
        Index(None, "job_id", "capture_timestamp"),
        Index(
            "ix_snapshots_sharing_outlinks",
            "outlinks_from",
            sqlite_where=text("outlinks_from <> id"),
            postgresql_where=text("outlinks_from <> id"),
        ),
        Index(
            "ix_snapshots_with_previous",
            *("job_id", "previous_id"),
            sqlite_where=text("previous_id IS NOT NULL"),
            postgresql_where=text("previous_id IS NOT NULL"),
        ),
        # Ids are never reused: otherwise SQLite would reuse the last one after its row was deleted.
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    job_id: Mapped[int | None] = mapped_column(ForeignKey("archive_jobs.id"))
    source_id: Mapped[int | None] = mapped_column(ForeignKey("sources.id"))
    capture_id: Mapped[int | None] = mapped_column(ForeignKey("captures.id"), unique=True)
    document_id: Mapped[int | None] = mapped_column(ForeignKey("documents.id"))

    url: Mapped[str]
    normalized_url_group: Mapped[str | None]
    capture_timestamp: Mapped[datetime]
    mime_type: Mapped[str | None]
    status_code: Mapped[int | None]
    title: Mapped[str | None]
    snippet: Mapped[str | None]
    language: Mapped[str | None]

    warc_path: Mapped[str]
    warc_record_id: Mapped[str | None]
    warc_offset: Mapped[int | None] = mapped_column(BigInteger)
    warc_length: Mapped[int | None] = mapped_column(BigInteger)
    raw_snapshot_path: Mapped[str | None]
    content_hash: Mapped[str | None] = mapped_column(String(64))
    quality: Mapped[float | None] = mapped_column(Double)
    """1 for a good capture, 0 for a worthless one; None when an earlier version indexed it."""
    quality_kind: Mapped[str | None] = mapped_column(String(16))
    """What the capture is: a page, an error, a block page, a soft 404, …"""
    quality_reasons: Mapped[str | None]
    """Why its quality is below 1, a sentence a line."""
    outlinks_from: Mapped[int | None] = mapped_column(BigInteger)
    """The snapshot of the same page under which its links are stored: itself, or the last one with the same links."""
    previous_id: Mapped[int | None] = mapped_column(BigInteger)
    """The last capture of the same URL before this one by another job of its source."""

    job: Mapped[ArchiveJob | None] = relationship(back_populates="snapshots")
    source: Mapped[Source | None] = relationship(back_populates="snapshots")


class Page(Base):
    """All captures of one page of a source, counted."""

    __tablename__ = "pages"
    __table_args__ = (
        UniqueConstraint("source_id", "normalized_url_group"),
        Index(None, "last_capture_timestamp"),
        Index("ix_pages_newest", "latest_ok_timestamp", "latest_ok_snapshot_id", "source_id"),
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    source_id: Mapped[int] = mapped_column(ForeignKey("sources.id"))
    normalized_url_group: Mapped[str]
    first_capture_timestamp: Mapped[datetime]
    last_capture_timestamp: Mapped[datetime]
    snapshot_count: Mapped[int]
    latest_snapshot_id: Mapped[int] = mapped_column(BigInteger)
    latest_ok_snapshot_id: Mapped[int | None] = mapped_column(BigInteger)
    latest_ok_timestamp: Mapped[datetime | None]
