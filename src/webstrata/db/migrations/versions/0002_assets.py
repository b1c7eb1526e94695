"""Plugin runs, assets, their versions and their blobs."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from webstrata.db.types import UtcDateTime

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    """Create the tables of the assets stage."""
    _create_plugin_runs()
    op.create_table(
        "asset_blobs",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_asset_blobs")),
    )
    _create_assets()
    _create_asset_versions()


def downgrade() -> None:
    """Drop them; the files of the asset store stay behind."""
    op.drop_index(op.f("ix_asset_versions_job_id"), table_name="asset_versions")
    op.drop_index(op.f("ix_asset_versions_capture_id"), table_name="asset_versions")
    op.drop_index(op.f("ix_asset_versions_blob_digest"), table_name="asset_versions")
    op.drop_table("asset_versions")
    op.drop_index(op.f("ix_assets_source_id_state"), table_name="assets")
    op.drop_index(op.f("ix_assets_last_seen_job_id"), table_name="assets")
    op.drop_table("assets")
    op.drop_table("asset_blobs")
    op.drop_table("plugin_runs")


def _create_plugin_runs() -> None:
    op.create_table(
        "plugin_runs",
        sa.Column("capture_id", _BIG_ID, nullable=False),
        sa.Column("plugin", sa.String(length=64), nullable=False),
        sa.Column("plugin_version", sa.Text(), nullable=True),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("attempt_count", sa.Integer(), nullable=False),
        sa.Column("asset_count", sa.Integer(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["capture_id"], ["captures.id"], name=op.f("fk_plugin_runs_capture_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("capture_id", "plugin", name=op.f("pk_plugin_runs")),
    )


def _create_assets() -> None:
    op.create_table(
        "assets",
        sa.Column("id", _BIG_ID, nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("plugin", sa.String(length=64), nullable=False),
        sa.Column("identifier", sa.Text(), nullable=False),
        sa.Column("asset_type", sa.String(length=64), nullable=False),
        sa.Column("source_url", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("checksum", sa.Text(), nullable=False),
        sa.Column("first_seen_at", UtcDateTime(), nullable=False),
        sa.Column("last_seen_at", UtcDateTime(), nullable=False),
        sa.Column("last_seen_url", sa.Text(), nullable=False),
        sa.Column("last_seen_job_id", sa.Integer(), nullable=True),
        sa.Column("missing_since", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["source_id"], ["sources.id"], name=op.f("fk_assets_source_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["last_seen_job_id"], ["archive_jobs.id"], name=op.f("fk_assets_last_seen_job_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_assets")),
        sa.UniqueConstraint("source_id", "plugin", "identifier", name=op.f("uq_assets_source_id_plugin_identifier")),
    )
    op.create_index(op.f("ix_assets_last_seen_job_id"), "assets", ["last_seen_job_id"], unique=False)
    op.create_index(op.f("ix_assets_source_id_state"), "assets", ["source_id", "state"], unique=False)


def _create_asset_versions() -> None:
    op.create_table(
        "asset_versions",
        sa.Column("id", _BIG_ID, nullable=False),
        sa.Column("asset_id", _BIG_ID, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("checksum", sa.Text(), nullable=False),
        sa.Column("job_id", sa.Integer(), nullable=True),
        sa.Column("capture_id", _BIG_ID, nullable=True),
        sa.Column("captured_at", UtcDateTime(), nullable=False),
        sa.Column("normalized_path", sa.Text(), nullable=False),
        sa.Column("blob_digest", sa.String(length=64), nullable=False),
        sa.Column("tags", _JSON, nullable=False),
        sa.Column("metadata", _JSON, nullable=False),
        sa.ForeignKeyConstraint(
            ["asset_id"], ["assets.id"], name=op.f("fk_asset_versions_asset_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["blob_digest"], ["asset_blobs.digest"], name=op.f("fk_asset_versions_blob_digest")),
        sa.ForeignKeyConstraint(
            ["capture_id"], ["captures.id"], name=op.f("fk_asset_versions_capture_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["job_id"], ["archive_jobs.id"], name=op.f("fk_asset_versions_job_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_asset_versions")),
        sa.UniqueConstraint("asset_id", "version", name=op.f("uq_asset_versions_asset_id_version")),
    )
    op.create_index(op.f("ix_asset_versions_blob_digest"), "asset_versions", ["blob_digest"], unique=False)
    op.create_index(op.f("ix_asset_versions_capture_id"), "asset_versions", ["capture_id"], unique=False)
    op.create_index(op.f("ix_asset_versions_job_id"), "asset_versions", ["job_id"], unique=False)
