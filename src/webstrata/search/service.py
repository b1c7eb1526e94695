"""A search from question to answer."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain

from webstrata.content.tokens import tokens
from webstrata.db import searching
from webstrata.db.engine import Database, Session
from webstrata.db.search_question import Found, Hit, Question
from webstrata.model.archive import SnapshotView
from webstrata.model.query import Expression, Intent, Query, understood, wanted_words
from webstrata.model.ranking import Score, url_cost
from webstrata.model.search import Cursor, Fallback, SearchRequest, SearchResponse, read_cursor
from webstrata.search.asked import Asked, asked_ways
from webstrata.search.passage import passage


@dataclass(frozen=True)
class Explained:
    """Why a result stands where it stands."""

    view: SnapshotView
    status_rank: int
    score: Score | None
    """None for a result behind those that are ranked: there the newest come first."""
    url_cost: float

    @property
    def total(self) -> float | None:
        """Return the score by which it is ordered."""
        return None if self.score is None else self.score.total - self.url_cost


@dataclass(frozen=True)
class Explanation:
    """An answer, how its question was understood, and each result's score."""

    response: SearchResponse
    searched: Expression | None
    hits: tuple[Explained, ...]


def search(database: Database, request: SearchRequest, *, pages_fastpath: bool = True) -> SearchResponse:
    """Return the page of results that a request asks for; UsageError when its cursor is none."""
    with database.read() as session:
        return _searched(session, request, pages_fastpath).response


def explained(database: Database, request: SearchRequest, *, pages_fastpath: bool = True) -> Explanation:
    """Return the same page of results, with each hit's score part by part."""
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
    return Explanation(done.response, done.asked.expression, hits)


@dataclass(frozen=True)
class _Done:
    response: SearchResponse
    asked: Asked
    found: Found


def _searched(session: Session, request: SearchRequest, pages_fastpath: bool) -> _Done:
    cursor = read_cursor(request.cursor) if request.cursor else None
    query = understood(request.q, tokens) if request.q else None
    asked, question, found = _first_that_finds(
        session, Question(request, cursor=cursor, pages_fastpath=pages_fastpath), query
    )
    response = SearchResponse(
        tuple(_marked(asked, hit) for hit in found.hits),
        found.total,
        request.page,
        request.page_size,
        total_capped=found.capped,
        facets=found.facets or searching.NO_FACETS if request.facets else None,
        next_cursor=_next(question, found),
        instead=asked.instead,
        intent=asked.intent,
        fallback=asked.fallback,
    )
    return _Done(response, asked, found)


def _first_that_finds(session: Session, question: Question, query: Query | None) -> tuple[Asked, Question, Found]:
    """Return the first way to ask that finds something, or the first of all, and what it finds."""
    if query is None:
        return Asked(Intent.PLAIN), question, searching.find(session, question)
    ways = asked_ways(session, query)
    first = next(ways, None)
    if first is None:
        return Asked(query.intent), question, Found((), 0)
    for asked in chain((first,), ways):
        put = _put(question, asked)
        found = searching.find(session, put)
        if found.total:
            return asked, put, found
    return first, _put(question, first), Found((), 0)


def _put(question: Question, asked: Asked) -> Question:
    return replace(question, expression=asked.expression, phrases=asked.phrases, address=asked.address)


def _next(question: Question, found: Found) -> str | None:
    """Return where the next page begins, unless this one was the last."""
    seen = question.offset + len(found.hits)
    if len(found.hits) < question.request.page_size or (seen >= found.total and not found.capped):
        return None
    last = found.hits[-1]
    return (Cursor(seen, last.view.captured_at, last.view.id) if found.in_time_order else Cursor(seen)).written()


def _marked(asked: Asked, hit: Hit) -> SnapshotView:
    """Return a result with the passage that matched, the hits in it marked."""
    if asked.expression is None:
        return hit.view
    return replace(hit.view, marked_snippet=passage(hit.text, set(_words_in(asked, hit.text))))


def _words_in(asked: Asked, text: str) -> Iterator[str]:
    """Yield the words to be marked; where beginnings were searched, the words that begin so."""
    for part in wanted_words(asked.expression):
        yield from part.words
    if asked.fallback is Fallback.PREFIX:
        beginnings = tuple(part.words[-1] for part in wanted_words(asked.expression) if part.prefix)
        yield from (word for word in set(tokens(text)) if word.startswith(beginnings))
