"""Pages with most of the words of a question: rare words select the candidates, BM25 over all words ranks them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from sqlalchemy import text
from sqlalchemy.orm import Session

from webstrata.db.search.cache import cached_result
from webstrata.db.search.frequencies import count_terms, usual_length
from webstrata.db.search.fulltext import Match, matched, matching, words_of
from webstrata.db.search.scope import SearchScope
from webstrata.db.search.term_counts import document_counts, term_weights
from webstrata.db.sql.value_lists import as_list
from webstrata.model.search.query import AnyOf, Expression, all_of
from webstrata.model.search.relevance import bm25_of_all, per_length
from webstrata.model.search.terms import Term

# ruff: noqa: S608 - the parts of a statement are constants; users' input is passed as parameters

MOST_CANDIDATES = 2_000
MOST_WEIGHED = 20_000
"""How many texts are read to select candidates: the texts of each word are added, beginning with the rarest word. Of
these texts, those with most of the question are candidates."""

MOST_SCORED = 1_000
"""Candidates, those with the most weight, whose hits are counted."""

LEAST_KEPT = 200
LEAST_SHARE = 0.4
"""The least share of a question, by the weight of its words, that a page must have, unless there are few results."""

_BEFORE_ALL_OTHERS, _AFTER_ALL_OTHERS = 10.0, -10.0
"""More than the words of any document can count."""

_FEW_TERMS = 6
"""If all words are common, candidates contain several of so many rarest words."""

_UNITS = 1_000_000
"""Weights are added as integers, so that the sums are the same on every database."""


@dataclass(frozen=True)
class _WeighedTerm:
    number: int
    term: Term
    weight: int
    count: int


@dataclass(frozen=True)
class _Candidates:
    """The texts that may be results."""

    shares: dict[int, int]
    """The sum of the weights of the terms that each text has, highest first."""
    counted: Mapping[int, Term]
    """The terms, by number, whose hits are counted: those that chose the candidates."""
    held: Mapping[int, set[int]]
    """The texts that have each of the other terms: how often a text has such a common word matters little."""


def partial_matches(session: Session, scope: SearchScope, terms: Sequence[Term]) -> dict[int, float]:
    """Return the documents with most of the terms, and how well their words match, the best first."""
    what = "partial", scope.asks(), tuple(terms), MOST_CANDIDATES, MOST_WEIGHED
    return cached_result(session, scope.state, what, lambda: _partial_matches(session, scope, terms))


def _partial_matches(session: Session, scope: SearchScope, terms: Sequence[Term]) -> dict[int, float]:
    weights, counts = term_weights(session, scope.state, terms), document_counts(session, scope.state, terms)
    weighed = [
        _WeighedTerm(number, term, round(weights[number] * _UNITS), counts[number])
        for number, term in enumerate(terms)
        if counts[number]
    ]
    found = _candidates(session, scope, weighed)
    if not found.shares:
        return {}
    return _most_relevant(
        _relevance(session, scope, weights, found), found.shares, sum(term.weight for term in weighed)
    )


def _candidates(session: Session, scope: SearchScope, weighed: Sequence[_WeighedTerm]) -> _Candidates:
    choosing, others = _choosing(sorted(weighed, key=lambda term: term.count))
    shares = _weighed_texts(session, scope, choosing)
    if len(shares) < LEAST_KEPT and others:
        for document in _with_several(session, scope, others, MOST_CANDIDATES - len(shares)):
            shares.setdefault(document, 0)
    held = _held(session, scope.dialect, others, shares) if shares and others else {}
    for term in others:
        for document in held.get(term.number, ()):
            shares[document] += term.weight
    ordered = sorted(shares, key=lambda document: (-shares[document], -document))
    return _Candidates(
        {document: shares[document] for document in ordered}, {term.number: term.term for term in choosing}, held
    )


def _relevance(session: Session, scope: SearchScope, weights: Sequence[float], found: _Candidates) -> dict[int, float]:
    """Return how well the words of the candidates match: by how often they have each term, and how long they are."""
    usual = usual_length(session, scope.state)
    documents = tuple(found.shares)[:MOST_SCORED]
    counts, lengths = count_terms(session, found.counted, documents)
    scored = {document: per_length(lengths.get(document, 0), usual) for document in documents}
    once = {number: dict.fromkeys(held.intersection(scored), 1.0) for number, held in found.held.items()}
    relevance = bm25_of_all(weights, {**counts, **once}, scored)
    whole = round(sum(weights) * _UNITS)
    for document, share in found.shares.items():
        if document not in relevance:
            relevance[document] = _AFTER_ALL_OTHERS + share / whole
        elif share >= whole - len(weights):
            # Documents with all terms are among those whose texts are read.
            relevance[document] += _BEFORE_ALL_OTHERS
    return relevance


def _choosing(rarest: Sequence[_WeighedTerm]) -> tuple[Sequence[_WeighedTerm], Sequence[_WeighedTerm]]:
    """Return the terms that select the candidates, and those that only rank them."""
    limit, number = MOST_WEIGHED, 0
    while number < len(rarest) and rarest[number].count <= limit:
        limit -= rarest[number].count
        number += 1
    return rarest[:number], rarest[number:]


def _weighed_texts(session: Session, scope: SearchScope, choosing: Sequence[_WeighedTerm]) -> dict[int, int]:
    """Return the texts with most of some terms, with the sum of the weights of these, highest first."""
    if not choosing:
        return {}
    matches = [matching(term.term.expression, scope.dialect) for term in choosing]
    given: dict[str, object] = {"most": MOST_CANDIDATES}
    for number, (term, match) in enumerate(zip(choosing, matches, strict=True)):
        given |= match.given(f"m{number}") | {f"w{number}": term.weight}
    holding = " UNION ALL ".join(
        f"SELECT document_id, CAST(:w{number} AS bigint) AS weight"
        f" FROM ({matched(match, scope.dialect, f'm{number}')}) AS t{number}"
        for number, match in enumerate(matches)
    )
    summed = f"SELECT document_id, CAST(sum(weight) AS bigint) AS share FROM ({holding}) AS held GROUP BY document_id"
    # In this order, only as many texts as needed are checked for a capture.
    captured = f" WHERE {scope.having_a_capture()}" if scope.is_narrow else ""
    ordered = f"{summed} ORDER BY share DESC, document_id DESC LIMIT {MOST_WEIGHED}"
    rows = scope.execute(session, f"SELECT m.document_id, m.share FROM ({ordered}) AS m{captured} LIMIT :most", **given)
    return {row[0]: row[1] for row in rows.all()}


def _with_several(session: Session, scope: SearchScope, others: Sequence[_WeighedTerm], limit: int) -> Sequence[int]:
    """Return at most `limit` texts that contain several of the rarest of some common terms."""
    found: list[int] = []
    few = [term.term.expression for term in others[:_FEW_TERMS]]
    for expression in _several(few):
        found = _found(session, replace(scope, match=matching(expression, scope.dialect)))
        if 0 < len(found) <= limit:
            return found
    return found[:limit]


def _several(few: Sequence[Expression]) -> Iterable[Expression]:
    """Yield the queries for texts with several terms, from the widest to the narrowest."""
    for together in range(min(2, len(few)), len(few)):
        yield AnyOf(tuple(filter(None, (all_of(some) for some in combinations(few, together)))))
    yield few[0]


def _most_relevant(relevance: Mapping[int, float], shares: Mapping[int, int], whole: int) -> dict[int, float]:
    """Return the documents with enough of a question; if they are few, the best others are added."""
    ordered = sorted(relevance, key=lambda document: (-relevance[document], -document))
    least = LEAST_SHARE * whole
    return {
        document: relevance[document]
        for place, document in enumerate(ordered)
        if place < LEAST_KEPT or shares[document] >= least
    }


def _found(session: Session, scope: SearchScope) -> list[int]:
    captured = f" WHERE {scope.having_a_capture()}" if scope.is_narrow else ""
    rows = scope.execute(
        session,
        f"SELECT m.document_id FROM matched m{captured} ORDER BY m.document_id DESC LIMIT :most",
        most=MOST_CANDIDATES + 1,
    )
    return [row[0] for row in rows]


def _held(
    session: Session, dialect: str, terms: Sequence[_WeighedTerm], documents: Collection[int]
) -> dict[int, set[int]]:
    """Return the documents, of some, that have each term, by number."""
    matches = [matching(term.term.expression, dialect) for term in terms]
    given: dict[str, object] = {f"m{number}": match.exactly for number, match in enumerate(matches)}
    given["ids"] = as_list(dialect, documents)
    found: dict[int, set[int]] = {term.number: set() for term in terms}
    spelled = _sqlite_holding(matches) if dialect == "sqlite" else _postgresql_holding(matches)
    for document, place in session.execute(text(spelled), given).all():
        found[terms[place].number].add(document)
    return found


def _sqlite_holding(matches: Sequence[Match]) -> str:
    # Written so that SQLite does not look up single documents: it would run the full-text query for each of them.
    return " UNION ALL ".join(
        f"SELECT rowid, {number} FROM documents_fts WHERE documents_fts MATCH :m{number}"
        " AND +rowid IN (SELECT value FROM json_each(:ids))"
        for number in range(len(matches))
    )


def _postgresql_holding(matches: Sequence[Match]) -> str:
    # Each is a separate query, so that it runs once and not for every document.
    asked = ", ".join(
        f"CASE WHEN words @@ (SELECT CAST(:m{number} AS tsquery)) THEN {number} END" for number in range(len(matches))
    )
    return (
        f"SELECT document_id, number FROM (SELECT document_id, unnest(ARRAY[{asked}]) AS number"
        f" FROM {words_of('CAST(:ids AS bigint[])')}) AS held WHERE number IS NOT NULL"
    )
