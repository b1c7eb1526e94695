"""Where the bytes of assets are that need no file: in a document, in a capture, or here."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

_PLACES = ("document_id", "capture_id")


def upgrade() -> None:
    op.add_column("asset_blobs", sa.Column("content", sa.LargeBinary(), nullable=True))
    for place in _PLACES:
        op.add_column("asset_blobs", sa.Column(place, sa.BigInteger(), nullable=True))
        is_given = sa.text(f"{place} IS NOT NULL")
        op.create_index(
            f"ix_asset_blobs_{place}", "asset_blobs", [place], sqlite_where=is_given, postgresql_where=is_given
        )


def downgrade() -> None:
    for place in _PLACES:
        op.drop_index(f"ix_asset_blobs_{place}", "asset_blobs")
        op.drop_column("asset_blobs", place)
    op.drop_column("asset_blobs", "content")
