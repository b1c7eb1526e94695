"""What makes searching fast and forgiving: a narrow row for each snapshot, and the words of titles and headings."""

import sqlalchemy as sa
from alembic import op

from webstrata.db.types import UtcDateTime
from webstrata.db.vocabulary import words_to_learn

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_AUTHORITIES = sa.text("inlink_count >= 8")
_BATCH = 2_000

_SOME_DOCUMENTS = sa.text(
    "SELECT id, title, normalized_url_group, text, blocks FROM documents WHERE id > :last ORDER BY id LIMIT :most"
)
_LEARN = sa.text("INSERT INTO vocabulary (word) VALUES (:word) ON CONFLICT DO NOTHING")

# Of captures of one page with the same content and status on one UTC day, all but the last are repeated.
_FILL_ENTRIES = """
INSERT INTO search_entries (snapshot_id, document_id, page_id, source_id, captured_at, status_rank, repeated, url_cost,
                            language, kind)
SELECT s.id, s.document_id, p.id, s.source_id, s.capture_timestamp,
       CASE WHEN s.status_code BETWEEN 200 AND 299 THEN 0 WHEN s.status_code BETWEEN 300 AND 399 THEN 1
            WHEN s.status_code IS NULL THEN 2 ELSE 3 END,
       CASE WHEN s.content_hash IS NOT NULL AND row_number() OVER (
                PARTITION BY p.id, s.content_hash, s.status_code, date(s.capture_timestamp)
                ORDER BY s.capture_timestamp DESC, s.id DESC) > 1 THEN 1 ELSE 0 END,
       CASE WHEN s.url LIKE '%?%utm!_%' ESCAPE '!' OR s.url LIKE '%?%clid=%' THEN 2
            WHEN s.url LIKE '%?%' THEN 1 ELSE 0 END,
       s.language,
       CASE coalesce(s.mime_type, 'text/html') WHEN 'application/pdf' THEN 'pdf' WHEN 'text/plain' THEN 'text'
            WHEN 'text/html' THEN 'html' WHEN 'application/xhtml+xml' THEN 'html' ELSE 'other' END
FROM pages p JOIN snapshots s ON s.normalized_url_group = p.normalized_url_group AND s.source_id = p.source_id
WHERE s.document_id IS NOT NULL
"""
_FILL_PAGES = """
UPDATE pages SET latest_ok_timestamp =
    (SELECT snapshots.capture_timestamp FROM snapshots WHERE snapshots.id = pages.latest_ok_snapshot_id)
"""


def upgrade() -> None:
    """Add the tables and fill them from what is there."""
    op.add_column("pages", sa.Column("latest_ok_timestamp", UtcDateTime(), nullable=True))
    op.execute(_FILL_PAGES)
    op.create_index("ix_pages_newest", "pages", ["latest_ok_timestamp", "latest_ok_snapshot_id", "source_id"])
    op.create_table(
        "search_entries",
        sa.Column("snapshot_id", _BIG_ID, nullable=False, autoincrement=False),
        sa.Column("document_id", sa.BigInteger(), nullable=False),
        sa.Column("page_id", sa.BigInteger(), nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("captured_at", UtcDateTime(), nullable=False),
        sa.Column("status_rank", sa.SmallInteger(), nullable=False),
        sa.Column("repeated", sa.SmallInteger(), nullable=False),
        sa.Column("url_cost", sa.SmallInteger(), nullable=False),
        sa.Column("language", sa.Text(), nullable=True),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.ForeignKeyConstraint(
            ["snapshot_id"], ["snapshots.id"], name=op.f("fk_search_entries_snapshot_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("snapshot_id", name=op.f("pk_search_entries")),
    )
    op.create_table(
        "vocabulary",
        sa.Column("id", _BIG_ID, nullable=False),
        sa.Column("word", sa.String(40), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_vocabulary")),
        sa.UniqueConstraint("word", name=op.f("uq_vocabulary_word")),
    )
    _index_vocabulary()
    _fill()
    _index_entries()
    op.create_index(
        "ix_page_signals_authorities",
        "page_signals",
        ["inlink_count"],
        sqlite_where=_AUTHORITIES,
        postgresql_where=_AUTHORITIES,
    )
    if op.get_bind().dialect.name == "sqlite":
        # The texts of one batch are sorted in memory and written once: by default it is written for every megabyte of
        # them, and merged over and over.
        op.execute("INSERT INTO documents_fts(documents_fts, rank) VALUES ('hashsize', 16777216)")
    else:
        # What is counted must not be read past texts: they go to a place of their own, however short they are.
        op.execute("ALTER TABLE documents SET (toast_tuple_target = 128)")


def downgrade() -> None:
    """Drop it all: it can be made again."""
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TABLE vocabulary_trigrams")
    else:
        op.execute("ALTER TABLE documents RESET (toast_tuple_target)")
    op.drop_index("ix_page_signals_authorities", "page_signals")
    op.drop_table("vocabulary")
    op.drop_table("search_entries")
    op.drop_index("ix_pages_newest", "pages")
    op.drop_column("pages", "latest_ok_timestamp")


def _index_entries() -> None:
    asked = ["page_id", "source_id", "status_rank", "repeated"]
    newest = ["captured_at", "snapshot_id"]
    told = ["url_cost", "language", "kind"]
    op.create_index("ix_search_entries_document", "search_entries", ["document_id", *newest, *asked, *told])
    op.create_index("ix_search_entries_newest", "search_entries", [*newest, "document_id", *asked])
    op.create_index("ix_search_entries_page", "search_entries", ["page_id", *newest, "document_id", *asked[1:]])


def _index_vocabulary() -> None:
    """Index the words by three letters each; on PostgreSQL only where its extension may be made."""
    connection = op.get_bind()
    if connection.dialect.name == "sqlite":
        op.execute(
            "CREATE VIRTUAL TABLE vocabulary_trigrams USING fts5(word, content='vocabulary', content_rowid='id',"
            " tokenize='trigram', detail='none', columnsize=0)"
        )
        return
    try:
        with connection.begin_nested():
            connection.execute(sa.text("CREATE EXTENSION IF NOT EXISTS pg_trgm"))
    except sa.exc.DBAPIError:
        # Without it a misspelt word is compared with as many words as that takes a moment for.
        return
    op.execute("CREATE INDEX ix_vocabulary_trigrams ON vocabulary USING gin (word gin_trgm_ops)")


def _fill() -> None:
    """Make what the index would have made of the pages and documents that are there."""
    op.execute(_FILL_ENTRIES)
    connection = op.get_bind()
    last = 0
    while rows := connection.execute(_SOME_DOCUMENTS, {"last": last, "most": _BATCH}).all():
        words = {word for row in rows for word in words_to_learn(*row[1:])}
        connection.execute(_LEARN, [{"word": word} for word in sorted(words)]) if words else None
        last = rows[-1][0]
    if connection.dialect.name == "sqlite":
        op.execute("INSERT INTO vocabulary_trigrams(vocabulary_trigrams) VALUES ('rebuild')")
