"""What the public and its operators leave behind: reports, usage, the audit log; and each source's totals, kept."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from webstrata.db.types import UtcDateTime

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
_BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

# A source's totals are its pages', added up; its newest snapshot is that of its newest page.
_FILL_TOTALS = """
INSERT INTO source_totals (source_id, snapshot_count, page_count, first_capture_timestamp, last_capture_timestamp,
                           latest_snapshot_id, updated_at)
SELECT counted.source_id, counted.snapshots, counted.pages, counted.first, counted.last,
       (SELECT max(newest.latest_snapshot_id) FROM pages newest
        WHERE newest.source_id = counted.source_id AND newest.last_capture_timestamp = counted.last),
       CURRENT_TIMESTAMP
FROM (SELECT source_id, sum(snapshot_count) AS snapshots, count(*) AS pages,
             min(first_capture_timestamp) AS first, max(last_capture_timestamp) AS last
      FROM pages GROUP BY source_id) counted
"""


def upgrade() -> None:
    """Add the tables, and add up what is there."""
    op.create_table(
        "issue_reports",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("category", sa.String(32), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("snapshot_id", sa.BigInteger(), nullable=True),
        sa.Column("original_url", sa.Text(), nullable=True),
        sa.Column("reporter_email", sa.Text(), nullable=True),
        sa.Column("page_url", sa.Text(), nullable=True),
        sa.Column("status", sa.String(32), nullable=False, server_default="new"),
        sa.Column("internal_notes", sa.Text(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_issue_reports")),
    )
    op.create_index(op.f("ix_issue_reports_status_id"), "issue_reports", ["status", "id"])
    op.create_table(
        "usage_metrics",
        sa.Column("metric_date", sa.Date(), nullable=False),
        sa.Column("event", sa.String(64), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("metric_date", "event", name=op.f("pk_usage_metrics")),
    )
    op.create_table(
        "audit_log",
        sa.Column("id", _BIG_ID, nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("details", _JSON, nullable=True),
        sa.Column("request_id", sa.Text(), nullable=True),
        sa.Column("client", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_log")),
    )
    op.create_index(op.f("ix_audit_log_target_id"), "audit_log", ["target", "id"])
    op.create_index(op.f("ix_audit_log_at"), "audit_log", ["at"])
    op.create_table(
        "operation_counts",
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_operation_counts")),
    )
    op.create_table(
        "source_totals",
        sa.Column("source_id", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("snapshot_count", sa.BigInteger(), nullable=False),
        sa.Column("page_count", sa.BigInteger(), nullable=False),
        sa.Column("first_capture_timestamp", UtcDateTime(), nullable=True),
        sa.Column("last_capture_timestamp", UtcDateTime(), nullable=True),
        sa.Column("latest_snapshot_id", sa.BigInteger(), nullable=True),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["source_id"], ["sources.id"], name=op.f("fk_source_totals_source_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("source_id", name=op.f("pk_source_totals")),
    )
    op.execute(_FILL_TOTALS)
    op.create_index(op.f("ix_snapshots_job_id_capture_timestamp"), "snapshots", ["job_id", "capture_timestamp"])


def downgrade() -> None:
    """Drop the tables; reports, usage and the audit log are lost with them."""
    op.drop_index(op.f("ix_snapshots_job_id_capture_timestamp"), "snapshots")
    for table in ("source_totals", "operation_counts", "audit_log", "usage_metrics", "issue_reports"):
        op.drop_table(table)
