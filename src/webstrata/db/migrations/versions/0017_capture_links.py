"""The links of captured pages: filled by crawls, so that an unchanged page need not be read again."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "capture_links",
        sa.Column("warc_file_id", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("warc_offset", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("url_hash", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("packed", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["warc_file_id", "warc_offset"],
            ["captures.warc_file_id", "captures.warc_offset"],
            name="fk_capture_links_capture",
            ondelete="CASCADE",
        ),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    op.drop_table("capture_links")
