"""What indexing, schedules and the care of folders keep: problems, links and signals, blocks, registry entries."""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from webstrata.db.types import UtcDateTime

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
_BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _columns() -> dict[str, tuple[sa.Column[Any], ...]]:
    return {
        "sources": (
            sa.Column("job_config", _JSON, nullable=True),
            sa.Column("schedule", sa.Text(), nullable=True),
            sa.Column("schedule_paused", sa.Boolean(), nullable=False, server_default=sa.false()),
            sa.Column("next_run_at", UtcDateTime(), nullable=True),
            sa.Column("schedule_error", sa.Text(), nullable=True),
            sa.Column("page_parameters", _JSON, nullable=True),
            sa.Column("group_version", sa.Integer(), nullable=False, server_default="1"),
        ),
        "archive_jobs": (
            sa.Column("index_lease_owner", sa.Text(), nullable=True),
            sa.Column("index_lease_token", sa.Text(), nullable=True),
            sa.Column("index_lease_expires_at", UtcDateTime(), nullable=True),
            sa.Column("index_problem_count", sa.Integer(), nullable=False, server_default="0"),
            sa.Column("output_device", sa.Text(), nullable=True),
            sa.Column("pause_count", sa.Integer(), nullable=False, server_default="0"),
        ),
        "warc_files": (
            sa.Column("index_version", sa.Integer(), nullable=False, server_default="0"),
            sa.Column("problem_count", sa.Integer(), nullable=False, server_default="0"),
        ),
        "documents": (
            sa.Column("blocks", sa.Text(), nullable=True),
            sa.Column("fingerprint", sa.BigInteger(), nullable=True),
        ),
        "snapshots": (sa.Column("outlinks_from", sa.BigInteger(), nullable=True),),
    }


def upgrade() -> None:
    """Add the columns and the tables."""
    for table, columns in _columns().items():
        for column in columns:
            op.add_column(table, column)
    op.create_table(
        "record_problems",
        sa.Column("id", _BIG_ID, nullable=False),
        sa.Column("job_id", sa.Integer(), nullable=False),
        sa.Column("warc_file_id", sa.Integer(), nullable=False),
        sa.Column("warc_offset", sa.BigInteger(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["job_id"], ["archive_jobs.id"], name=op.f("fk_record_problems_job_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["warc_file_id"], ["warc_files.id"], name=op.f("fk_record_problems_warc_file_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_record_problems")),
        sa.UniqueConstraint("warc_file_id", "warc_offset", name=op.f("uq_record_problems_warc_file_id_warc_offset")),
    )
    op.create_index(op.f("ix_record_problems_job_id"), "record_problems", ["job_id"])
    sharing = sa.text("outlinks_from <> id")
    op.create_index(
        "ix_snapshots_sharing_outlinks",
        "snapshots",
        ["outlinks_from"],
        sqlite_where=sharing,
        postgresql_where=sharing,
    )
    op.create_table(
        "snapshot_outlinks",
        sa.Column("snapshot_id", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("target_id", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.PrimaryKeyConstraint("snapshot_id", "target_id", name=op.f("pk_snapshot_outlinks")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "page_signals",
        sa.Column("id", _BIG_ID, nullable=False),
        sa.Column("normalized_url_group", sa.Text(), nullable=False),
        sa.Column("snapshot_id", sa.BigInteger(), nullable=True),
        sa.Column("inlink_count", sa.Integer(), nullable=False),
        sa.Column("outlink_count", sa.Integer(), nullable=False),
        sa.Column("pagerank", sa.Double(), nullable=False),
        sa.Column("rank_mass", sa.Double(), nullable=False),
        sa.Column("rank_residual", sa.Double(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_page_signals")),
        sa.UniqueConstraint("normalized_url_group", name=op.f("uq_page_signals_normalized_url_group")),
    )
    op.create_index(op.f("ix_page_signals_snapshot_id"), "page_signals", ["snapshot_id"])
    if op.get_bind().dialect.name == "sqlite":
        _quicken_fts5()


def downgrade() -> None:
    """Drop them: all can be made again from the WARCs, but for schedules and registry entries."""
    op.drop_index("ix_snapshots_sharing_outlinks", "snapshots")
    for table in ("page_signals", "snapshot_outlinks", "record_problems"):
        op.drop_table(table)
    for table, columns in _columns().items():
        for column in reversed(columns):
            op.drop_column(table, column.name)


def _quicken_fts5() -> None:
    """Make the full-text index cheap to write: half of the time a page takes to be stored went there.

    An index of first letters doubled it; words are found by their beginning without one, too, in some milliseconds.
    Where there are documents already, their index keeps it: it says the same.
    """
    if op.get_bind().scalar(sa.text("SELECT count(*) FROM (SELECT 1 FROM documents LIMIT 1)")) == 0:
        op.execute("DROP TABLE documents_fts")
        op.execute(
            "CREATE VIRTUAL TABLE documents_fts USING fts5(title, normalized_url_group, text, content='',"
            " tokenize='unicode61 remove_diacritics 2')"
        )
    # A batch of the indexer fits into memory whole (1 MB is usual) and is merged with others less often (4 are usual).
    op.execute("INSERT INTO documents_fts(documents_fts, rank) VALUES ('hashsize', 33554432)")
    op.execute("INSERT INTO documents_fts(documents_fts, rank) VALUES ('automerge', 8)")
