"""The capture before each snapshot, so that whoever wants to compare them need not look for it."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

_IS_LINKED = sa.text("previous_id IS NOT NULL")

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
    op.create_index(
        "ix_snapshots_with_previous",
        "snapshots",
        ["job_id", "previous_id"],
        sqlite_where=_IS_LINKED,
        postgresql_where=_IS_LINKED,
    )
    op.drop_index(op.f("ix_snapshots_job_id"), "snapshots")
    op.create_index(op.f("ix_snapshots_job_id_id"), "snapshots", ["job_id", "id"])


def downgrade() -> None:
    op.drop_index(op.f("ix_snapshots_job_id_id"), "snapshots")
    op.create_index(op.f("ix_snapshots_job_id"), "snapshots", ["job_id"])
    op.drop_index("ix_snapshots_with_previous", "snapshots")
    op.drop_column("snapshots", "previous_id")
