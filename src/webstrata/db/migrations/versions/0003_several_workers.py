"""What several workers on one job need: whose files, permits and reports are whose, and a way to say stop."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from webstrata.db.types import UtcDateTime

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    """Add the columns and the tables."""
    op.add_column("archive_jobs", sa.Column("stop_requested_at", UtcDateTime(), nullable=True))
    op.add_column("archive_jobs", sa.Column("helpers_welcome", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("archive_jobs", sa.Column("responses_count", sa.Integer(), nullable=False, server_default="0"))
    op.add_column(
        "archive_jobs", sa.Column("response_bytes_total", sa.BigInteger(), nullable=False, server_default="0")
    )
    op.add_column("archive_jobs", sa.Column("sitemaps_read_at", UtcDateTime(), nullable=True))
    op.execute(
        "UPDATE archive_jobs SET responses_count = (SELECT count(*) FROM captures WHERE job_id = archive_jobs.id)"
    )
    op.add_column("warc_files", sa.Column("owner", sa.Text(), nullable=True))
    op.create_index(op.f("ix_warc_files_owner"), "warc_files", ["owner"])
    op.create_table(
        "host_permits",
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("slot", sa.Integer(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("token", sa.Text(), nullable=True),
        sa.Column("free_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("host", "slot", name=op.f("pk_host_permits")),
    )
    op.create_index(op.f("ix_host_permits_free_at"), "host_permits", ["free_at"])
    op.create_table(
        "crawl_reports",
        sa.Column("job_id", sa.Integer(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.Column("report", _JSON, nullable=False),
        sa.ForeignKeyConstraint(
            ["job_id"], ["archive_jobs.id"], name=op.f("fk_crawl_reports_job_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("job_id", "owner", name=op.f("pk_crawl_reports")),
    )


def downgrade() -> None:
    """Drop them: what they hold is of no use to a single worker."""
    op.drop_table("crawl_reports")
    op.drop_index(op.f("ix_host_permits_free_at"), table_name="host_permits")
    op.drop_table("host_permits")
    op.drop_index(op.f("ix_warc_files_owner"), table_name="warc_files")
    op.drop_column("warc_files", "owner")
    op.drop_column("archive_jobs", "sitemaps_read_at")
    op.drop_column("archive_jobs", "response_bytes_total")
    op.drop_column("archive_jobs", "responses_count")
    op.drop_column("archive_jobs", "helpers_welcome")
    op.drop_column("archive_jobs", "stop_requested_at")
