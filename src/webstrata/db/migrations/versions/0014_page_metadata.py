"""The region of every line of a text, and what pages state about themselves: filled when jobs are indexed again."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("documents", sa.Column("regions", sa.Text(), nullable=True))
    op.create_table(
        "page_metadata",
        sa.Column("content_hash", sa.String(64), primary_key=True),
        sa.Column("metadata_json", sa.LargeBinary(), nullable=False),
    )


def downgrade() -> None:
    op.drop_table("page_metadata")
    op.drop_column("documents", "regions")
