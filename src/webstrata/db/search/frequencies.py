"""Term frequencies: how often terms occur in documents, and how long the documents are, from the full-text indexes."""

import json
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import text
from sqlalchemy.orm import Session

from webstrata.db.search.cache import cached_result
from webstrata.db.search.fulltext import matching, words_of
from webstrata.db.search.term_counts import number_of_documents
from webstrata.db.sql.value_lists import as_list
from webstrata.model.search.query import AnyOf, Words
from webstrata.model.search.terms import Term

# ruff: noqa: S608 - the parts of a statement are constants; users' input is passed as parameters

SAMPLED = 200
"""Texts whose length is taken for that of all. Lengths differ widely: fewer would be off by a third."""

_IN_TITLE, _IN_ADDRESS = 1.5, 0.6
"""Hits in titles and addresses, as in `model/search/relevance.py`; a hit in the text counts 1, in whichever part."""


class TermCounts(NamedTuple):
    """How often terms are in documents."""

    counts: Mapping[int, Mapping[int, float]]
    """By number of the term, and by document; all forms of a term are one term."""
    lengths: Mapping[int, int]
    """Of the documents' texts: in words on SQLite and in bytes on PostgreSQL, to be compared with each other."""


def count_terms(session: Session, terms: Mapping[int, Term], documents: Collection[int]) -> TermCounts:
    """Return how often terms, by number, occur in documents."""
    sqlite = session.get_bind().dialect.name == "sqlite"
    return _on_sqlite(session, terms, documents) if sqlite else _on_postgresql(session, terms, documents)


def sampled(session: Session, state: Hashable, measured: Callable[[Collection[int]], float], what: str) -> float:
    """Return an average over some of all documents; it changes slowly and must be the same in every process."""
    last = number_of_documents(session, state)
    if last > SAMPLED:
        # That of the first 256, 512, 1024...
        last = 1 << (last.bit_length() - 1)
        state = "sampled"
    ids = {last - number * last // SAMPLED for number in range(SAMPLED)}
    return cached_result(session, state, (what, last), lambda: measured(ids))


def usual_length(session: Session, state: Hashable) -> float:
    """Return how long texts are on average, as `TermCounts.lengths` measures them."""

    def average(ids: Collection[int]) -> float:
        lengths = _lengths(session, ids).values()
        return sum(lengths) / len(lengths) if lengths else 0.0

    return sampled(session, state, average, "usual length of texts")


def _on_sqlite(session: Session, terms: Mapping[int, Term], documents: Collection[int]) -> TermCounts:
    ids = as_list("sqlite", documents)
    forms = [(word, number) for number, term in terms.items() for word in _single_words(term)]
    counts: dict[int, dict[int, float]] = {number: {} for number in terms}
    for number, document, found in session.execute(_SQLITE_COUNTS, {"forms": json.dumps(forms), "ids": ids}).all():
        counts[number][document] = found
    for number, term in terms.items():
        if several := [Words(form) for form in term.forms if len(form) > 1]:
            match = matching(AnyOf(tuple(several)), "sqlite")
            for (document,) in session.execute(_SQLITE_PHRASES, match.given() | {"ids": ids}).all():
                counts[number][document] = counts[number].get(document, 0.0) + 1.0
    return TermCounts(counts, _lengths(session, documents))


def _single_words(term: Term) -> set[str]:
    return {term.word, *(form[0] for form in term.forms if len(form) == 1)}


def _on_postgresql(session: Session, terms: Mapping[int, Term], documents: Collection[int]) -> TermCounts:
    given: dict[str, object] = {
        f"t{number}": matching(term.expression, "postgresql").exactly for number, term in terms.items()
    }
    given["ids"] = as_list("postgresql", documents)
    rows = session.execute(text(_postgresql_counts(tuple(terms))), given).all()
    counts = {
        number: {document: found[place] for document, _, found in rows if found[place]}
        for place, number in enumerate(terms)
    }
    return TermCounts(counts, {document: length for document, length, _ in rows})


def _lengths(session: Session, documents: Collection[int]) -> dict[int, int]:
    dialect = session.get_bind().dialect.name
    rows = session.execute(_LENGTHS[dialect], {"ids": as_list(dialect, documents)}).all()
    return {document: _first_varint(size) if isinstance(size, bytes) else size for document, size in rows}


def _first_varint(packed: bytes) -> int:
    """Return the number of words in the first column of a document: https://sqlite.org/fts5.html, "%_docsize"."""
    value = 0
    for byte in packed:
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            break
    return value


_SQLITE_COUNTS = text(
    "SELECT f.number, v.doc,"
    f" sum(CASE v.col WHEN 'text' THEN 1.0 WHEN 'title' THEN {_IN_TITLE} ELSE {_IN_ADDRESS} END)"
    " FROM (SELECT json_extract(value, '$[0]') AS term, json_extract(value, '$[1]') AS number FROM json_each(:forms)) f"
    " CROSS JOIN temp.word_places v"
    " WHERE v.term = f.term AND v.doc IN (SELECT value FROM json_each(:ids)) GROUP BY f.number, v.doc"
)
_SQLITE_PHRASES = text(
    "SELECT rowid FROM documents_fts WHERE documents_fts MATCH :match AND +rowid IN (SELECT value FROM json_each(:ids))"
)
_LENGTHS = {
    "sqlite": text("SELECT id, sz FROM documents_fts_docsize WHERE id IN (SELECT value FROM json_each(:ids))"),
    # The length of a text is known without reading it.
    "postgresql": text("SELECT id, octet_length(text) FROM documents WHERE id = ANY(CAST(:ids AS bigint[]))"),
}


def _postgresql_counts(terms: Sequence[int]) -> str:
    """Return the query for the counts: the cover density of a single word is the sum of its hits' weights."""
    # PostgreSQL allows no weight above 1.
    weights = f"{{{1 / _IN_TITLE}, {1 / _IN_TITLE}, {_IN_ADDRESS / _IN_TITLE}, 1.0}}"
    counted = ", ".join(
        f"{_IN_TITLE} * ts_rank_cd('{weights}', words, (SELECT CAST(:t{number} AS tsquery)))" for number in terms
    )
    listed = words_of("CAST(:ids AS bigint[])", ", octet_length(text) AS length")
    return f"SELECT document_id, length, CAST(ARRAY[{counted}] AS float8[]) FROM {listed}"
