"""Smaller full-text indexes, and indexes for what was looked for in whole tables.

On PostgreSQL the documents' lists of words are stored once, as they are. They were stored twice: compressed for the
index, and again to be read. A list hardly gets smaller: to compress it takes as long as all the rest of storing it.

On SQLite the text is the index's first column. In every other column each word of each document takes two bytes more,
to name the column, which is a third of the index.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TSVECTOR

from webstrata.db.captures.packed_text import unpacked
from webstrata.db.search.indexed_words import NewDocument, folded_parts

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None

_PAGES = "ix_listings_normalized_url_group"
_URLS = "ix_listings_url"
_LEASES = "ix_audit_sessions_leases"
_IS_LEASED = sa.text("lease_token IS NOT NULL")
_ALMOST_A_PAGE = 8160
_BATCH = 400
# Put together with nothing, a list is no longer compressed, and the table is written anew.
_WRITE_ANEW = (
    "ALTER TABLE documents ALTER COLUMN search_vector TYPE tsvector USING search_vector || CAST('' AS tsvector)"
)
_SOME_DOCUMENTS = sa.text(
    "SELECT id, normalized_url_group, title, text FROM documents WHERE id > :last ORDER BY id LIMIT :most"
)
_INDEX_WORDS = "INSERT INTO documents_fts(rowid, title, normalized_url_group, text) VALUES (?, ?, ?, ?)"


def upgrade() -> None:
    """Write both full-text indexes anew, and add the others."""
    op.create_index(_PAGES, "listings", ["normalized_url_group"])
    op.create_index(_URLS, "listings", ["url"], postgresql_using="hash")
    op.create_index(_LEASES, "audit_sessions", ["lease_owner"], sqlite_where=_IS_LEASED, postgresql_where=_IS_LEASED)
    if op.get_bind().dialect.name == "sqlite":
        _index_again("text, title, normalized_url_group")
        return
    op.drop_table("document_words")
    op.execute("ALTER TABLE documents ALTER search_vector SET STORAGE EXTERNAL")
    op.execute(_WRITE_ANEW)


def downgrade() -> None:
    """Drop the indexes, and make the full-text indexes again as they were."""
    op.drop_index(_LEASES, "audit_sessions")
    op.drop_index(_URLS, "listings")
    op.drop_index(_PAGES, "listings")
    if op.get_bind().dialect.name == "sqlite":
        _index_again("title, normalized_url_group, text")
        return
    op.execute("ALTER TABLE documents ALTER search_vector SET STORAGE EXTENDED")
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
    op.execute("INSERT INTO document_words SELECT id, search_vector FROM documents ORDER BY id")


def _index_again(columns: str) -> None:
    """Make SQLite's index with its columns in another order, from the stored texts."""
    op.execute("DROP TABLE documents_fts")
    op.execute(
        f"CREATE VIRTUAL TABLE documents_fts USING fts5({columns}, content='',"
        " tokenize='unicode61 remove_diacritics 2')"
    )
    # As before: a batch fits into memory whole and is merged with others less often than is usual.
    op.execute("INSERT INTO documents_fts(documents_fts, rank) VALUES ('hashsize', 16777216)")
    op.execute("INSERT INTO documents_fts(documents_fts, rank) VALUES ('automerge', 8)")
    connection = op.get_bind()
    last = 0
    while rows := connection.execute(_SOME_DOCUMENTS, {"last": last, "most": _BATCH}).all():
        documents = ((row[0], NewDocument(row[1], row[2], unpacked(row[3]))) for row in rows)
        connection.exec_driver_sql(_INDEX_WORDS, [(number, *folded_parts(document)) for number, document in documents])
        last = rows[-1][0]
