"""How many requisites of pages a job received; they are fetched before pages."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("archive_jobs", sa.Column("requisites_count", sa.Integer(), nullable=False, server_default="0"))
    # Finished tasks are never claimed again, so that only the others need their new place in the queue.
    op.execute("UPDATE crawl_tasks SET priority = -1 WHERE task_type = 'media' AND status <> 'finished'")


def downgrade() -> None:
    op.execute("UPDATE crawl_tasks SET priority = depth WHERE priority < 0")
    op.drop_column("archive_jobs", "requisites_count")
