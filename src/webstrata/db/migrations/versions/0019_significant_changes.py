"""The index of significant changes: few of many, which the home page and feeds show."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

_INDEX = "ix_snapshot_changes_significant"


def upgrade() -> None:
    significant = sa.text("significance >= 0.3")
    op.create_index(
        _INDEX,
        "snapshot_changes",
        ["to_capture_timestamp", "id"],
        sqlite_where=significant,
        postgresql_where=significant,
    )


def downgrade() -> None:
    op.drop_index(_INDEX, "snapshot_changes")
