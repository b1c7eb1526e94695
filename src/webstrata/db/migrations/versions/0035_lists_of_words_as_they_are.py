"""On PostgreSQL the documents' lists of words are stored as they are, from now on.

Migration 0033 set this, and then changed the type of the column, which resets it. Lists that were compressed stay so.
"""

from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Store new lists without trying to compress them."""
    _set_storage("EXTERNAL")


def downgrade() -> None:
    """Compress new lists, as version 0034 did."""
    _set_storage("EXTENDED")


def _set_storage(storage: str) -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute(f"ALTER TABLE documents ALTER search_vector SET STORAGE {storage}")
