"""Search queries: find, count and sort the captures of a request, all of them or one per page."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy.orm import Session

from webstrata.db.search.cache import cached_result
from webstrata.db.search.partial_matches import partial_matches
from webstrata.db.search.question import Facets, Hit, Question, SearchHits, scope_of
from webstrata.db.search.ranked import RankedSearch
from webstrata.db.search.result_rows import NEWEST_FIRST, fetch_hits
from webstrata.db.search.scope import SearchScope
from webstrata.db.search.time_order import MOST_BROWSED, MOST_COUNTED, browses_pages, counted, from_pages, in_time
from webstrata.db.sql.value_lists import Among
from webstrata.model.archive import SnapshotView
from webstrata.model.search.values import FacetCount

# ruff: noqa: S608 - the parts of a statement are constants; users' input is passed as parameters


def find(session: Session, question: Question) -> SearchHits:
    """Return the results of a question."""
    scope = scope_of(session, question)
    if scope is None:
        return SearchHits((), 0)
    if question.is_partial:
        shares = partial_matches(session, scope, question.terms)
        scope, question = replace(scope.known(tuple(shares)), match=None), replace(question, shares=shares)
    found = _found(session, question, scope)
    if not question.request.facets or (question.expression is not None and not found.total):
        return found
    return replace(found, facets=_facets(session, scope))


def count(session: Session, question: Question) -> int:
    """Return how many results a question with words has, counting captures to a limit."""
    scope = scope_of(session, question)
    return 0 if scope is None else counted(session, scope, MOST_COUNTED).total


def _found(session: Session, question: Question, scope: SearchScope) -> SearchHits:
    if question.is_ranked and question.expression is not None:
        return RankedSearch(session, question, scope).found()
    if browses_pages(question):
        return from_pages(session, question, scope)
    count = counted(session, scope, MOST_BROWSED if question.expression is None else MOST_COUNTED)
    hits = in_time(session, question, scope, question.offset, count)
    in_order = not question.request.include_non_2xx
    return SearchHits(hits, count.total, count.capped, documents=count.documents, in_time_order=in_order)


_FACETS = ("source", "year", "language", "type")
NO_FACETS: Facets = dict.fromkeys(_FACETS, ())


def _facets(session: Session, scope: SearchScope) -> Facets:
    """Return the facets of the results: counts by source, year, language and type. Of very many results, the first are
    counted."""
    what = "facets", scope.asks(), MOST_COUNTED
    return cached_result(session, scope.state, what, lambda: _divided(session, scope))


def _divided(session: Session, scope: SearchScope) -> Facets:
    counters: dict[str, Counter[str]] = {name: Counter() for name in _FACETS}
    codes = {source_id: code for source_id, code, *_ in scope.state}
    year = "substr(captured_at, 1, 4)" if scope.dialect == "sqlite" else "to_char(captured_at, 'YYYY')"
    rows = scope.execute(
        session,
        f"SELECT source_id, {year} AS year, language, kind, count(*) AS number FROM"
        f" (SELECT e.source_id, e.captured_at, e.language, e.kind {scope.gathered()} LIMIT :most) AS found"
        " GROUP BY 1, 2, 3, 4",
        most=MOST_COUNTED,
    )
    for source_id, *values, number in rows:
        for name, value in zip(_FACETS, (codes[source_id], *values), strict=True):
            if value:
                counters[name][value] += number
    return {name: tuple(FacetCount(*pair) for pair in _by_count(counter)) for name, counter in counters.items()}


@dataclass(frozen=True)
class Ends:
    """The oldest and the newest of some captures, and their number."""

    first: SnapshotView
    last: SnapshotView
    count: int
    capped: bool


def first_and_last(session: Session, question: Question) -> Ends | None:
    """Return the oldest and the newest capture that match a question; None when no capture does."""
    scope = scope_of(session, question)
    if scope is None:
        return None
    count = counted(session, scope, MOST_COUNTED)
    if not count.total:
        return None
    # Many captures are read in order of time from both ends; few are checked one by one.
    found = f"SELECT e.snapshot_id, e.captured_at {scope.walked() if count.capped else scope.gathered()}"
    ends = (
        fetch_hits(session, question, scope, found, order, most=1, skip=0)
        for order in (("captured_at", "snapshot_id"), NEWEST_FIRST)
    )
    first, last = (hit.view for hits in ends for hit in hits)
    return Ends(first, last, count.total, count.capped)


@dataclass(frozen=True)
class HitFacts:
    """The facts that decide a capture's position among the results."""

    snapshot_id: int
    document_id: int
    status_rank: int
    url_cost: int


def facts_of_hits(session: Session, hits: Sequence[Hit]) -> dict[int, HitFacts]:
    """Return the facts that decide the positions of captures, by snapshot."""
    rows = _HIT_FACTS.execute(session, {"ids": [hit.view.id for hit in hits]})
    return {row[0]: HitFacts(*row) for row in rows}


_HIT_FACTS = Among(
    "SELECT snapshot_id, document_id, status_rank, url_cost FROM search_entries WHERE snapshot_id IN <ids>",
    (("ids", "bigint"),),
    few=True,
)


def _by_count(counter: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counter.items(), key=lambda pair: (-pair[1], pair[0]))
