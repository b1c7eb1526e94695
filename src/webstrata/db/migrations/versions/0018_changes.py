"""Change tracking: events, what waits for one, templates, leases; and the quality of captures.

Snapshots that are there already get their events from `webstrata compute-changes --backfill`.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from webstrata.db.types import UtcDateTime

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

_JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
_BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_COUNTS = sa.text("change_type <> 'unchanged'")


def upgrade() -> None:
    op.create_table(
        "change_leases",
        sa.Column("source_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("token", sa.String(length=32), nullable=False),
        sa.Column("expires_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["source_id"], ["sources.id"], name=op.f("fk_change_leases_source_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("source_id", name=op.f("pk_change_leases")),
    )
    op.create_table(
        "job_templates",
        sa.Column("job_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("pages", sa.Integer(), nullable=False),
        sa.Column("lines", _JSON, nullable=False),
        sa.ForeignKeyConstraint(
            ["job_id"], ["archive_jobs.id"], name=op.f("fk_job_templates_job_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("job_id", name=op.f("pk_job_templates")),
    )
    op.create_table(
        "template_changes",
        sa.Column("id", _BIG_ID, nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("from_job_id", sa.Integer(), nullable=False),
        sa.Column("to_job_id", sa.Integer(), nullable=False),
        sa.Column("added_lines", _JSON, nullable=False),
        sa.Column("removed_lines", _JSON, nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("pages", sa.Integer(), nullable=False),
        sa.Column("computed_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["from_job_id"], ["archive_jobs.id"], name=op.f("fk_template_changes_from_job_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["source_id"], ["sources.id"], name=op.f("fk_template_changes_source_id")),
        sa.ForeignKeyConstraint(
            ["to_job_id"], ["archive_jobs.id"], name=op.f("fk_template_changes_to_job_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_template_changes")),
        sa.UniqueConstraint("from_job_id", "to_job_id", name=op.f("uq_template_changes_from_job_id_to_job_id")),
    )
    op.create_index(
        op.f("ix_template_changes_source_id_to_job_id"), "template_changes", ["source_id", "to_job_id"], unique=False
    )
    op.create_table(
        "pending_changes",
        sa.Column("snapshot_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("is_announced", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["snapshot_id"], ["snapshots.id"], name=op.f("fk_pending_changes_snapshot_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["source_id"], ["sources.id"], name=op.f("fk_pending_changes_source_id")),
        sa.PrimaryKeyConstraint("snapshot_id", name=op.f("pk_pending_changes")),
    )
    op.create_index(
        op.f("ix_pending_changes_source_id_snapshot_id"), "pending_changes", ["source_id", "snapshot_id"], unique=False
    )
    op.create_table(
        "snapshot_changes",
        sa.Column("id", _BIG_ID, nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("normalized_url_group", sa.Text(), nullable=False),
        sa.Column("from_snapshot_id", _BIG_ID, nullable=True),
        sa.Column("to_snapshot_id", _BIG_ID, nullable=False),
        sa.Column("from_job_id", sa.Integer(), nullable=True),
        sa.Column("to_job_id", sa.Integer(), nullable=True),
        sa.Column("from_capture_timestamp", UtcDateTime(), nullable=True),
        sa.Column("to_capture_timestamp", UtcDateTime(), nullable=False),
        sa.Column("change_type", sa.String(length=16), nullable=False),
        sa.Column("summary", sa.Text(), nullable=True),
        sa.Column("diff_format", sa.String(length=16), nullable=True),
        sa.Column("diff_html", sa.Text(), nullable=True),
        sa.Column("diff_truncated", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("added_sections", sa.Integer(), nullable=True),
        sa.Column("removed_sections", sa.Integer(), nullable=True),
        sa.Column("changed_sections", sa.Integer(), nullable=True),
        sa.Column("added_lines", sa.Integer(), nullable=True),
        sa.Column("removed_lines", sa.Integer(), nullable=True),
        sa.Column("change_ratio", sa.Double(), nullable=True),
        sa.Column("high_noise", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("significance", sa.Double(), server_default="0", nullable=False),
        sa.Column("reasons", _JSON, nullable=True),
        sa.Column("ignored", _JSON, nullable=True),
        sa.Column("template_changed", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("is_announced", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("diff_version", sa.String(length=16), nullable=True),
        sa.Column("normalization_version", sa.String(length=16), nullable=True),
        sa.Column("computed_at", UtcDateTime(), nullable=False),
        sa.Column("computed_by", sa.Text(), nullable=True),
        sa.Column("error_message", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["from_snapshot_id"],
            ["snapshots.id"],
            name=op.f("fk_snapshot_changes_from_snapshot_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(["source_id"], ["sources.id"], name=op.f("fk_snapshot_changes_source_id")),
        sa.ForeignKeyConstraint(
            ["to_snapshot_id"], ["snapshots.id"], name=op.f("fk_snapshot_changes_to_snapshot_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_snapshot_changes")),
    )
    op.create_index("ix_snapshot_changes_from_snapshot_id", "snapshot_changes", ["from_snapshot_id"], unique=False)
    op.create_index(
        "ix_snapshot_changes_newest",
        "snapshot_changes",
        ["to_capture_timestamp", "id"],
        unique=False,
        sqlite_where=_COUNTS,
        postgresql_where=_COUNTS,
    )
    op.create_index("ix_snapshot_changes_of_job", "snapshot_changes", ["to_job_id", "id"], unique=False)
    op.create_index(
        "ix_snapshot_changes_of_source", "snapshot_changes", ["source_id", "to_capture_timestamp", "id"], unique=False
    )
    op.create_index("ix_snapshot_changes_to_snapshot_id", "snapshot_changes", ["to_snapshot_id"], unique=True)
    op.add_column("snapshots", sa.Column("quality", sa.Double(), nullable=True))
    op.add_column("snapshots", sa.Column("quality_kind", sa.String(length=16), nullable=True))


def downgrade() -> None:
    op.drop_column("snapshots", "quality_kind")
    op.drop_column("snapshots", "quality")
    for table in ("snapshot_changes", "pending_changes", "template_changes", "job_templates", "change_leases"):
        op.drop_table(table)
