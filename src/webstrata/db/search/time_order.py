"""Results in order of time, and their number."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from webstrata.db.search.cache import cached_result
from webstrata.db.search.question import Hit, Question, SearchHits
from webstrata.db.search.result_rows import GOOD_FIRST, NEWEST_FIRST, fetch_hits
from webstrata.db.search.scope import SearchScope
from webstrata.model.search.values import View, walks

# ruff: noqa: S608 - the parts of a statement are constants; users' input is passed as parameters

MOST_COUNTED = 10_000
"""The most captures that are counted when searching words; if there are more, the result is marked as capped."""

MOST_BROWSED = 100_000
"""The same for browsing without words: captures are read in order and need no lookup."""


_WALKED_AS_ONE = 3
"""How many captures can be walked in the time that gathering and sorting one takes: measured on both databases, at
100,000 and at a million captures."""


@dataclass(frozen=True)
class Count:
    """How many results there are."""

    total: int
    entries: int
    """The number of captures in the total: more than `total` when each result is a page."""
    capped: bool
    documents: int
    """The number of matching texts, with or without captures in the scope."""
    last_document: int
    """The highest id of a text, about the number of texts."""


def counted(session: Session, scope: SearchScope, most: int) -> Count:
    """Return how many results there are, counting captures to a limit."""
    return cached_result(session, scope.state, (scope.asks(), most), lambda: _counted(session, scope, most))


COUNTS = ("captures", "results", "documents", "last_document")
"""The columns of the query that counts."""


def counting(scope: SearchScope) -> str:
    """Return the query that counts captures, results and texts, to the limit `counted`."""
    results = "count(DISTINCT page_id)" if scope.request.view is View.PAGES else "count(*)"
    met = f"SELECT e.page_id {scope.every_capture().gathered()} LIMIT :counted"
    numbers = "count(*)", results, scope.count_of_texts(), "(SELECT coalesce(max(id), 0) FROM documents)"
    named = ", ".join(f"{number} AS {name}" for number, name in zip(numbers, COUNTS, strict=True))
    return f"SELECT {named} FROM ({met}) AS found"


def count_of(row: Sequence[int], most: int) -> Count:
    """Return the count from the row of the query."""
    captures, results, documents, last_document = row
    return Count(results, captures, captures >= most, documents, last_document)


def _counted(session: Session, scope: SearchScope, most: int) -> Count:
    return count_of(scope.execute(session, counting(scope), counted=most).one(), most)


def in_time(session: Session, question: Question, scope: SearchScope, offset: int, count: Count) -> tuple[Hit, ...]:
    """Return the requested results, newest first; those after the counted ones are reached only by a cursor."""
    if question.cursor is None and count.capped and offset >= count.total:
        return ()
    return ordered(session, question, scope, count, skip=offset, requested=question.request.page_size)


def ordered(
    session: Session, question: Question, scope: SearchScope, count: Count, *, skip: int, requested: int
) -> tuple[Hit, ...]:
    """Return some results, newest first, walking or gathering as is cheaper."""
    cursor, also, given = question.cursor, "", {}
    # If error pages are shown last, a time is not enough to know where the last page ended.
    if cursor is not None and cursor.at is not None and not question.request.include_non_2xx:
        also = " AND (e.captured_at, e.snapshot_id) < (:after_at, :after_id)"
        given, skip = {"after_at": cursor.at, "after_id": cursor.snapshot_id}, 0
    found = _estimated(scope, count) if count.capped else count.entries
    walking = walks((skip + requested) // _WALKED_AS_ONE, max(found, count.entries), scope.captures)
    good_first = (GOOD_FIRST,) if question.request.include_non_2xx else ()
    return fetch_hits(
        session,
        question,
        scope,
        f"SELECT e.snapshot_id, e.captured_at{', e.status_rank' if good_first else ''}"
        f" {scope.walked() if walking else scope.gathered()}{also}",
        (*good_first, *NEWEST_FIRST),
        most=requested,
        skip=skip,
        **given,
    )


def _estimated(scope: SearchScope, count: Count) -> int:
    """Return an estimate of the captures when counting stopped at a limit: as many as their texts have."""
    if scope.match is None and scope.documents is None:
        return scope.captures
    return count.documents * scope.captures // max(1, count.last_document)


def browses_pages(question: Question) -> bool:
    """Return whether the table of pages has all that the request needs."""
    request = question.request
    narrowed = (request.from_date, request.to_date, request.as_of, request.language, request.kind, request.year)
    return (
        question.pages_fastpath
        and request.view is View.PAGES
        and question.expression is None
        and question.address is None
        and not request.include_non_2xx
        and not any(narrowed)
    )


def from_pages(session: Session, question: Question, scope: SearchScope) -> SearchHits:
    """Return the newest good capture of each page from the table of pages, for browsing without words."""
    what = "pages", scope.asks(), MOST_BROWSED
    total = cached_result(session, scope.state, what, lambda: _number_of_pages(session, scope))
    capped, cursor, skip, given, older = total >= MOST_BROWSED, question.cursor, question.offset, {}, ""
    if cursor is None and capped and skip >= total:
        return SearchHits((), total, capped)
    if cursor is not None and cursor.at is not None:
        older = (
            " AND (p.latest_ok_timestamp < :after_at"
            " OR p.latest_ok_timestamp = :after_at AND p.latest_ok_snapshot_id < :after_id)"
        )
        given, skip = {"after_at": cursor.at, "after_id": cursor.snapshot_id}, 0
    hits = fetch_hits(
        session,
        question,
        scope,
        f"SELECT p.latest_ok_snapshot_id AS snapshot_id, p.latest_ok_timestamp AS captured_at {_pages(scope)}{older}",
        NEWEST_FIRST,
        most=question.request.page_size,
        skip=skip,
        **given,
    )
    return SearchHits(hits, total, capped, in_time_order=True)


def _number_of_pages(session: Session, scope: SearchScope) -> int:
    some = f"SELECT p.id {_pages(scope)} LIMIT :most"
    number: int = scope.execute(session, f"SELECT count(*) FROM ({some}) AS found", most=MOST_BROWSED).scalar_one()
    return number


def _pages(scope: SearchScope) -> str:
    """Return FROM and WHERE of the pages that have a good capture."""
    if scope.source_id is not None:
        here = " AND p.source_id = :source"
    else:
        here = " AND p.source_id <> :hidden" if scope.hidden_source_id is not None else ""
    return f"FROM pages p WHERE p.latest_ok_timestamp IS NOT NULL{here}"
