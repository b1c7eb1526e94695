"""The capture before each snapshot, and indexes for queries that read whole tables."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

_DROPPED = (
    ("ix_snapshots_job_id", "snapshots", ["job_id"]),
    ("ix_snapshots_source_id_capture_timestamp", "snapshots", ["source_id", "capture_timestamp"]),
    ("ix_captures_source_id_payload_digest", "captures", ["source_id", "payload_digest"]),
    ("ix_archive_jobs_source_id", "archive_jobs", ["source_id"]),
)
_CREATED = (
    ("ix_snapshots_job_id_id", "snapshots", ["job_id", "id"], None),
    ("ix_snapshots_source_id_capture_timestamp_id", "snapshots", ["source_id", "capture_timestamp", "id"], None),
    ("ix_snapshots_with_previous", "snapshots", ["job_id", "previous_id"], "previous_id IS NOT NULL"),
    (
        "ix_captures_source_id_payload_digest_record_type",
        "captures",
        ["source_id", "payload_digest", "record_type"],
        None,
    ),
    ("ix_captures_refers_to", "captures", ["refers_to"], "refers_to IS NOT NULL"),
    ("ix_archive_jobs_source_id_id", "archive_jobs", ["source_id", "id"], None),
    ("ix_archive_jobs_status_id", "archive_jobs", ["status", "id"], None),
    ("ix_archive_jobs_output_dir", "archive_jobs", ["output_dir"], None),
    ("ix_archive_jobs_leases", "archive_jobs", ["lease_expires_at"], "lease_expires_at IS NOT NULL"),
    ("ix_warc_files_indexed", "warc_files", ["index_version", "job_id"], "indexed_bytes > 0"),
    ("ix_audit_log_actor_id", "audit_log", ["actor", "id"], None),
    ("ix_audit_log_action_id", "audit_log", ["action", "id"], None),
)

# CROSS JOIN has SQLite go this way: from the captures of an address, newest first, to their snapshots.
_LINK = """
UPDATE snapshots SET previous_id = (
    SELECT s.id FROM captures own CROSS JOIN captures c CROSS JOIN snapshots s
    WHERE own.id = snapshots.capture_id AND c.url_key = own.url_key AND c.capture_timestamp < own.capture_timestamp
      AND s.capture_id = c.id AND s.source_id = snapshots.source_id AND s.url = snapshots.url
      AND s.job_id <> snapshots.job_id
    ORDER BY c.capture_timestamp DESC, s.id DESC LIMIT 1)
WHERE source_id IN (SELECT source_id FROM archive_jobs GROUP BY source_id HAVING count(*) > 1)
"""


def upgrade() -> None:
    op.add_column("snapshots", sa.Column("previous_id", sa.BigInteger(), nullable=True))
    op.execute(_LINK)
    for name, table, _columns in _DROPPED:
        op.drop_index(name, table)
    for name, table, columns, where in _CREATED:
        condition = sa.text(where) if where else None
        op.create_index(name, table, columns, sqlite_where=condition, postgresql_where=condition)


def downgrade() -> None:
    for name, table, _columns, _where in _CREATED:
        op.drop_index(name, table)
    for name, table, columns in _DROPPED:
        op.create_index(name, table, columns)
    op.drop_column("snapshots", "previous_id")
