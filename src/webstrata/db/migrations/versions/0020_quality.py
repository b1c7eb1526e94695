"""The reasons for the quality of captures, and which jobs a tool without tasks of ours crawled here."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("snapshots", sa.Column("quality_reasons", sa.Text(), nullable=True))
    op.add_column(
        "archive_jobs", sa.Column("was_crawled_here", sa.Boolean(), server_default=sa.false(), nullable=False)
    )


def downgrade() -> None:
    op.drop_column("archive_jobs", "was_crawled_here")
    op.drop_column("snapshots", "quality_reasons")
