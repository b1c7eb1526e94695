"""Lists of change events: filtered, counted and paged, for the API, the pages, feeds and exports."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, SQLColumnExpression, case, func, literal_column, select, tuple_
from sqlalchemy.orm import InstrumentedAttribute, Session, aliased, defer

from webstrata.db.schema.change_tables import COUNTS, IS_SIGNIFICANT, SnapshotChange, TemplateChange
from webstrata.db.schema.tables import ArchiveJob, Snapshot, Source
from webstrata.db.sources.totals import HIDDEN_SOURCE
from webstrata.db.sources.visible import of_visible_source
from webstrata.db.sql.counting import count_rows
from webstrata.db.sql.planner_hints import exactly, unindexed
from webstrata.model.changes.values import SIGNIFICANT, ChangeType, Reason
from webstrata.model.notifications.values import ChangeReview, ReviewFilter, ReviewStatus


@dataclass(frozen=True)
class EventFilter:
    """Filter of change events."""

    source: str | None = None
    job_id: int | None = None
    is_latest: bool = False
    """Only those of each source's newest job with events."""
    includes_unchanged: bool = False
    from_date: date | None = None
    to_date: date | None = None
    min_significance: float = 0.0
    change_types: tuple[ChangeType, ...] = ()
    normalized_url_group: str | None = None
    review: ReviewFilter | None = None


@dataclass(frozen=True)
class EventView:
    """A change event for display, with the names of its source and page."""

    id: int
    change_type: ChangeType
    summary: str | None
    high_noise: bool
    has_diff: bool
    source_code: str
    source_name: str
    normalized_url_group: str
    title: str | None
    from_snapshot_id: int | None
    to_snapshot_id: int
    from_captured_at: datetime | None
    to_captured_at: datetime
    from_job_id: int | None
    to_job_id: int | None
    added_sections: int | None
    removed_sections: int | None
    changed_sections: int | None
    added_lines: int | None
    removed_lines: int | None
    change_ratio: float | None
    significance: float
    reasons: tuple[Reason, ...] = ()
    ignored: tuple[tuple[str, str], ...] = ()
    """Lines that differ and do not count, with the reason."""
    template_changed: bool = False
    diff_truncated: bool = False
    diff_version: str | None = None
    normalization_version: str | None = None
    computed_at: datetime | None = None
    error_message: str | None = None
    review: ChangeReview | None = None


@dataclass(frozen=True)
class TemplateChangeView:
    """A change of a site's template."""

    id: int
    source_code: str
    source_name: str
    from_job_id: int
    to_job_id: int
    summary: str
    pages: int
    computed_at: datetime
    added_lines: tuple[str, ...] = field(default=())
    removed_lines: tuple[str, ...] = field(default=())


def count_events(session: Session, filters: EventFilter) -> int:
    """Return how many events match the filter; exact unless `is_capped`."""
    of_one = [] if _is_of_every_capture(filters) else _newest(filters)[:-2]
    return count_rows(session, _matching(session, filters).order_by(*of_one))


def list_events(
    session: Session, filters: EventFilter, *, limit: int, offset: int = 0, by_significance: bool = False
) -> list[EventView]:
    """Return some of the events that match the filter: newest first, or most significant first."""
    order = _newest(replace(filters, change_types=()) if by_significance else filters)
    if by_significance:
        order = SnapshotChange.significance.desc(), *order
    # The events before the requested ones are skipped in an index, and only those are joined with their snapshots.
    chosen = _matching(session, filters).order_by(*order).limit(limit).offset(offset)
    rows = session.execute(_views().where(SnapshotChange.id.in_(chosen)).order_by(*order))
    return [_view(row) for row in rows]


def event_of_snapshot(session: Session, snapshot_id: int) -> EventView | None:
    """Return the event of a capture."""
    row = session.execute(_views().where(SnapshotChange.to_snapshot_id == snapshot_id)).one_or_none()
    return None if row is None else _view(row)


def events_of_snapshots(session: Session, snapshot_ids: Sequence[int]) -> list[EventView]:
    """Return the events of captures, newest first, but for those of the hidden source."""
    statement = _views().where(SnapshotChange.to_snapshot_id.in_(snapshot_ids), Source.code != HIDDEN_SOURCE)
    newest = (SnapshotChange.to_capture_timestamp.desc(), SnapshotChange.id.desc())
    return [_view(row) for row in session.execute(statement.order_by(*newest))]


def diff_of_event(session: Session, event_id: int) -> str | None:
    """Return the difference of an event as HTML, if one was stored."""
    return session.scalar(select(SnapshotChange.diff_html).where(SnapshotChange.id == event_id))


def significance_of_snapshots(session: Session, snapshot_ids: Sequence[int]) -> dict[int, tuple[ChangeType, float]]:
    """Return kind and significance of the events of captures, by snapshot."""
    query = select(SnapshotChange.to_snapshot_id, SnapshotChange.change_type, SnapshotChange.significance)
    rows = session.execute(query.where(SnapshotChange.to_snapshot_id.in_(snapshot_ids)))
    return {row[0]: (ChangeType(row[1]), row[2]) for row in rows}


