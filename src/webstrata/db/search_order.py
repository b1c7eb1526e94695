"""Results in order of time, and how many there are."""

from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, func, select
from sqlalchemy.orm import Session

from webstrata.db.fulltext import count_documents
from webstrata.db.ids import highest
from webstrata.db.search_question import Found, Hit, Question
from webstrata.db.search_scope import Scope
from webstrata.db.tables import Page
from webstrata.db.totals import totals
from webstrata.model.search import View, walks

# ruff: noqa: S608 - the parts of a statement are all ours; what readers write comes as parameters

MOST_COUNTED = 10_000
"""Captures that are counted where words are searched; then the answer says that there are more."""

MOST_BROWSED = 100_000
"""The same where nothing is searched for: those are met in order and need no looking up."""

_NO_LIMIT = 2**60


@dataclass(frozen=True)
class Count:
    """How many results there are."""

    total: int
    entries: int
    """The captures behind the total: as many, or more where a page is one result."""
    capped: bool


def counted(session: Session, scope: Scope, question: Question, most: int | None) -> Count:
    """Return how many results there are, counting captures to a limit, if there is one."""
    every_capture = scope.every_capture()
    pages = "count(DISTINCT page_id)" if question.request.view is View.PAGES else "count(*)"
    row = every_capture.execute(
        session,
        f"SELECT count(*), {pages} FROM (SELECT e.page_id {every_capture.gathered()} LIMIT :most) AS found",
        most=most or _NO_LIMIT,
    ).one()
    return Count(row[1], row[0], most is not None and row[0] >= most)


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
    archive = sum(total.snapshots for total in totals(session))
    found = _estimated(session, question, archive) if count.capped else count.entries
    walking = walks(skip + wanted, max(found, count.entries), archive)
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


def _estimated(session: Session, question: Question, archive: int) -> int:
    """Return about how many captures there are when counting stopped at a limit: as many as their texts say."""
    if question.expression is None:
        return archive
    documents = count_documents(session, question.expression, _NO_LIMIT)
    return documents * archive // max(1, highest(session, "documents"))


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
    counted = select(Page.id).where(*shown).limit(MOST_BROWSED).subquery()
    total = session.scalar(select(func.count()).select_from(counted)) or 0
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
