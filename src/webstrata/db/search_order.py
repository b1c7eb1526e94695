"""Results in order of time, and how many there are."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, func, select
from sqlalchemy.orm import Session

from webstrata.db.ids import highest
from webstrata.db.search_memory import worked_out_once
from webstrata.db.search_question import Found, Hit, Question
from webstrata.db.search_scope import Scope
from webstrata.db.tables import Page
from webstrata.model.search import View, walks

# ruff: noqa: S608 - the parts of a statement are all ours; what readers write comes as parameters

MOST_COUNTED = 10_000
"""Captures that are counted where words are searched; then the answer says that there are more."""

MOST_BROWSED = 100_000
"""The same where nothing is searched for: those are met in order and need no looking up."""


@dataclass(frozen=True)
class Count:
    """How many results there are."""

    total: int
    entries: int
    """The captures behind the total: as many, or more where a page is one result."""
    capped: bool
    documents: int = 0
    """The texts that match, be they captured here or not."""


def counted(session: Session, scope: Scope, most: int) -> Count:
    """Return how many results there are, counting captures to a limit."""
    return worked_out_once(session, scope.state, (scope.asks(), most), lambda: _counted(session, scope, most))


def counting(scope: Scope) -> str:
    """Return the query that counts captures, results and texts, to the limit `counted`."""
    pages = "count(DISTINCT page_id)" if scope.request.view is View.PAGES else "count(*)"
    met = f"SELECT e.page_id {scope.every_capture().gathered()} LIMIT :counted"
    return f"SELECT count(*), {pages}, {scope.count_of_texts()} FROM ({met}) AS found"


def count_of(row: Sequence[int], most: int) -> Count:
    """Return what the query that counts found."""
    captures, results, documents = row
    return Count(results, captures, captures >= most, documents)


def _counted(session: Session, scope: Scope, most: int) -> Count:
    return count_of(scope.execute(session, counting(scope), counted=most).one(), most)


def in_time(session: Session, question: Question, scope: Scope, offset: int, count: Count) -> tuple[Hit, ...]:
    """Return the wanted results, newest first; those behind the counted ones are reached only by a cursor."""
    if question.cursor is None and count.capped and offset >= count.total:
        return ()
    return ordered(session, question, scope, count, skip=offset, wanted=question.request.page_size)


def ordered(
    session: Session, question: Question, scope: Scope, count: Count, *, skip: int, wanted: int
) -> tuple[Hit, ...]:
    """Return some results, newest first, walking or gathering as is cheaper."""
    cursor, also, given = question.cursor, "", {}
    # Where bad answers are shown after good ones, time alone does not say where the last page ended.
    if cursor is not None and cursor.at is not None and not question.request.include_non_2xx:
        also = " AND (e.captured_at, e.snapshot_id) < (:after_at, :after_id)"
        given, skip = {"after_at": cursor.at, "after_id": cursor.snapshot_id}, 0
    found = _estimated(session, scope, count) if count.capped else count.entries
    walking = walks(skip + wanted, max(found, count.entries), scope.captures)
    good_first = "e.status_rank, " if question.request.include_non_2xx else ""
    rows = scope.execute(
        session,
        f"SELECT e.snapshot_id, e.captured_at {scope.walked() if walking else scope.gathered()}{also}"
        f" ORDER BY {good_first}e.captured_at DESC, e.snapshot_id DESC LIMIT :most OFFSET :skip",
        most=wanted,
        skip=skip,
        **given,
    )
    return tuple(Hit(*row) for row in rows)


def _estimated(session: Session, scope: Scope, count: Count) -> int:
    """Return about how many captures there are when counting stopped at a limit: as many as their texts say."""
    if scope.match is None:
        return scope.captures
    return count.documents * scope.captures // max(1, highest(session, "documents"))


def browses_pages(question: Question) -> bool:
    """Tell whether all that is asked for stands in the table of pages."""
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


def from_pages(session: Session, question: Question, scope: Scope) -> Found:
    """Return the newest good capture of each page from the table of pages: all there is to browse without words."""
    shown: list[ColumnElement[bool]] = [Page.latest_ok_timestamp.is_not(None)]
    if scope.source_id is not None:
        shown.append(Page.source_id == scope.source_id)
    elif scope.hidden_source_id is not None:
        shown.append(Page.source_id != scope.hidden_source_id)
    some = select(Page.id).where(*shown).limit(MOST_BROWSED).subquery()
    number = select(func.count()).select_from(some)
    what = "pages", scope.asks(), MOST_BROWSED
    total = worked_out_once(session, scope.state, what, lambda: session.scalar(number) or 0)
    capped, cursor, skip = total >= MOST_BROWSED, question.cursor, question.offset
    if cursor is None and capped and skip >= total:
        return Found((), total, capped)
    if cursor is not None and cursor.at is not None:
        at, identity = cursor.at, cursor.snapshot_id
        older = Page.latest_ok_timestamp < at
        same = and_(Page.latest_ok_timestamp == at, Page.latest_ok_snapshot_id < identity)
        shown, skip = [*shown, older | same], 0
    rows = session.execute(
        select(Page.latest_ok_snapshot_id, Page.latest_ok_timestamp)
        .where(*shown)
        .order_by(Page.latest_ok_timestamp.desc(), Page.latest_ok_snapshot_id.desc())
        .limit(question.request.page_size)
        .offset(skip)
    )
    hits = tuple(Hit(row[0], row[1]) for row in rows if row[0] is not None and row[1] is not None)
    return Found(hits, total, capped, in_time_order=True)