def export_events(session: Session, filters: EventFilter, *, after_id: int, limit: int) -> Iterator[EventView]:
    """Yield events by ascending id, those after one."""
    # By their ids, however few match: every part then begins where the last one ended.
    conditions = _conditions(session, filters, unindexed)
    query = _views().where(SnapshotChange.id > after_id, *conditions).order_by(SnapshotChange.id)
    for row in session.execute(query.limit(limit)):
        yield _view(row)


def list_template_changes(session: Session, filters: EventFilter, *, limit: int = 20) -> list[TemplateChangeView]:
    """Return the changes of templates that belong to the events that match the filter, newest first."""
    query = select(TemplateChange, Source.code, Source.name).join(Source, TemplateChange.source_id == Source.id)
    query = query.where(*_template_conditions(session, filters)).order_by(TemplateChange.id.desc()).limit(limit)
    return [
        TemplateChangeView(
            change.id,
            code,
            name,
            change.from_job_id,
            change.to_job_id,
            change.summary,
            change.pages,
            change.computed_at,
            tuple(change.added_lines),
            tuple(change.removed_lines),
        )
        for change, code, name in session.execute(query)
    ]


def previous_snapshot(session: Session, snapshot_id: int) -> int | None:
    """Return the capture of the same page by the same source before a capture."""
    newer, older = aliased(Snapshot), aliased(Snapshot)
    query = (
        select(older.id)
        .join(newer, older.normalized_url_group == newer.normalized_url_group)
        .where(
            newer.id == snapshot_id,
            unindexed(older.source_id) == newer.source_id,
            tuple_(older.capture_timestamp, older.id) < tuple_(newer.capture_timestamp, newer.id),
        )
        .order_by(older.capture_timestamp.desc(), older.id.desc())
        .limit(1)
    )
    return session.scalar(query)


_OF_SOURCE = SnapshotChange.source_id == Source.id


def _views() -> Select[*tuple[Any, ...]]:
    before = aliased(Snapshot)
    # The title of an error page does not name the page that is gone.
    is_gone = SnapshotChange.change_type == ChangeType.UNAVAILABLE.value
    title = case((is_gone, func.coalesce(before.title, Snapshot.title)), else_=Snapshot.title)
    return (
        select(SnapshotChange, Source.code, Source.name, title)
        .join(Source, _OF_SOURCE)
        .join(Snapshot, SnapshotChange.to_snapshot_id == Snapshot.id)
        .outerjoin(before, SnapshotChange.from_snapshot_id == before.id)
        # It may be long, and lists do not show it.
        .options(defer(SnapshotChange.diff_html))
    )


def _code(filters: EventFilter) -> str | None:
    return None if filters.source is None else filters.source.lower()


def _matching(session: Session, filters: EventFilter) -> Select[int]:
    """Select the ids of the events that match the filter."""
    query = select(SnapshotChange.id).where(*_conditions(session, filters))
    if _is_of_every_capture(filters):
        query = query.join(Snapshot, SnapshotChange.to_snapshot_id == Snapshot.id)
    return query


def _newest(filters: EventFilter) -> tuple[ColumnElement[Any], ...]:
    if _is_of_every_capture(filters):
        return Snapshot.capture_timestamp.desc(), Snapshot.id.desc()
    newest = SnapshotChange.to_capture_timestamp.desc(), SnapshotChange.id.desc()
    # Of one job, source or type only the time differs; the column names the index: see `exactly`.
    if filters.job_id is not None:
        return SnapshotChange.to_job_id.desc(), *newest
    if filters.source is not None:
        return SnapshotChange.source_id.desc(), *newest
    return (SnapshotChange.change_type.desc(), *newest) if len(filters.change_types) == 1 else newest


def _is_of_every_capture(filters: EventFilter) -> bool:
    """Return whether nearly every capture has an event that matches: these are in the order of the captures' index."""
    is_of_some = filters.source is not None or filters.job_id is not None or filters.is_latest or filters.change_types
    return filters.includes_unchanged and not is_of_some and not filters.review and not filters.min_significance


def _captured_at(filters: EventFilter) -> InstrumentedAttribute[datetime]:
    return Snapshot.capture_timestamp if _is_of_every_capture(filters) else SnapshotChange.to_capture_timestamp


def _as_is(column: InstrumentedAttribute[Any]) -> SQLColumnExpression[Any]:
    return column


