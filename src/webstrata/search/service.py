"""The search service: takes a query, returns a page of results."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from webstrata.content.tokens import tokens
from webstrata.db.engine import Database, Session
from webstrata.db.search import searching
from webstrata.db.search.question import Question, SearchHits
from webstrata.model.archive import SnapshotView
from webstrata.model.search.query import Expression, Intent, Query, parse_query
from webstrata.model.search.ranking import Ranking, Score, url_cost
from webstrata.model.search.terms import Term
from webstrata.model.search.values import Cursor, SearchRequest, SearchResponse, read_cursor
from webstrata.search.attempts import SearchAttempt, search_attempts
from webstrata.search.best_match import SearchOutcome, best_match, with_attempt
from webstrata.search.hits import HitPresenter
from webstrata.search.terms import expression_with_forms


@dataclass(frozen=True)
class Explained:
    """A result, and the parts of its score."""

    view: SnapshotView
    status_rank: int
    score: Score | None
    """None for results after the ranked ones; those are ordered newest first."""
    url_cost: float

    @property
    def total(self) -> float | None:
        """Return the score by which results are sorted."""
        return None if self.score is None else self.score.total - self.url_cost


@dataclass(frozen=True)
class Explanation:
    """The results of a search, the parsed query, and the score of each result."""

    response: SearchResponse
    searched: Expression | None
    hits: tuple[Explained, ...]
    terms: tuple[Term, ...] = ()
    """The words of a plain question except stop words, with their other forms."""


def search(database: Database, request: SearchRequest, *, pages_fastpath: bool = True) -> SearchResponse:
    """Return the requested page of results; UsageError when its cursor is invalid."""
    with database.read() as session:
        return _searched(session, request, pages_fastpath).response


def explain_search(database: Database, request: SearchRequest, *, pages_fastpath: bool = True) -> Explanation:
    """Return the same page of results, with the parts of each hit's score."""
    with database.read() as session:
        done = _searched(session, request, pages_fastpath)
        facts = searching.facts_of_hits(session, done.found.hits)
    scores = done.found.scores or {}
    hits = tuple(
        Explained(
            view,
            facts[view.id].status_rank,
            scores.get(facts[view.id].document_id),
            url_cost(facts[view.id].url_cost, request.ranking),
        )
        for view in done.response.results
        if view.id in facts
    )
    return Explanation(done.response, done.attempt.expression, hits, done.attempt.terms)


@dataclass(frozen=True)
class _FinishedSearch:
    response: SearchResponse
    attempt: SearchAttempt
    found: SearchHits


def _searched(session: Session, request: SearchRequest, pages_fastpath: bool) -> _FinishedSearch:
    cursor = read_cursor(request.cursor) if request.cursor else None
    query = parse_query(request.q, tokens) if request.q else None
    outcome = _find_hits(session, Question(request, cursor=cursor, pages_fastpath=pages_fastpath), query)
    attempt, found = outcome.attempt, outcome.found
    results = tuple(HitPresenter(attempt, request.q or "").present(hit) for hit in found.hits)
    all_words = found.total if outcome.total_all_words is None else outcome.total_all_words
    if attempt.is_partial and outcome.total_all_words is None:
        all_words = 0
    response = SearchResponse(
        results,
        found.total,
        request.page,
        request.page_size,
        total_capped=found.capped,
        facets=found.facets or searching.NO_FACETS if request.facets else None,
        next_cursor=_next(outcome.question, found),
        instead=attempt.instead,
        intent=attempt.intent,
        fallback=attempt.fallback,
        total_all_words=all_words if attempt.expression is not None else None,
        without=_missing_everywhere(results),
    )
    return _FinishedSearch(response, attempt, found)


def _find_hits(session: Session, question: Question, query: Query | None) -> SearchOutcome:
    """Return the results of the first attempt that finds something, else those of the first attempt."""
    if query is None:
        return SearchOutcome(SearchAttempt(Intent.PLAIN), question, searching.find(session, question))
    first: SearchOutcome | None = None
    for attempt in _attempts(session, question.request, query):
        attempted = with_attempt(question, attempt)
        outcome = SearchOutcome(attempt, attempted, searching.find(session, attempted))
        if outcome.found.total:
            return outcome
        first = first or outcome
    if _is_best_match(question.request, query) and query.plain:
        found = best_match(session, question, query)
        return found if found.found.total else first or found
    return first or SearchOutcome(SearchAttempt(query.intent), question, SearchHits((), 0))


def _attempts(session: Session, request: SearchRequest, query: Query) -> Iterator[SearchAttempt]:
    """Yield the attempts before, or instead of, the best match."""
    if _is_best_match(request, query):
        if query.address is not None:
            yield SearchAttempt(Intent.URL, address=query.address)
        return
    if query.expression is not None and request.ranking is Ranking.V2 and not request.exact:
        query = replace(query, expression=expression_with_forms(session, request.q or "", query.expression))
    yield from search_attempts(session, query, exact=request.exact)


def _is_best_match(request: SearchRequest, query: Query) -> bool:
    return query.intent is not Intent.ADVANCED and request.ranking is Ranking.V2 and not request.exact


def _missing_everywhere(results: Sequence[SnapshotView]) -> tuple[str, ...]:
    if not results:
        return ()
    first, *others = (result.missing_words for result in results)
    return tuple(word for word in first if all(word in missing for missing in others))


def _next(question: Question, found: SearchHits) -> str | None:
    """Return the cursor of the next page; None on the last page."""
    seen = question.offset + len(found.hits)
    if len(found.hits) < question.request.page_size or (seen >= found.total and not found.capped):
        return None
    last = found.hits[-1]
    return (Cursor(seen, last.view.captured_at, last.view.id) if found.in_time_order else Cursor(seen)).written()
