"""Words of texts in the vocabulary: a misspelt word may mean any of them, not only those of titles and headings."""

import sqlalchemy as sa
from alembic import op

from webstrata.db.vocabulary import MOST_TEXT_CHARACTERS, MOST_WORDS_OF_TEXTS, words_of_text

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

_BATCH = 1_000
_SOME_TEXTS = sa.text("SELECT id, substr(text, 1, :characters) FROM documents WHERE id > :last ORDER BY id LIMIT :most")
_LEARN = sa.text("INSERT INTO vocabulary (word) VALUES (:word) ON CONFLICT DO NOTHING")


def upgrade() -> None:
    """Add the words of the texts that are there, until the vocabulary is as large as it may be."""
    connection = op.get_bind()
    known: set[str] = set(connection.scalars(sa.text("SELECT word FROM vocabulary")))
    last, given = 0, {"characters": MOST_TEXT_CHARACTERS, "most": _BATCH}
    while len(known) < MOST_WORDS_OF_TEXTS:
        rows = connection.execute(_SOME_TEXTS, {"last": last, **given}).all()
        if not rows:
            break
        new = set().union(*(words_of_text(text) for _, text in rows)) - known
        connection.execute(_LEARN, [{"word": word} for word in sorted(new)]) if new else None
        known |= new
        last = rows[-1][0]
    if connection.dialect.name == "sqlite":
        op.execute("INSERT INTO vocabulary_trigrams(vocabulary_trigrams) VALUES ('rebuild')")


def downgrade() -> None:
    """Keep the words: earlier versions look them up as they do others."""