def _conditions(
    session: Session,
    filters: EventFilter,
    named: Callable[[InstrumentedAttribute[Any]], SQLColumnExpression[Any]] = _as_is,
) -> list[ColumnElement[bool]]:
    """Return the conditions of a filter; `named` may hide its columns from the planner."""
    conditions = of_visible_source(session, named(SnapshotChange.source_id), _code(filters))
    if filters.job_id is not None:
        conditions.append(exactly(named(SnapshotChange.to_job_id), filters.job_id))
    if filters.is_latest:
        conditions.append(named(SnapshotChange.to_job_id).in_(_latest_jobs(session, _code(filters))))
    if len(filters.change_types) == 1:
        conditions.append(exactly(named(SnapshotChange.change_type), filters.change_types[0].value))
    elif filters.change_types:
        conditions.append(named(SnapshotChange.change_type).in_([kind.value for kind in filters.change_types]))
    conditions += _counting(filters)
    conditions += _significant(filters.min_significance)
    if filters.normalized_url_group is not None:
        # The captures of a page are found by an index, and each has one event.
        captured = aliased(Snapshot)
        captures = select(captured.id).where(captured.normalized_url_group == filters.normalized_url_group)
        conditions.append(SnapshotChange.to_snapshot_id.in_(captures))
    conditions += _reviewed(filters.review)
    at = named(_captured_at(filters))
    if filters.from_date is not None:
        conditions.append(at >= datetime.combine(filters.from_date, time.min, UTC))
    if filters.to_date is not None:
        conditions.append(at <= datetime.combine(filters.to_date, time.max, UTC))
    return conditions


def _counting(filters: EventFilter) -> Iterator[ColumnElement[bool]]:
    """Leave out the events of unchanged captures, in the words of the indexes that do so, too."""
    if ChangeType.UNCHANGED in filters.change_types or (filters.includes_unchanged and not filters.change_types):
        return
    is_of_some = filters.source is not None or filters.job_id is not None
    if filters.min_significance >= SIGNIFICANT and not is_of_some:
        # The index of significant events is far smaller, and SQLite does not know that.
        yield unindexed(SnapshotChange.change_type) != ChangeType.UNCHANGED.value
    else:
        yield literal_column(COUNTS)


def _significant(least: float) -> Iterator[ColumnElement[bool]]:
    if least > 0:
        yield SnapshotChange.significance >= least
    if least >= SIGNIFICANT:
        # The condition of the index, word by word: SQLite does not conclude it. As a Boolean it would become `… = 1`.
        yield literal_column(IS_SIGNIFICANT)


def _reviewed(review: ReviewFilter | None) -> Iterator[ColumnElement[bool]]:
    if review is ReviewFilter.UNREVIEWED:
        yield SnapshotChange.review_status.is_(None)
    elif review is not None:
        yield SnapshotChange.review_status == review.value


def _template_conditions(session: Session, filters: EventFilter) -> list[ColumnElement[bool]]:
    conditions = of_visible_source(session, TemplateChange.source_id, _code(filters))
    if filters.job_id is not None:
        conditions.append(TemplateChange.to_job_id == filters.job_id)
    if filters.is_latest:
        conditions.append(TemplateChange.to_job_id.in_(_latest_jobs(session, _code(filters))))
    if filters.from_date is not None:
        conditions.append(TemplateChange.computed_at >= datetime.combine(filters.from_date, time.min, UTC))
    if filters.to_date is not None:
        conditions.append(TemplateChange.computed_at <= datetime.combine(filters.to_date, time.max, UTC))
    return conditions


def _latest_jobs(session: Session, source: str | None) -> list[int]:
    """Return the newest job with events of each source, or of one."""
    has_events = select(SnapshotChange.id).where(SnapshotChange.to_job_id == ArchiveJob.id).exists()
    newest = (
        select(ArchiveJob.id)
        .where(ArchiveJob.source_id == Source.id, has_events)
        .order_by(ArchiveJob.id.desc())
        .limit(1)
        .correlate(Source)
        .scalar_subquery()
    )
    query = select(newest)
    if source is not None:
        query = query.where(Source.code == source)
    return [job_id for job_id in session.scalars(query.select_from(Source)) if job_id is not None]


def _view(row: Row[*tuple[Any, ...]]) -> EventView:
    change, code, name, title = row
    return EventView(
        id=change.id,
        change_type=ChangeType(change.change_type),
        summary=change.summary,
        high_noise=change.high_noise,
        has_diff=change.diff_format is not None,
        source_code=code,
        source_name=name,
        normalized_url_group=change.normalized_url_group,
        title=title,
        from_snapshot_id=change.from_snapshot_id,
        to_snapshot_id=change.to_snapshot_id,
        from_captured_at=change.from_capture_timestamp,
        to_captured_at=change.to_capture_timestamp,
        from_job_id=change.from_job_id,
        to_job_id=change.to_job_id,
        added_sections=change.added_sections,
        removed_sections=change.removed_sections,
        changed_sections=change.changed_sections,
        added_lines=change.added_lines,
        removed_lines=change.removed_lines,
        change_ratio=change.change_ratio,
        significance=change.significance,
        reasons=tuple(Reason(**reason) for reason in change.reasons or ()),
        ignored=tuple((one["text"], one["reason"]) for one in change.ignored or ()),
        template_changed=change.template_changed,
        diff_truncated=change.diff_truncated,
        diff_version=change.diff_version,
        normalization_version=change.normalization_version,
        computed_at=change.computed_at,
        error_message=change.error_message,
        review=_review(change),
    )


def _review(change: SnapshotChange) -> ChangeReview | None:
    if change.review_status is None:
        return None
    return ChangeReview(ReviewStatus(change.review_status), change.review_note, change.reviewed_at, change.reviewed_by)
