"""Sources, jobs, tasks, WARC files, captures, snapshots, documents, pages and the full-text index."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from webstrata.db.types import UtcDateTime

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    """Create everything."""
    op.create_table(
        "documents",
        sa.Column("id", _BIG_ID, nullable=False),
        sa.Column("normalized_url_group", sa.Text(), nullable=False),
        sa.Column("text_hash", sa.String(length=32), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_documents")),
        sa.UniqueConstraint(
            "normalized_url_group", "text_hash", name=op.f("uq_documents_normalized_url_group_text_hash")
        ),
    )
    op.create_table(
        "sources",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("code", sa.String(length=64), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("base_url", sa.Text(), nullable=True),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sources")),
        sa.UniqueConstraint("code", name=op.f("uq_sources_code")),
    )
    op.create_table(
        "archive_jobs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("output_dir", sa.Text(), nullable=False),
        sa.Column("status", sa.String(length=32), nullable=False),
        sa.Column("status_reason", sa.Text(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.Column("queued_at", UtcDateTime(), nullable=True),
        sa.Column("not_before", UtcDateTime(), nullable=True),
        sa.Column("started_at", UtcDateTime(), nullable=True),
        sa.Column("finished_at", UtcDateTime(), nullable=True),
        sa.Column("retry_count", sa.Integer(), nullable=False),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("lease_token", sa.Text(), nullable=True),
        sa.Column("lease_expires_at", UtcDateTime(), nullable=True),
        sa.Column("config", _JSON, nullable=True),
        sa.Column("crawler_exit_code", sa.Integer(), nullable=True),
        sa.Column("crawler_status", sa.Text(), nullable=True),
        sa.Column("crawler_stage", sa.Text(), nullable=True),
        sa.Column("last_stats_json", _JSON, nullable=True),
        sa.Column("pages_crawled", sa.Integer(), nullable=True),
        sa.Column("pages_total", sa.Integer(), nullable=True),
        sa.Column("pages_failed", sa.Integer(), nullable=True),
        sa.Column("warc_file_count", sa.Integer(), nullable=False),
        sa.Column("indexed_page_count", sa.Integer(), nullable=False),
        sa.Column("warc_bytes_total", sa.BigInteger(), nullable=True),
        sa.Column("output_bytes_total", sa.BigInteger(), nullable=True),
        sa.Column("tmp_bytes_total", sa.BigInteger(), nullable=True),
        sa.Column("tmp_non_warc_bytes_total", sa.BigInteger(), nullable=True),
        sa.Column("storage_scanned_at", UtcDateTime(), nullable=True),
        sa.Column("final_zim_path", sa.Text(), nullable=True),
        sa.Column("combined_log_path", sa.Text(), nullable=True),
        sa.Column("state_file_path", sa.Text(), nullable=True),
        sa.Column("cleanup_status", sa.String(length=32), nullable=False),
        sa.Column("cleaned_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["source_id"], ["sources.id"], name=op.f("fk_archive_jobs_source_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_archive_jobs")),
    )
    op.create_index(op.f("ix_archive_jobs_source_id"), "archive_jobs", ["source_id"], unique=False)
    op.create_index(op.f("ix_archive_jobs_status_queued_at"), "archive_jobs", ["status", "queued_at"], unique=False)
    op.create_table(
        "pages",
        sa.Column("id", _BIG_ID, nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("normalized_url_group", sa.Text(), nullable=False),
        sa.Column("first_capture_timestamp", UtcDateTime(), nullable=False),
        sa.Column("last_capture_timestamp", UtcDateTime(), nullable=False),
        sa.Column("snapshot_count", sa.Integer(), nullable=False),
        sa.Column("latest_snapshot_id", sa.BigInteger(), nullable=False),
        sa.Column("latest_ok_snapshot_id", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["source_id"], ["sources.id"], name=op.f("fk_pages_source_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pages")),
        sa.UniqueConstraint("source_id", "normalized_url_group", name=op.f("uq_pages_source_id_normalized_url_group")),
    )
    op.create_index(op.f("ix_pages_last_capture_timestamp"), "pages", ["last_capture_timestamp"], unique=False)
    op.create_table(
        "crawl_tasks",
        sa.Column("id", _BIG_ID, nullable=False),
        sa.Column("job_id", sa.Integer(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("url_key", sa.String(length=32), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("depth", sa.Integer(), nullable=False),
        sa.Column("task_type", sa.String(length=16), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("attempt_count", sa.Integer(), nullable=False),
        sa.Column("reclaim_count", sa.Integer(), nullable=False),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("lease_token", sa.Text(), nullable=True),
        sa.Column("lease_expires_at", UtcDateTime(), nullable=True),
        sa.Column("next_run_at", UtcDateTime(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["job_id"], ["archive_jobs.id"], name=op.f("fk_crawl_tasks_job_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_crawl_tasks")),
        sa.UniqueConstraint("job_id", "url_key", name=op.f("uq_crawl_tasks_job_id_url_key")),
    )
    op.create_index("ix_crawl_tasks_claim", "crawl_tasks", ["job_id", "status", "priority", "id"], unique=False)
    op.create_table(
        "warc_files",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("job_id", sa.Integer(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("committed_bytes", sa.BigInteger(), nullable=False),
        sa.Column("indexed_bytes", sa.BigInteger(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["archive_jobs.id"], name=op.f("fk_warc_files_job_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_warc_files")),
        sa.UniqueConstraint("path", name=op.f("uq_warc_files_path")),
    )
    op.create_index(op.f("ix_warc_files_job_id"), "warc_files", ["job_id"], unique=False)
    op.create_table(
        "captures",
        sa.Column("id", _BIG_ID, nullable=False),
        sa.Column("job_id", sa.Integer(), nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("warc_file_id", sa.Integer(), nullable=False),
        sa.Column("warc_offset", sa.BigInteger(), nullable=False),
        sa.Column("warc_length", sa.BigInteger(), nullable=False),
        sa.Column("warc_record_id", sa.Text(), nullable=False),
        sa.Column("record_type", sa.String(length=16), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("url_key", sa.Text(), nullable=False),
        sa.Column("capture_timestamp", UtcDateTime(), nullable=False),
        sa.Column("status_code", sa.Integer(), nullable=True),
        sa.Column("mime_type", sa.Text(), nullable=True),
        sa.Column("payload_digest", sa.Text(), nullable=True),
        sa.Column("refers_to", sa.Text(), nullable=True),
        sa.Column("etag", sa.Text(), nullable=True),
        sa.Column("last_modified", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["job_id"], ["archive_jobs.id"], name=op.f("fk_captures_job_id")),
        sa.ForeignKeyConstraint(["source_id"], ["sources.id"], name=op.f("fk_captures_source_id")),
        sa.ForeignKeyConstraint(["warc_file_id"], ["warc_files.id"], name=op.f("fk_captures_warc_file_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_captures")),
        sa.UniqueConstraint("warc_file_id", "warc_offset", name=op.f("uq_captures_warc_file_id_warc_offset")),
    )
    op.create_index(op.f("ix_captures_job_id"), "captures", ["job_id"], unique=False)
    op.create_index(
        op.f("ix_captures_source_id_payload_digest"), "captures", ["source_id", "payload_digest"], unique=False
    )
    op.create_index(op.f("ix_captures_warc_record_id"), "captures", ["warc_record_id"], unique=False)
    op.create_index(
        op.f("ix_captures_url_key_capture_timestamp"), "captures", ["url_key", "capture_timestamp"], unique=False
    )
    op.create_table(
        "snapshots",
        sa.Column("id", _BIG_ID, nullable=False),
        sa.Column("job_id", sa.Integer(), nullable=True),
        sa.Column("source_id", sa.Integer(), nullable=True),
        sa.Column("capture_id", _BIG_ID, nullable=True),
        sa.Column("document_id", _BIG_ID, nullable=True),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("normalized_url_group", sa.Text(), nullable=True),
        sa.Column("capture_timestamp", UtcDateTime(), nullable=False),
        sa.Column("mime_type", sa.Text(), nullable=True),
        sa.Column("status_code", sa.Integer(), nullable=True),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("snippet", sa.Text(), nullable=True),
        sa.Column("language", sa.Text(), nullable=True),
        sa.Column("warc_path", sa.Text(), nullable=False),
        sa.Column("warc_record_id", sa.Text(), nullable=True),
        sa.Column("warc_offset", sa.BigInteger(), nullable=True),
        sa.Column("warc_length", sa.BigInteger(), nullable=True),
        sa.Column("raw_snapshot_path", sa.Text(), nullable=True),
        sa.Column("content_hash", sa.String(length=64), nullable=True),
        sa.ForeignKeyConstraint(["capture_id"], ["captures.id"], name=op.f("fk_snapshots_capture_id")),
        sa.ForeignKeyConstraint(["document_id"], ["documents.id"], name=op.f("fk_snapshots_document_id")),
        sa.ForeignKeyConstraint(["job_id"], ["archive_jobs.id"], name=op.f("fk_snapshots_job_id")),
        sa.ForeignKeyConstraint(["source_id"], ["sources.id"], name=op.f("fk_snapshots_source_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_snapshots")),
        sa.UniqueConstraint("capture_id", name=op.f("uq_snapshots_capture_id")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_snapshots_capture_timestamp_id"), "snapshots", ["capture_timestamp", "id"], unique=False)
    op.create_index(op.f("ix_snapshots_document_id"), "snapshots", ["document_id"], unique=False)
    op.create_index(op.f("ix_snapshots_job_id"), "snapshots", ["job_id"], unique=False)
    op.create_index(
        op.f("ix_snapshots_normalized_url_group_capture_timestamp"),
        "snapshots",
        ["normalized_url_group", "capture_timestamp"],
        unique=False,
    )
    op.create_index(
        op.f("ix_snapshots_source_id_capture_timestamp"), "snapshots", ["source_id", "capture_timestamp"], unique=False
    )
    if op.get_bind().dialect.name == "sqlite":
        _create_fts5()
    else:
        _create_search_vector()


def downgrade() -> None:
    """Drop everything."""
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TABLE documents_fts")

    op.drop_index(op.f("ix_snapshots_source_id_capture_timestamp"), table_name="snapshots")
    op.drop_index(op.f("ix_snapshots_normalized_url_group_capture_timestamp"), table_name="snapshots")
    op.drop_index(op.f("ix_snapshots_job_id"), table_name="snapshots")
    op.drop_index(op.f("ix_snapshots_document_id"), table_name="snapshots")
    op.drop_index(op.f("ix_snapshots_capture_timestamp_id"), table_name="snapshots")
    op.drop_table("snapshots")
    op.drop_index(op.f("ix_captures_url_key_capture_timestamp"), table_name="captures")
    op.drop_index(op.f("ix_captures_warc_record_id"), table_name="captures")
    op.drop_index(op.f("ix_captures_source_id_payload_digest"), table_name="captures")
    op.drop_index(op.f("ix_captures_job_id"), table_name="captures")
    op.drop_table("captures")
    op.drop_index(op.f("ix_warc_files_job_id"), table_name="warc_files")
    op.drop_table("warc_files")
    op.drop_index("ix_crawl_tasks_claim", table_name="crawl_tasks")
    op.drop_table("crawl_tasks")
    op.drop_index(op.f("ix_pages_last_capture_timestamp"), table_name="pages")
    op.drop_table("pages")
    op.drop_index(op.f("ix_archive_jobs_status_queued_at"), table_name="archive_jobs")
    op.drop_index(op.f("ix_archive_jobs_source_id"), table_name="archive_jobs")
    op.drop_table("archive_jobs")
    op.drop_table("sources")
    op.drop_table("documents")


def _create_fts5() -> None:
    """The words of a document, already folded by the program; the texts stay in their own table."""
    op.execute(
        "CREATE VIRTUAL TABLE documents_fts USING fts5(title, normalized_url_group, text, content='',"
        " tokenize='unicode61 remove_diacritics 2', prefix='3')"
    )


def _create_search_vector() -> None:
    """The words of a document, already folded by the program."""
    op.add_column("documents", sa.Column("search_vector", postgresql.TSVECTOR(), nullable=False))
    op.create_index("ix_documents_search_vector", "documents", ["search_vector"], postgresql_using="gin")
