"""An index that holds all of a job that is counted for monitoring: scrapes need not read the jobs themselves."""

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(
        "ix_archive_jobs_numbers",
        "archive_jobs",
        ["source_id", "status", "cleanup_status", "pages_crawled", "pages_failed"],
    )


def downgrade() -> None:
    op.drop_index("ix_archive_jobs_numbers", "archive_jobs")
