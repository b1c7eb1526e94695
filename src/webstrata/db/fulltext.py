"""Which documents hold some words, and how well: FTS5 on SQLite, tsvector on PostgreSQL.

Both are asked in words that `content/tokens.py` folded, each in quotes: nothing that a reader writes is syntax.
"""

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import text
from sqlalchemy.orm import Session

from webstrata.db.lists import as_list
from webstrata.db.wording import ADDRESS_MARK, MAX_WORD_BYTES, TITLE_MARK
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
    ids = as_list(dialect, document_ids)
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
    # 32: many hits say little more than some, as with bm25. Each look at a list of words costs more than what is done
    # with it: whether it holds what is asked is told by its score.
    "postgresql": text(
        "SELECT id, score FROM (SELECT id,"
        " ts_rank_cd('{0.125, 0.125, 0.375, 1.0}', search_vector, CAST(:match AS tsquery), 32) AS score"
        " FROM documents WHERE id = ANY(CAST(:ids AS bigint[])) OFFSET 0) AS ranked WHERE score > 0"
    ),
}


_COUNT = {
    "sqlite": text(f"SELECT count(*) FROM ({MATCHED['sqlite']} LIMIT :most) AS counted"),
    # Where only some are wanted, PostgreSQL would look at one document after the other rather than ask its index.
    "postgresql": text(
        f"WITH matched AS MATERIALIZED ({MATCHED['postgresql']})"
        " SELECT count(*) FROM (SELECT 1 FROM matched LIMIT :most) AS counted"
    ),
}


@dataclass(frozen=True)
class _Language:
    """How a full-text index is asked."""

    both: str
    either: str
    without: str
    is_fts5: bool


_FTS5 = _Language(" AND ", " OR ", " NOT ", True)
_TSQUERY = _Language(" & ", " | ", " & !", False)
_FTS5_COLUMNS = {Field.TITLE: "title", Field.URL: "normalized_url_group", Field.TEXT: "text"}
_TSQUERY_MARKS: dict[Field | None, str] = {Field.TITLE: TITLE_MARK, Field.URL: ADDRESS_MARK}
_WEIGHT_OF_TEXT = "D"


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
    return f"({{{_FTS5_COLUMNS[words.field]}}} : {asked})" if words.field else asked


def _tsquery_words(words: Words) -> str:
    mark = _TSQUERY_MARKS.get(words.field, "")
    weight = _WEIGHT_OF_TEXT if words.field is Field.TEXT else ""
    beginnings = [""] * (len(words.words) - 1) + ["*" if words.prefix else ""]
    spelled = [
        f"'{mark}{word}'{f':{beginning}{weight}' if beginning or weight else ''}"
        for word, beginning in zip(words.words, beginnings, strict=True)
    ]
    return f"({' <-> '.join(spelled)})"
