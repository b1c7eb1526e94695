"""Finds pages with most of the words of a question: rare words select the candidates, all words rank them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from sqlalchemy import text
from sqlalchemy.orm import Session

from webstrata.db.search.cache import cached_result
from webstrata.db.search.fulltext import Match, matched, matching, words_of
from webstrata.db.search.scope import SearchScope
from webstrata.db.search.term_counts import document_counts, term_weights
from webstrata.db.sql.value_lists import as_list
from webstrata.model.search.query import AnyOf, Expression, all_of, in_title
from webstrata.model.search.terms import Term

# ruff: noqa: S608 - the parts of a statement are constants; users' input is passed as parameters

MOST_CANDIDATES = 2_000
MOST_WEIGHED = 20_000
"""How many texts are read to select candidates: the texts of each word are added, beginning with the rarest word. Of
these texts, those with most of the question are candidates."""

LEAST_KEPT = 200
LEAST_SHARE = 0.4
"""The least share of a question, by the weight of its words, that a page must have, unless there are few results."""

_WORTH_IN_TITLE = 0.3
_FEW_TERMS = 6
"""If all words are common, candidates contain several of so many rarest words."""

_UNITS = 1_000_000
"""Weights are added as integers, so that the sums are the same on every database."""


@dataclass(frozen=True)
class _WeighedTerm:
    term: Term
    weight: int
    count: int


def partial_matches(session: Session, scope: SearchScope, terms: Sequence[Term]) -> dict[int, float]:
    """Return the documents with most of the terms, and the share of the terms' weight in each, highest first."""
    what = "partial", scope.asks(), tuple(terms), MOST_CANDIDATES, MOST_WEIGHED
    return cached_result(session, scope.state, what, lambda: _partial_matches(session, scope, terms))


def _partial_matches(session: Session, scope: SearchScope, terms: Sequence[Term]) -> dict[int, float]:
    weights, counts = term_weights(session, scope.state, terms), document_counts(session, scope.state, terms)
    weighed = [
        _WeighedTerm(term, round(weight * _UNITS), count)
        for term, weight, count in zip(terms, weights, counts, strict=True)
        if count
    ]
    rarest = sorted(weighed, key=lambda term: term.count)
    choosing, others = _choosing(rarest)
    shares = _weighed_texts(session, scope, choosing)
    if len(shares) < LEAST_KEPT and others:
        for document in _with_several(session, scope, others, MOST_CANDIDATES - len(shares)):
            shares.setdefault(document, 0)
    if not shares:
        return {}
    _add_weights(session, scope.dialect, shares, [(term.term.expression, term.weight) for term in others])
    titles = ((in_title(term.term.expression), round(_WORTH_IN_TITLE * term.weight)) for term in weighed)
    _add_weights(session, scope.dialect, shares, [(title, worth) for title, worth in titles if title is not None])
    return _most_held(shares, sum(term.weight for term in weighed))


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
    return {row[0]: row[1] for row in rows}


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


def _add_weights(
    session: Session, dialect: str, shares: dict[int, int], weighed: Sequence[tuple[Expression, int]]
) -> None:
    """Add the weights of the expressions that texts match to the texts' shares."""
    held = _holding(session, dialect, [expression for expression, _ in weighed], list(shares)) if weighed else ()
    for (_, worth), documents in zip(weighed, held, strict=True):
        for document in documents:
            shares[document] += worth


def _most_held(shares: Mapping[int, int], whole: int) -> dict[int, float]:
    """Return the documents with enough of a question; if they are few, others are added to fill some pages of
    results."""
    ordered = sorted(shares, key=lambda document: (-shares[document], -document))
    last = shares[ordered[min(LEAST_KEPT, len(ordered)) - 1]]
    least = min(LEAST_SHARE * whole, last)
    return {document: shares[document] / _UNITS for document in ordered if shares[document] >= least}


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
    """Return the documents, of some, that match each expression."""
    matches = [matching(expression, dialect) for expression in expressions]
    given: dict[str, object] = {f"m{number}": match.exactly for number, match in enumerate(matches)}
    given["ids"] = as_list(dialect, documents)
    found: list[set[int]] = [set() for _ in expressions]
    spelled = _sqlite_holding(matches) if dialect == "sqlite" else _postgresql_holding(matches)
    for document, number in session.execute(text(spelled), given):
        found[number].add(document)
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
