"""Documents' lists of words a second time on PostgreSQL, where reading them is cheap: for relevance, and for phrases.

Beside its document a list is kept in pieces elsewhere, so that documents lie close together and thousands are found in
no time. To judge one, the pieces have to be looked up: here a list is in one piece, unless it is very long.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TSVECTOR

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_ALMOST_A_PAGE = 8160


def upgrade() -> None:
    """Add the table and fill it."""
    if op.get_bind().dialect.name == "sqlite":
        return
    op.create_table(
        "document_words",
        sa.Column("document_id", sa.BigInteger(), autoincrement=False),
        sa.Column("words", TSVECTOR(), nullable=False),
        sa.PrimaryKeyConstraint("document_id", name="pk_document_words"),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name="fk_document_words_document_id", ondelete="CASCADE"
        ),
    )
    op.execute(f"ALTER TABLE document_words SET (toast_tuple_target = {_ALMOST_A_PAGE})")
    op.execute("ALTER TABLE document_words ALTER words SET STORAGE MAIN")
    op.execute("INSERT INTO document_words SELECT id, search_vector || CAST('' AS tsvector) FROM documents ORDER BY id")


def downgrade() -> None:
    """Drop it."""
    if op.get_bind().dialect.name != "sqlite":
        op.drop_table("document_words")
