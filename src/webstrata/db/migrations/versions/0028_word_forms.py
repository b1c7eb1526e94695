"""Forms of words by their stems; `db/best_match/stored_forms.py` learns those of texts that are already stored."""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "word_forms",
        sa.Column("word", sa.String(64), nullable=False),
        sa.Column("language", sa.String(2), nullable=False),
        sa.Column("stem", sa.String(40), nullable=False),
        sa.PrimaryKeyConstraint("word", "language", "stem", name="pk_word_forms"),
    )
    op.create_index("ix_word_forms_stem_language_word", "word_forms", ["stem", "language", "word"])
    op.create_table(
        "search_upkeep",
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("last_document_id", sa.BigInteger(), nullable=False),
        sa.Column("until_document_id", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_search_upkeep"),
    )
    op.execute(
        "INSERT INTO search_upkeep (name, last_document_id, until_document_id)"
        " SELECT 'word_forms', 0, coalesce(max(id), 0) FROM documents"
    )


def downgrade() -> None:
    op.drop_table("search_upkeep")
    op.drop_table("word_forms")
