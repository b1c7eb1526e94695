"""What a run that did not end well leaves: URLs that may be had later, tries at sitemaps, the moment of its index."""

import sqlalchemy as sa
from alembic import op

from webstrata.db.types import UtcDateTime

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns."""
    op.add_column("crawl_tasks", sa.Column("may_retry", sa.Boolean(), server_default=sa.true(), nullable=False))
    op.add_column("archive_jobs", sa.Column("indexed_at", UtcDateTime(), nullable=True))
    op.add_column("archive_jobs", sa.Column("sitemap_tries", sa.Integer(), server_default="0", nullable=False))


def downgrade() -> None:
    """Drop them."""
    op.drop_column("archive_jobs", "sitemap_tries")
    op.drop_column("archive_jobs", "indexed_at")
    op.drop_column("crawl_tasks", "may_retry")
