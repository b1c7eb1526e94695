"""Watches with their events, and saved searches."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from webstrata.db.types import UtcDateTime

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

_JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    op.create_table(
        "watches",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("scope", sa.String(length=16), nullable=False),
        sa.Column("page", sa.Text(), nullable=False),
        sa.Column("selector", sa.Text(), nullable=True),
        sa.Column("ignored", _JSON, nullable=True),
        sa.Column("min_significance", sa.Double(), nullable=False),
        sa.Column("schedule", sa.Text(), nullable=False),
        sa.Column("paused", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("next_run_at", UtcDateTime(), nullable=False),
        sa.Column("schedule_error", sa.Text(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("first_job_id", sa.Integer(), nullable=True),
        sa.Column("last_job_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["source_id"], ["sources.id"], name=op.f("fk_watches_source_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_watches")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_watches_source_id"), "watches", ["source_id"], unique=False)
    op.create_index(op.f("ix_watches_next_run_at"), "watches", ["next_run_at"], unique=False)
    op.create_table(
        "watch_events",
        sa.Column("watch_id", sa.Integer(), nullable=False),
        sa.Column("to_snapshot_id", sa.BigInteger(), nullable=False),
        sa.Column("significance", sa.Double(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["watch_id"], ["watches.id"], name=op.f("fk_watch_events_watch_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["to_snapshot_id"], ["snapshots.id"], name=op.f("fk_watch_events_to_snapshot_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("watch_id", "to_snapshot_id", name=op.f("pk_watch_events")),
    )
    op.create_index(op.f("ix_watch_events_to_snapshot_id"), "watch_events", ["to_snapshot_id"], unique=False)
    op.create_table(
        "saved_searches",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("parameters", _JSON, nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_saved_searches")),
        sa.UniqueConstraint("name", name=op.f("uq_saved_searches_name")),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    for table in ("saved_searches", "watch_events", "watches"):
        op.drop_table(table)
