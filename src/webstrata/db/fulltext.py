"""Which documents hold some words, and how well: FTS5 on SQLite, tsvector on PostgreSQL.

Both are asked in words that `content/tokens.py` folded, each in quotes: nothing that a reader writes is syntax.
"""

import json
from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import text
from sqlalchemy.orm import Session

from webstrata.db.wording import MAX_WORD_BYTES
from webstrata.model.query import All, AnyOf, Expression, Field, Without, Words

# ruff: noqa: S608 - the parts of a statement are all ours; what readers write comes as parameters

EVERY_DOCUMENT = "https"
"""A word that every document holds: the name of its page begins with it."""

MATCHED = {
    "sqlite": "SELECT rowid AS document_id FROM documents_fts WHERE documents_fts MATCH :match",
    "postgresql": "SELECT id AS document_id FROM documents WHERE search_vector @@ CAST(:match AS tsquery)",
}
"""Select the ids of the documents that match, by `matching`."""


def matching(expression: Expression, dialect: str) -> str:
    """Return an expression in the words of a database's full-text index."""
    return _spelled(expression, _FTS5 if dialect == "sqlite" else _TSQUERY)


def relevance(session: Session, expression: Expression, document_ids: Collection[int]) -> dict[int, float]:
    """Return how well documents hold what is asked, as the database judges; of those that do not hold it, nothing."""
    dialect = session.get_bind().dialect.name
    ids = json.dumps([*document_ids]) if dialect == "sqlite" else [*document_ids]
    rows = session.execute(_RELEVANCE[dialect], {"match": matching(expression, dialect), "ids": ids})
    return {document_id: float(score) for document_id, score in rows.all()}


def count_documents(session: Session, expression: Expression, most: int) -> int:
    """Return how many documents hold what is asked, counting to `most`."""
    dialect = session.get_bind().dialect.name
    return session.scalar(_COUNT[dialect], {"match": matching(expression, dialect), "most": most}) or 0


# Both count a hit in the title eight times and one in the address three times as much as one in the text. SQLite must
# not look the documents up one by one: for each it would count the words of all documents again.
_RELEVANCE = {
    "sqlite": text(
        "SELECT rowid, -bm25(documents_fts, 8.0, 3.0, 1.0) FROM documents_fts"
        " WHERE documents_fts MATCH :match AND +rowid IN (SELECT value FROM json_each(:ids))"
    ),
    # 32: many hits say little more than some, as with bm25.
    "postgresql": text(
        "SELECT id, ts_rank_cd('{0.125, 0.125, 0.375, 1.0}', search_vector, query, 32)"
        " FROM documents, CAST(:match AS tsquery) AS query WHERE id = ANY(:ids) AND search_vector @@ query"
    ),
}


_COUNT = {
    dialect: text(f"SELECT count(*) FROM ({matched} LIMIT :most) AS counted") for dialect, matched in MATCHED.items()
}


@dataclass(frozen=True)
class _Language:
    """How a full-text index is asked."""

    both: str
    either: str
    without: str
    adjacent: str
    fields: dict[Field, str]
    is_fts5: bool


_FTS5 = _Language(
    " AND ", " OR ", " NOT ", " ", {Field.TITLE: "title", Field.URL: "normalized_url_group", Field.TEXT: "text"}, True
)
_TSQUERY = _Language(" & ", " | ", " & !", " <-> ", {Field.TITLE: "A", Field.URL: "B", Field.TEXT: "D"}, False)


def _spelled(expression: Expression, language: _Language) -> str:
    if isinstance(expression, Words):
        return _words(expression, language)
    if isinstance(expression, Without):
        return f"({_everything(language)}{language.without}{_spelled(expression.part, language)})"
    if isinstance(expression, AnyOf):
        return f"({language.either.join(_spelled(part, language) for part in expression.parts)})"
    return _all(expression, language)


def _all(expression: All, language: _Language) -> str:
    wanted = [_spelled(part, language) for part in expression.parts if not isinstance(part, Without)]
    unwanted = [_spelled(part.part, language) for part in expression.parts if isinstance(part, Without)]
    asked = f"({language.both.join(wanted or [_everything(language)])})"
    return f"({asked}{language.without}({language.either.join(unwanted)}))" if unwanted else asked


def _words(words: Words, language: _Language) -> str:
    if any(len(word.encode()) > MAX_WORD_BYTES for word in words.words):
        # Longer words are not indexed: what asks for one asks for nothing.
        return f"({_everything(language)}{language.without}{_everything(language)})"
    return _fts5_words(words) if language.is_fts5 else _tsquery_words(words)


def _everything(language: _Language) -> str:
    return f'"{EVERY_DOCUMENT}"' if language.is_fts5 else f"'{EVERY_DOCUMENT}'"


def _fts5_words(words: Words) -> str:
    asked = f'"{" ".join(words.words)}"{" *" if words.prefix else ""}'
    return f"({{{_FTS5.fields[words.field]}}} : {asked})" if words.field else asked


def _tsquery_words(words: Words) -> str:
    if words.field:
        return _tsquery_phrase(words, _TSQUERY.fields[words.field])
    if len(words.words) == 1:
        return _tsquery_phrase(words, "")
    # Title, address and text are one list of places: a phrase must not begin in one and end in the next.
    return f"({' | '.join(_tsquery_phrase(words, part) for part in _TSQUERY.fields.values())})"


def _tsquery_phrase(words: Words, part: str) -> str:
    last = len(words.words) - 1
    marks = [f"{'*' if words.prefix and place == last else ''}{part}" for place in range(len(words.words))]
    spelled = [f"'{word}'{f':{mark}' if mark else ''}" for word, mark in zip(words.words, marks, strict=True)]
    return f"({_TSQUERY.adjacent.join(spelled)})"
