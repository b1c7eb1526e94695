"""Schedules of audits."""

import sqlalchemy as sa
from alembic import op

from webstrata.db.types import UtcDateTime

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "audit_schedules",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("mode", sa.String(length=16), nullable=False),
        sa.Column("schedule", sa.Text(), nullable=False),
        sa.Column("paused", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("next_run_at", UtcDateTime(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("last_session_id", sa.String(length=36), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_schedules")),
        sa.UniqueConstraint("url", name=op.f("uq_audit_schedules_url")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_audit_schedules_next_run_at"), "audit_schedules", ["next_run_at"], unique=False)


def downgrade() -> None:
    op.drop_table("audit_schedules")
