"""Where a capture's time comes from when its record's own date cannot be read."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; of what is there, every date could be read."""
    op.add_column("captures", sa.Column("date_source", sa.String(8)))


def downgrade() -> None:
    """Drop it."""
    op.drop_column("captures", "date_source")
