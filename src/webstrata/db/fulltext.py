"""Which documents hold some words, and how well: FTS5 on SQLite, tsvector on PostgreSQL."""

from collections.abc import Sequence

from sqlalchemy import BigInteger, Double, Subquery, column, text
from sqlalchemy.orm import Session

_FTS5 = text(
    "SELECT rowid AS document_id, -bm25(documents_fts, 8.0, 3.0, 1.0) AS score"
    " FROM documents_fts WHERE documents_fts MATCH :words"
)
_TSVECTOR = text(
    "SELECT id AS document_id, ts_rank_cd('{0.125, 0.125, 0.375, 1.0}', search_vector, query) AS score"
    " FROM documents, CAST(:words AS tsquery) AS query WHERE search_vector @@ query"
)
"""Both count a hit in the title eight times and one in the address three times as much as one in the text."""


def matching_documents(session: Session, words: Sequence[str]) -> Subquery:
    """Select the documents that hold all the words (folded, at least one), as `document_id` and `score`."""
    if session.get_bind().dialect.name == "sqlite":
        statement = _FTS5.bindparams(words=" ".join(f'"{word}"' for word in words))
    else:
        statement = _TSVECTOR.bindparams(words=" & ".join(f"'{word}'" for word in words))
    return statement.columns(column("document_id", BigInteger), column("score", Double)).subquery("matching")
