"""Replay checks of jobs."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from webstrata.db.types import UtcDateTime

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None

_JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    op.create_table(
        "replay_checks",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("job_id", sa.Integer(), nullable=False),
        sa.Column("checked_at", UtcDateTime(), nullable=False),
        sa.Column("pages", sa.Integer(), nullable=False),
        sa.Column("requests", sa.Integer(), nullable=False),
        sa.Column("failed_requests", sa.Integer(), nullable=False),
        sa.Column("text_similarity", sa.Double(), nullable=False),
        sa.Column("score", sa.Double(), nullable=False),
        sa.Column("details", _JSON, nullable=False),
        sa.ForeignKeyConstraint(
            ["job_id"], ["archive_jobs.id"], name=op.f("fk_replay_checks_job_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_replay_checks")),
    )
    op.create_index(op.f("ix_replay_checks_job_id_id"), "replay_checks", ["job_id", "id"], unique=False)


def downgrade() -> None:
    op.drop_table("replay_checks")
