"""Finding snapshots: by words, source, time and status, every capture or one a page."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, case, exists, func, or_, select
from sqlalchemy.orm import Session, aliased

from webstrata.db import catalog
from webstrata.db.fulltext import matching_documents
from webstrata.db.snapshots import is_ok
from webstrata.db.tables import Document, Page, Snapshot, Source
from webstrata.model.archive import SnapshotView
from webstrata.model.search import SearchRequest, Sort, View

Matches = Select[*tuple[Any, ...]]


@dataclass(frozen=True)
class Found:
    """One page of results and how many there are in all."""

    views: tuple[SnapshotView, ...]
    total: int


def find_snapshots(session: Session, request: SearchRequest, words: Sequence[str]) -> Found:
    """Return the snapshots that a request asks for; `words` are its query, folded, or empty to browse."""
    matches = _matches(session, request, words)
    if request.view is View.PAGES:
        matches = _newest_of_each_page(matches)
    return _page_of(session, request, matches)


def browse_pages(session: Session, request: SearchRequest) -> Found:
    """Return the newest snapshot of each page from the pages table: all there is to browse without words and dates."""
    newest = Page.latest_snapshot_id if request.include_non_2xx else Page.latest_ok_snapshot_id
    pages = (
        select(Snapshot.id, Snapshot.capture_timestamp, _rank_of_status().label("status_rank"))
        .join(Page, newest == Snapshot.id)
        .join(Source, Page.source_id == Source.id)
        .where(_of_source(request))
    )
    return _page_of(session, request, pages)


def texts_of(session: Session, snapshot_ids: Sequence[int]) -> dict[int, str]:
    """Return the full text behind snapshots."""
    rows = session.execute(
        select(Snapshot.id, Document.text)
        .join(Document, Snapshot.document_id == Document.id)
        .where(Snapshot.id.in_(snapshot_ids))
    )
    return {row.id: row.text for row in rows}


def _matches(session: Session, request: SearchRequest, words: Sequence[str]) -> Matches:
    """Select the ids of all matching snapshots with what orders them."""
    matches = (
        select(
            Snapshot.id,
            Snapshot.capture_timestamp,
            Snapshot.source_id,
            Snapshot.normalized_url_group,
            _rank_of_status().label("status_rank"),
        )
        .join(Source, Snapshot.source_id == Source.id)
        .where(_of_source(request), *_in_time(request))
    )
    if words:
        matching = matching_documents(session, words)
        matches = matches.join(matching, matching.c.document_id == Snapshot.document_id).add_columns(matching.c.score)
    if not request.include_non_2xx:
        matches = matches.where(is_ok())
    if not request.include_duplicates:
        matches = matches.where(~_repeated_that_day())
    return matches


def _newest_of_each_page(matches: Matches) -> Matches:
    ranked = matches.add_columns(
        func.row_number()
        .over(
            partition_by=(Snapshot.source_id, Snapshot.normalized_url_group),
            order_by=(Snapshot.capture_timestamp.desc(), Snapshot.id.desc()),
        )
        .label("place")
    ).subquery()
    return select(ranked).where(ranked.c.place == 1)


def _page_of(session: Session, request: SearchRequest, matches: Matches) -> Found:
    """Order the matches, cut the page out, and bring what a reader sees of it."""
    matching = matches.subquery("matches")
    total = session.scalar(select(func.count()).select_from(matching)) or 0
    order: list[ColumnElement[Any]] = [matching.c.status_rank] if request.include_non_2xx else []
    if request.effective_sort is Sort.RELEVANCE and "score" in matching.c:
        order.append(matching.c.score.desc())
    order += [matching.c.capture_timestamp.desc(), matching.c.id.desc()]
    ids = session.scalars(
        select(matching.c.id).order_by(*order).limit(request.page_size).offset((request.page - 1) * request.page_size)
    ).all()
    views = {
        row[0].id: catalog.to_view(row) for row in session.execute(catalog.snapshot_rows().where(Snapshot.id.in_(ids)))
    }
    if request.view is View.PAGES:
        counts = _captures_of_pages(session, ids)
        views = {key: replace(view, page_snapshots_count=counts.get(key)) for key, view in views.items()}
    return Found(tuple(views[snapshot_id] for snapshot_id in ids), total)


def _captures_of_pages(session: Session, ids: Sequence[int]) -> dict[int, int]:
    rows = session.execute(
        select(Snapshot.id, Page.snapshot_count)
        .join(
            Page,
            and_(Page.source_id == Snapshot.source_id, Page.normalized_url_group == Snapshot.normalized_url_group),
        )
        .where(Snapshot.id.in_(ids))
    )
    return {row.id: row.snapshot_count for row in rows}


def _of_source(request: SearchRequest) -> ColumnElement[bool]:
    shown = Source.code != catalog.HIDDEN_SOURCE
    return shown if request.source is None else and_(shown, Source.code == request.source.lower())


def _in_time(request: SearchRequest) -> list[ColumnElement[bool]]:
    """Select by UTC days, both ends included."""
    bounds: list[ColumnElement[bool]] = []
    if request.from_date is not None:
        bounds.append(Snapshot.capture_timestamp >= datetime.combine(request.from_date, time(), UTC))
    if request.to_date is not None and request.to_date.year < 9999:
        bounds.append(Snapshot.capture_timestamp < datetime.combine(request.to_date + timedelta(days=1), time(), UTC))
    return bounds


def _rank_of_status() -> ColumnElement[int]:
    """Put good answers first, then redirects, then unknown ones, then errors."""
    status = Snapshot.status_code
    return case((status.between(200, 299), 0), (status.between(300, 399), 1), (status.is_(None), 2), else_=3)


def _repeated_that_day() -> ColumnElement[bool]:
    """Select a capture that another of the same page, with the same content and status, follows on the same UTC day."""
    later = aliased(Snapshot)
    return exists().where(
        later.source_id == Snapshot.source_id,
        later.normalized_url_group == Snapshot.normalized_url_group,
        later.content_hash == Snapshot.content_hash,
        later.status_code.is_not_distinct_from(Snapshot.status_code),
        func.date(later.capture_timestamp) == func.date(Snapshot.capture_timestamp),
        or_(
            later.capture_timestamp > Snapshot.capture_timestamp,
            and_(later.capture_timestamp == Snapshot.capture_timestamp, later.id > Snapshot.id),
        ),
    )
