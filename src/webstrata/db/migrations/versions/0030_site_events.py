"""Site events: pages removed, moved or unlinked between two runs, and changed templates."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from webstrata.db.types import UtcDateTime

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None

_JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
_BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "site_comparisons",
        sa.Column("to_job_id", sa.Integer(), nullable=False),
        sa.Column("from_job_id", sa.Integer(), nullable=True),
        sa.Column("compared_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["to_job_id"], ["archive_jobs.id"], name=op.f("fk_site_comparisons_to_job_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("to_job_id", name=op.f("pk_site_comparisons")),
    )
    op.create_table(
        "site_events",
        sa.Column("id", _BIG_ID, nullable=False),
        sa.Column("event_key", sa.String(length=100), nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("from_job_id", sa.Integer(), nullable=False),
        sa.Column("to_job_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("page", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("from_snapshot_id", sa.BigInteger(), nullable=True),
        sa.Column("to_snapshot_id", sa.BigInteger(), nullable=True),
        sa.Column("new_page", sa.Text(), nullable=True),
        sa.Column("replaces", _JSON, nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["source_id"], ["sources.id"], name=op.f("fk_site_events_source_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["to_job_id"], ["archive_jobs.id"], name=op.f("fk_site_events_to_job_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_site_events")),
        sa.UniqueConstraint("event_key", name=op.f("uq_site_events_event_key")),
    )
    op.create_index(op.f("ix_site_events_source_id_at_id"), "site_events", ["source_id", "at", "id"], unique=False)
    op.create_index(op.f("ix_site_events_to_job_id"), "site_events", ["to_job_id"], unique=False)


def downgrade() -> None:
    for table in ("site_events", "site_comparisons"):
        op.drop_table(table)
