"""Site events in the database: compared runs, their events, and the lists for feeds."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session

from webstrata.db.assets.assets import batches
from webstrata.db.schema.change_tables import SnapshotChange
from webstrata.db.schema.tables import Snapshot, Source
from webstrata.db.schema.watching_tables import SiteComparisonRow, SiteEventRow, WatchSiteEvent
from webstrata.db.sources.totals import HIDDEN_SOURCE
from webstrata.db.sql.planner_hints import unindexed
from webstrata.model.changes.values import SIGNIFICANT, ChangeType
from webstrata.model.quality import GOOD
from webstrata.model.watching.site_events import SiteEvent, SiteEventKind

_REMOVED = SiteEventKind.REMOVED.value
_PAGES_AT_ONCE = 500


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


@dataclass(frozen=True)
class SiteEventReport:
    """A site event that a run found, and its number."""

    stored: StoredSiteEvent
    event_id: int
    is_known: bool = False
    """Whether a run of another scope reported it before."""


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


def save_site_events(session: Session, source_id: int, events: Sequence[StoredSiteEvent]) -> list[SiteEventReport]:
    """Store the site events of a run, except those that another run reported after the older of the two.

    Runs of different scopes, such as checks of a watched folder and of its site, find the same facts.
    """
    known = _known_events(session, source_id, events)
    rows = {one.key: _row(source_id, one) for one in events if _about(one.event) not in known}
    session.add_all(rows.values())
    session.flush()
    return [
        SiteEventReport(one, rows[one.key].id)
        if one.key in rows
        else SiteEventReport(replace(one, key=known[_about(one.event)].event_key), known[_about(one.event)].id, True)
        for one in events
    ]


def _known_events(
    session: Session, source_id: int, events: Sequence[StoredSiteEvent]
) -> dict[tuple[str, ...], SiteEventRow]:
    """Return the stored events about the same facts, reported after the older of the two runs."""
    if not events:
        return {}
    wanted = {_about(one.event): one.event for one in events}
    rows = _later_events(session, source_id, events[0].from_job_id, {one.event.page for one in events})
    found = {about: row for row in rows if (about := _about(_stored_event(row, "").event)) in wanted}
    gone = [row for about, row in found.items() if wanted[about].kind in _ABSENT]
    seen = _last_good_jobs(session, {row.page for row in gone})
    # A page that existed again after that has been removed once more.
    again = {row.id for row in gone if seen.get(row.page, 0) > row.to_job_id}
    return {about: row for about, row in found.items() if row.id not in again}


def _later_events(session: Session, source_id: int, job_id: int, pages: Collection[str]) -> Iterator[SiteEventRow]:
    """Yield the stored events of pages that runs after a job found."""
    later = (unindexed(SiteEventRow.source_id) == source_id, unindexed(SiteEventRow.to_job_id) > job_id)
    for some in batches(pages, _PAGES_AT_ONCE):
        yield from session.scalars(select(SiteEventRow).where(SiteEventRow.page.in_(some), *later))


_ABSENT = (SiteEventKind.REMOVED, SiteEventKind.MOVED)


def _about(event: SiteEvent) -> tuple[str, ...]:
    """Return the key of an event's fact."""
    detail = event.summary if event.kind is SiteEventKind.TEMPLATE else event.new_page or ""
    return event.kind.value, event.page, detail


def _last_good_jobs(session: Session, pages: Collection[str]) -> dict[str, int]:
    """Return the newest run that has a good capture of each page."""
    found: dict[str, int] = {}
    for some in batches(pages, _PAGES_AT_ONCE):
        rows = session.execute(
            select(Snapshot.normalized_url_group, func.max(Snapshot.job_id))
            .where(Snapshot.normalized_url_group.in_(some), Snapshot.quality >= GOOD)
            .group_by(Snapshot.normalized_url_group)
        )
        found |= {str(row[0]): int(row[1] or 0) for row in rows}
    return found


def _row(source_id: int, one: StoredSiteEvent) -> SiteEventRow:
    return SiteEventRow(
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


def save_watched(session: Session, watched: Mapping[int, Sequence[SiteEventReport]]) -> dict[int, set[str]]:
    """Store which site events belong to which watches, and return the keys of those that are new to each watch."""
    new: dict[int, set[str]] = {}
    for watch_id, reports in watched.items():
        numbers = [one.event_id for one in reports if one.is_known]
        has = select(WatchSiteEvent.site_event_id).where(
            WatchSiteEvent.watch_id == watch_id, WatchSiteEvent.site_event_id.in_(numbers)
        )
        there = {*session.scalars(has)} if numbers else set()
        fresh = [one for one in reports if one.event_id not in there]
        session.add_all(WatchSiteEvent(watch_id=watch_id, site_event_id=one.event_id) for one in fresh)
        new[watch_id] = {one.stored.key for one in fresh}
    session.flush()
    return new


def events_of_watch(session: Session, watch_id: int, limit: int) -> list[StoredSiteEvent]:
    """Return the newest site events that belong to a watch."""
    query = (
        select(SiteEventRow, Source.code)
        .join(WatchSiteEvent, WatchSiteEvent.site_event_id == SiteEventRow.id)
        .join(Source, SiteEventRow.source_id == Source.id)
        .where(WatchSiteEvent.watch_id == watch_id)
        .order_by(SiteEventRow.at.desc(), SiteEventRow.id)
    )
    return [_stored_event(row, code) for row, code in session.execute(query.limit(limit))]


def list_site_events(
    session: Session, *, source: str | None, page: str | None, min_significance: float, limit: int
) -> list[StoredSiteEvent]:
    """Return the newest site events of the archive, a source or a page."""
    query = select(SiteEventRow, Source.code).join(Source, SiteEventRow.source_id == Source.id)
    query = query.where(Source.code != HIDDEN_SOURCE)
    if source is not None:
        # Selected by source id, with which the index begins; by code PostgreSQL would read the events of all sources.
        query = query.where(
            SiteEventRow.source_id == select(Source.id).where(Source.code == source.lower()).scalar_subquery()
        )
    if page is not None:
        query = query.where(or_(SiteEventRow.page == page, SiteEventRow.new_page == page))
    if min_significance > SIGNIFICANT:
        query = query.where(SiteEventRow.kind == _REMOVED)
    rows = session.execute(query.order_by(SiteEventRow.at.desc(), SiteEventRow.id).limit(limit))
    return [_stored_event(row, code) for row, code in rows]


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


def _stored_event(row: SiteEventRow, code: str) -> StoredSiteEvent:
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
