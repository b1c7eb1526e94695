"""Full-text search, with FTS5 on SQLite and tsvector on PostgreSQL: which documents match some words, and how well.

Queries consist of words folded by `content/tokens.py`, each in quotes, so a user's input is never syntax.
"""

from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import text
from sqlalchemy.orm import Session

from webstrata.db.search.indexed_words import ADDRESS_MARK, MAX_WORD_BYTES, TITLE_MARK
from webstrata.model.search.query import (
    All,
    AnyOf,
    Expression,
    Field,
    Without,
    Words,
    ignoring_positions,
    needs_positions,
)

# ruff: noqa: S608 - the parts of a statement are constants; users' input is passed as parameters

EVERY_DOCUMENT = "https"
"""A word that every document contains: its URL group begins with it."""


class Match(NamedTuple):
    """A query of a full-text index."""

    exactly: str
    widely: str | None = None
    """A wider query for PostgreSQL's index, which has no positions of words."""

    def given(self, name: str = "match") -> dict[str, str | None]:
        """Return the query's parameters for `matched`."""
        return {name: self.exactly, f"{name}_widely": self.widely}


def matching(expression: Expression, dialect: str) -> Match:
    """Return an expression as a query of a database's full-text index."""
    if dialect == "sqlite":
        return Match(_spelled(expression, _FTS5))
    exactly = _spelled(expression, _TSQUERY)
    if not needs_positions(expression):
        return Match(exactly)
    return Match(exactly, _spelled(ignoring_positions(expression), _TSQUERY))


def matched(match: Match, dialect: str, name: str = "match") -> str:
    """Return the SQL that selects the ids of the matching documents."""
    if dialect == "sqlite":
        return f"SELECT rowid AS document_id FROM documents_fts WHERE documents_fts MATCH :{name}"
    if match.widely is None:
        return f"SELECT id AS document_id FROM documents WHERE search_vector @@ CAST(:{name} AS tsquery)"
    holding_the_words = f"SELECT id FROM documents WHERE search_vector @@ CAST(:{name}_widely AS tsquery)"
    # IS TRUE keeps PostgreSQL from using its index, which has no positions, for this condition.
    return (
        f"SELECT id AS document_id FROM documents WHERE id = ANY(ARRAY({holding_the_words}))"
        f" AND (search_vector @@ CAST(:{name} AS tsquery)) IS TRUE"
    )


def words_of(documents: str, others: str = "") -> str:
    """Return the SQL of a PostgreSQL table of some documents (an array of ids), their `words` and other columns."""
    # `setweight` with no words copies the vector, so that it is fetched from storage once and not for each condition.
    # It is the cheapest copy: concatenation with an empty vector takes five times as long.
    return (
        "(SELECT id AS document_id, setweight(search_vector, 'A', CAST('{}' AS text[])) AS words"
        f"{others} FROM documents WHERE id = ANY({documents}) OFFSET 0) AS listed"
    )


def count_documents(session: Session, expression: Expression, most: int) -> int:
    """Return the number of documents that match, counting to `most`."""
    dialect = session.get_bind().dialect.name
    match = matching(expression, dialect)
    return session.scalar(text(_COUNT[dialect].format(matched(match, dialect))), match.given() | {"most": most}) or 0


_COUNT = {
    "sqlite": "SELECT count(*) FROM ({} LIMIT :most) AS counted",
    # With a LIMIT alone, PostgreSQL would scan the documents one by one instead of using its index.
    "postgresql": "WITH m AS MATERIALIZED ({}) SELECT count(*) FROM (SELECT 1 FROM m LIMIT :most) AS counted",
}


@dataclass(frozen=True)
class _Language:
    """The query syntax of a full-text index."""

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
    requested = [_spelled(part, language) for part in expression.parts if not isinstance(part, Without)]
    unwanted = [_spelled(part.part, language) for part in expression.parts if isinstance(part, Without)]
    asked = f"({language.both.join(requested or [_everything(language)])})"
    return f"({asked}{language.without}({language.either.join(unwanted)}))" if unwanted else asked


def _words(words: Words, language: _Language) -> str:
    if any(len(word.encode()) > MAX_WORD_BYTES for word in words.words):
        # Longer words are not indexed, so a query for one matches nothing.
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
