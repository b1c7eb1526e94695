"""Pages with most of the words of a question: rare words choose the candidates, all words weigh them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from sqlalchemy import text
from sqlalchemy.orm import Session

from webstrata.db.search.cache import worked_out_once
from webstrata.db.search.fulltext import Match, matching, words_of
from webstrata.db.search.scope import SearchScope
from webstrata.db.search.term_counts import document_counts, number_of_documents, term_weights
from webstrata.db.sql.value_lists import as_list
from webstrata.model.search.query import AnyOf, Expression, all_of, in_title
from webstrata.model.search.terms import Term

# ruff: noqa: S608 - the parts of a statement are all ours; what readers write comes as parameters

MOST_CANDIDATES = 2_000
LEAST_KEPT = 100
LEAST_SHARE = 0.4
"""A page with less than this share of a question, by the weight of its words, is no result, unless there are few."""

_WORTH_IN_TITLE = 0.3
_FEW_TERMS = 6
"""Where every word is common, candidates hold several of so many, the rarest."""


@dataclass(frozen=True)
class _Weighing:
    terms: Sequence[Term]
    weights: Sequence[float]
    counts: Sequence[int]


def partial_matches(session: Session, scope: SearchScope, terms: Sequence[Term]) -> dict[int, float]:
    """Return the documents that hold most of some terms, and how much of them by weight, most first."""
    what = "partial", scope.asks(), tuple(terms), MOST_CANDIDATES
    return worked_out_once(session, scope.state, what, lambda: _partial_matches(session, scope, terms))


def _partial_matches(session: Session, scope: SearchScope, terms: Sequence[Term]) -> dict[int, float]:
    counts = document_counts(session, scope.state, terms)
    asked = _Weighing(terms, term_weights(session, scope.state, terms), counts)
    documents = _candidates(session, scope, asked)
    if not documents:
        return {}
    held = _holding(session, scope.dialect, [term.expression for term in terms], documents)
    in_titles = [in_title(term.expression) for term in terms]
    titled = _holding(session, scope.dialect, [title for title in in_titles if title is not None], documents)
    shares = dict.fromkeys(documents, 0.0)
    for weight, some, in_some_titles in zip(asked.weights, held, titled, strict=True):
        for document in some:
            shares[document] += weight
        for document in in_some_titles:
            shares[document] += _WORTH_IN_TITLE * weight
    return _most_held(shares, sum(asked.weights))


def _most_held(shares: dict[int, float], whole: float) -> dict[int, float]:
    """Return the documents with enough of a question, and of others as many as make a few pages of results."""
    ordered = sorted(shares, key=lambda document: (-shares[document], -document))
    last = shares[ordered[min(LEAST_KEPT, len(ordered)) - 1]]
    least = min(LEAST_SHARE * whole, last)
    return {document: shares[document] for document in ordered if shares[document] >= least}


def _candidates(session: Session, scope: SearchScope, asked: _Weighing) -> list[int]:
    """Return the documents that are weighed: those with a rare word, or with several of the common ones."""
    found: list[int] = []
    for expression in _choosing(asked, number_of_documents(session, scope.state)):
        found = _found(session, replace(scope, match=matching(expression, scope.dialect)))
        if 0 < len(found) <= MOST_CANDIDATES:
            return found
    return found[:MOST_CANDIDATES]


def _choosing(asked: _Weighing, of_all: int) -> Iterable[Expression]:
    """Yield the queries for candidates, from the one that finds most to the one that finds least."""
    rarest = sorted((count, number) for number, count in enumerate(asked.counts) if count)
    chosen: list[Expression] = []
    most = 0
    for count, number in rarest:
        most += count
        if most > MOST_CANDIDATES < of_all:
            break
        chosen.append(asked.terms[number].expression)
    if chosen:
        yield AnyOf(tuple(chosen))
    if chosen or not rarest:
        return
    few = [asked.terms[number].expression for _, number in rarest[:_FEW_TERMS]]
    for together in range(min(2, len(few)), len(few)):
        yield AnyOf(tuple(filter(None, (all_of(some) for some in combinations(few, together)))))
    yield few[0]


def _found(session: Session, scope: SearchScope) -> list[int]:
    captured = f" WHERE {scope.having_a_capture()}" if scope.is_narrow else ""
    rows = scope.execute(
        session,
        f"SELECT m.document_id FROM matched m{captured} ORDER BY m.document_id DESC LIMIT :most",
        most=MOST_CANDIDATES + 1,
    )
    return [row[0] for row in rows]


def _holding(
    session: Session, dialect: str, expressions: Sequence[Expression], documents: Sequence[int]
) -> list[set[int]]:
    """Return for every expression which of some documents hold it."""
    matches = [matching(expression, dialect) for expression in expressions]
    given: dict[str, object] = {f"m{number}": match.exactly for number, match in enumerate(matches)}
    given["ids"] = as_list(dialect, documents)
    found: list[set[int]] = [set() for _ in expressions]
    spelled = _sqlite_holding(matches) if dialect == "sqlite" else _postgresql_holding(matches)
    for document, number in session.execute(text(spelled), given):
        found[number].add(document)
    return found


def _sqlite_holding(matches: Sequence[Match]) -> str:
    # SQLite must not look the documents up one by one: it would start anew for each of them.
    return " UNION ALL ".join(
        f"SELECT rowid, {number} FROM documents_fts WHERE documents_fts MATCH :m{number}"
        " AND +rowid IN (SELECT value FROM json_each(:ids))"
        for number in range(len(matches))
    )


def _postgresql_holding(matches: Sequence[Match]) -> str:
    # As a query of its own each is read once, and not again for every document.
    asked = ", ".join(
        f"CASE WHEN words @@ (SELECT CAST(:m{number} AS tsquery)) THEN {number} END" for number in range(len(matches))
    )
    return (
        f"SELECT document_id, number FROM (SELECT document_id, unnest(ARRAY[{asked}]) AS number"
        f" FROM {words_of('CAST(:ids AS bigint[])')}) AS held WHERE number IS NOT NULL"
    )
