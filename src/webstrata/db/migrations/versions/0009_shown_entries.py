"""An index of the captures that are usually shown, by their texts: results are counted in it several times as fast."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the index."""
    op.create_index(
        "ix_search_entries_shown",
        "search_entries",
        ["document_id", "page_id", "source_id"],
        sqlite_where=sa.text("status_rank IN (0, 2) AND repeated = 0"),
        postgresql_where=sa.text("(status_rank IN (0, 2) AND repeated = 0) IS TRUE"),
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_index("ix_search_entries_shown", "search_entries")
