"""Rows of site events: which runs were compared, what was found, and the list for feeds."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from webstrata.db.schema.change_tables import SnapshotChange
from webstrata.db.schema.tables import Source
from webstrata.db.schema.watching_tables import SiteComparisonRow, SiteEventRow, WatchSiteEvent
from webstrata.db.sources.totals import HIDDEN_SOURCE
from webstrata.model.changes.values import SIGNIFICANT, ChangeType
from webstrata.model.watching.site_events import SiteEvent, SiteEventKind

_REMOVED = SiteEventKind.REMOVED.value


@dataclass(frozen=True)
class StoredSiteEvent:
    """A site event with its id, its two runs and the change events that it replaces."""

    event: SiteEvent
    key: str
    source_code: str
    from_job_id: int
    to_job_id: int
    at: datetime
    replaces: tuple[int, ...] = ()


def compared_runs(session: Session, job_ids: Collection[int]) -> set[int]:
    """Return which of some runs were compared already."""
    return {*session.scalars(select(SiteComparisonRow.to_job_id).where(SiteComparisonRow.to_job_id.in_([*job_ids])))}


def events_of_run(session: Session, job_id: int) -> list[tuple[int, ChangeType, str]]:
    """Return snapshot, kind and page of the change events of a run, but for those of unchanged pages."""
    columns = (SnapshotChange.to_snapshot_id, SnapshotChange.change_type, SnapshotChange.normalized_url_group)
    is_change = SnapshotChange.change_type != ChangeType.UNCHANGED.value
    rows = session.execute(select(*columns).where(SnapshotChange.to_job_id == job_id, is_change))
    return [(row[0], ChangeType(row[1]), row[2]) for row in rows]


def note_comparison(session: Session, to_job_id: int, from_job_id: int | None, now: datetime) -> None:
    """Note that a run was compared, so that it is not compared again."""
    session.add(SiteComparisonRow(to_job_id=to_job_id, from_job_id=from_job_id, compared_at=now))


def save_site_events(session: Session, source_id: int, events: Sequence[StoredSiteEvent]) -> dict[str, int]:
    """Store the site events of a run, and return their numbers by their keys."""
    rows = [
        SiteEventRow(
            event_key=one.key,
            source_id=source_id,
            from_job_id=one.from_job_id,
            to_job_id=one.to_job_id,
            kind=one.event.kind.value,
            page=one.event.page,
            title=one.event.title,
            summary=one.event.summary,
            from_snapshot_id=one.event.from_snapshot_id,
            to_snapshot_id=one.event.to_snapshot_id,
            new_page=one.event.new_page,
            replaces=list(one.replaces),
            at=one.at,
        )
        for one in events
    ]
    session.add_all(rows)
    session.flush()
    return {row.event_key: row.id for row in rows}


def save_watched(session: Session, watched: Mapping[int, Collection[int]]) -> None:
    """Store which site events belong to which watches: their numbers, by watch."""
    session.add_all(
        WatchSiteEvent(watch_id=watch_id, site_event_id=number)
        for watch_id, numbers in watched.items()
        for number in numbers
    )
    session.flush()


def events_of_watch(session: Session, watch_id: int, limit: int) -> list[StoredSiteEvent]:
    """Return the newest site events that belong to a watch."""
    query = (
        select(SiteEventRow, Source.code)
        .join(WatchSiteEvent, WatchSiteEvent.site_event_id == SiteEventRow.id)
        .join(Source, SiteEventRow.source_id == Source.id)
        .where(WatchSiteEvent.watch_id == watch_id)
        .order_by(SiteEventRow.at.desc(), SiteEventRow.id)
    )
    return [_stored(row, code) for row, code in session.execute(query.limit(limit))]


def list_site_events(
    session: Session, *, source: str | None, page: str | None, min_significance: float, limit: int
) -> list[StoredSiteEvent]:
    """Return the newest site events of the archive, a source or a page."""
    query = select(SiteEventRow, Source.code).join(Source, SiteEventRow.source_id == Source.id)
    query = query.where(Source.code != HIDDEN_SOURCE)
    if source is not None:
        query = query.where(Source.code == source.lower())
    if page is not None:
        query = query.where(or_(SiteEventRow.page == page, SiteEventRow.new_page == page))
    if min_significance > SIGNIFICANT:
        query = query.where(SiteEventRow.kind == _REMOVED)
    rows = session.execute(query.order_by(SiteEventRow.at.desc(), SiteEventRow.id).limit(limit))
    return [_stored(row, code) for row, code in rows]


def replaced_by(
    events: Sequence[SiteEvent], changes: Sequence[tuple[int, ChangeType, str]]
) -> Mapping[SiteEvent, tuple[int, ...]]:
    """Return the snapshots whose change events each site event replaces."""
    by_page: dict[str, list[tuple[int, ChangeType]]] = {}
    for snapshot_id, kind, page in changes:
        by_page.setdefault(page, []).append((snapshot_id, kind))
    return {
        event: tuple(
            number
            for page in dict.fromkeys((event.page, event.new_page or event.page))
            for number, kind in by_page.get(page, ())
            if event.replaces(kind, page)
        )
        for event in events
    }


def _stored(row: SiteEventRow, code: str) -> StoredSiteEvent:
    event = SiteEvent(
        SiteEventKind(row.kind),
        row.page,
        row.title,
        row.summary,
        row.from_snapshot_id,
        row.to_snapshot_id,
        row.new_page,
    )
    return StoredSiteEvent(
        event, row.event_key, code, row.from_job_id, row.to_job_id, row.at, tuple(map(int, row.replaces))
    )
