"""Watches: added, listed, due, and the change events that belong to them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, ScalarSelect, Select, bindparam, delete, func, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import InstrumentedAttribute, Session

from webstrata.db.schema.change_tables import SnapshotChange
from webstrata.db.schema.tables import ArchiveJob, Snapshot, Source
from webstrata.db.schema.watching_tables import SiteEventRow, WatchEvent, WatchRow, WatchSiteEvent
from webstrata.db.sql import ids
from webstrata.db.sql.planner_hints import unindexed
from webstrata.errors import ConflictError, NotFoundError
from webstrata.model.jobs.job import UNDER_WAY
from webstrata.model.watching.site_events import SITE_EVENT_WORDS, SiteEventKind
from webstrata.model.watching.watches import CheckedWatch, Watch, WatchRules, WatchScope, WatchView


@dataclass(frozen=True)
class DueWatch:
    """A watch whose check is due, and the source whose job it becomes."""

    watch: Watch
    source_code: str


@dataclass(frozen=True)
class NewWatchEvent:
    """A change event that belongs to a watch."""

    watch_id: int
    to_snapshot_id: int
    significance: float
    """The significance of the change in the selected parts."""
    summary: str | None
    reasons: tuple[str, ...] = ()


def add_watch(session: Session, source_id: int, checked: CheckedWatch, page: str, now: datetime) -> Watch:
    """Store a watch that is due at once; ConflictError when there is one with the same address, scope and rules."""
    same = session.scalars(
        select(WatchRow).where(WatchRow.source_id == source_id, WatchRow.page == page, WatchRow.url == checked.url)
    )
    for row in same:
        if (row.scope, _rules(row)) == (checked.scope.value, checked.rules):
            command = f"webstrata remove-watch {row.id}"
            raise ConflictError(f"watch {row.id} watches {checked.url} already; remove it first", command=command)
    row = WatchRow(
        source_id=source_id,
        url=checked.url,
        scope=checked.scope.value,
        page=page,
        selector=checked.rules.selector,
        ignored=list(checked.rules.ignored) or None,
        min_significance=checked.min_significance,
        schedule=checked.schedule,
        next_run_at=now,
        created_at=now,
    )
    session.add(row)
    session.flush()
    return _watch(row)


def load_watch(session: Session, watch_id: int) -> Watch:
    """Return a watch; NotFoundError when there is none."""
    return _watch(_row(session, watch_id))


def remove_watch(session: Session, watch_id: int) -> Watch:
    """Remove a watch; its captures stay."""
    watch = load_watch(session, watch_id)
    session.execute(delete(WatchEvent).where(WatchEvent.watch_id == watch_id))
    session.execute(delete(WatchRow).where(WatchRow.id == watch_id))
    return watch


def set_paused(session: Session, watch_id: int, paused: bool) -> Watch:
    """Pause or resume a watch."""
    row = _row(session, watch_id)
    row.paused = paused
    session.flush()
    return _watch(row)


_WIDER = tuple(scope.value for scope in WatchScope if scope is not WatchScope.PAGE)


def watches_of_sources(session: Session, source_ids: Collection[int]) -> list[Watch]:
    """Return the watches of sources."""
    rows = session.scalars(select(WatchRow).where(WatchRow.source_id.in_(source_ids)).order_by(WatchRow.id))
    return [_watch(row) for row in rows]


def watches_covering(session: Session, source_ids: Collection[int], pages: Collection[str]) -> list[Watch]:
    """Return the watches of sources that some pages may belong to: those of the pages, and all of folders and sites."""
    of_sources = select(WatchRow).where(WatchRow.source_id.in_(source_ids))
    wider = [*session.scalars(of_sources.where(WatchRow.scope.in_(_WIDER)))]
    is_page = unindexed(WatchRow.scope) == WatchScope.PAGE.value
    of_pages = select(WatchRow).where(WatchRow.page.in_(pages), unindexed(WatchRow.source_id).in_(source_ids), is_page)
    return [_watch(row) for row in sorted([*wider, *session.scalars(of_pages)], key=lambda row: row.id)]


def all_watches(session: Session) -> list[tuple[Watch, str]]:
    """Return every watch, with the code of its source."""
    rows = session.execute(
        select(WatchRow, Source.code).join(Source, WatchRow.source_id == Source.id).order_by(WatchRow.id)
    )
    return [(_watch(row), code) for row, code in rows]


def restore_watch(session: Session, watch: Watch) -> bool:
    """Store a watch with its id, unless that is taken; return whether it was stored."""
    if session.get(WatchRow, watch.id) is not None:
        return False
    session.add(
        WatchRow(
            id=watch.id,
            source_id=watch.source_id,
            url=watch.url,
            scope=watch.scope.value,
            page=watch.page,
            selector=watch.rules.selector,
            ignored=list(watch.rules.ignored) or None,
            min_significance=watch.min_significance,
            schedule=watch.schedule,
            paused=watch.paused,
            next_run_at=watch.next_run_at,
            created_at=watch.created_at,
            first_job_id=watch.first_job_id,
            last_job_id=watch.last_job_id,
        )
    )
    session.flush()
    ids.lift(session, WatchRow.__tablename__, watch.id)
    return True


def count_watches(session: Session) -> int:
    """Return how many watches there are."""
    return session.scalar(select(func.count()).select_from(WatchRow)) or 0


def list_watches(
    session: Session, *, limit: int | None = None, offset: int = 0, watch_id: int | None = None
) -> list[WatchView]:
    """Return watches with their last check and their last change, by their ids."""
    chosen = select(WatchRow.id).order_by(WatchRow.id).limit(limit).offset(offset)
    chosen = chosen if watch_id is None else chosen.where(WatchRow.id == watch_id)
    ids = session.scalars(chosen).all()
    rows = session.execute(_views().where(WatchRow.id.between(ids[0], ids[-1]))).all() if ids else []
    events = _events(session, {row.last_snapshot for row in rows})
    site_wide = _site_events(session, {row.last_site_event for row in rows})
    return [_view(row, events.get((row[0].id, row.last_snapshot)), site_wide.get(row.last_site_event)) for row in rows]


def _views() -> Select[*tuple[Any, ...]]:
    """Return the query of watches, with the numbers and the newest of their events, looked up one by one."""
    of_pages, of_sites = WatchEvent.to_snapshot_id, WatchSiteEvent.site_event_id
    return (
        select(
            *(WatchRow, Source.code, Source.name, ArchiveJob.status, ArchiveJob.finished_at),
            _of_watch(func.count(of_pages), WatchEvent.watch_id).label("page_changes"),
            _of_watch(func.max(of_pages), WatchEvent.watch_id).label("last_snapshot"),
            _of_watch(func.count(of_sites), WatchSiteEvent.watch_id).label("site_changes"),
            _of_watch(func.max(of_sites), WatchSiteEvent.watch_id).label("last_site_event"),
        )
        .join(Source, WatchRow.source_id == Source.id)
        .outerjoin(ArchiveJob, ArchiveJob.id == WatchRow.last_job_id)
        .order_by(WatchRow.id)
    )


def _of_watch(value: ColumnElement[Any], watch_id: InstrumentedAttribute[int]) -> ScalarSelect[Any]:
    return select(value).where(watch_id == WatchRow.id).correlate(WatchRow).scalar_subquery()


def _events(session: Session, snapshot_ids: Collection[int]) -> dict[tuple[int, int], Row[Any]]:
    """Return the events of captures, by watch and capture."""
    columns = WatchEvent.watch_id, WatchEvent.to_snapshot_id, WatchEvent.summary, Snapshot.capture_timestamp
    rows = session.execute(
        select(*columns)
        .join(Snapshot, Snapshot.id == WatchEvent.to_snapshot_id)
        .where(WatchEvent.to_snapshot_id.in_(snapshot_ids))
    )
    return {(row[0], row[1]): row for row in rows}  # type: ignore[misc]


def _site_events(session: Session, ids: Collection[int]) -> dict[int, SiteEventRow]:
    return {row.id: row for row in session.scalars(select(SiteEventRow).where(SiteEventRow.id.in_(ids)))}


def _view(row: Row[*tuple[Any, ...]], event: Row[Any] | None, site_wide: SiteEventRow | None) -> WatchView:
    watch, code, name, status, finished_at, *_ = row
    changes = row.page_changes + row.site_changes
    view = WatchView(_watch(watch), code, name, last_check_at=finished_at, last_check_status=status, changes=changes)
    if site_wide is not None and (event is None or site_wide.at >= event.capture_timestamp):
        return replace(
            view,
            last_change_at=site_wide.at,
            last_change_summary=_site_words(site_wide),
            last_change_runs=(site_wide.from_job_id, site_wide.to_job_id),
        )
    if event is None:
        return view
    return replace(
        view,
        last_change_at=event.capture_timestamp,
        last_change_summary=event.summary,
        last_change_snapshot_id=event.to_snapshot_id,
    )


def _site_words(row: SiteEventRow) -> str:
    named = f": {row.title or row.page}" if row.page else ""
    return f"{SITE_EVENT_WORDS[SiteEventKind(row.kind)]}{named}"


def is_any_due(session: Session, now: datetime) -> bool:
    """Return whether the check of any watch is due."""
    due = select(WatchRow.id).where(WatchRow.next_run_at <= now, ~WatchRow.paused, Source.enabled, ~_busy())
    return session.scalar(due.join(Source, WatchRow.source_id == Source.id).limit(1)) is not None


def source_code(session: Session, source_id: int) -> str:
    """Return the code of a source."""
    return session.execute(select(Source.code).where(Source.id == source_id)).scalar_one()


def due_watches(session: Session, now: datetime, sources: int) -> list[DueWatch]:
    """Return all due watches of some sources, longest due first, locked; not of sources with a job under way."""
    due = (WatchRow.next_run_at <= now, ~WatchRow.paused)
    # Written so that the index of due watches is used; otherwise SQLite would read the watches of all sources.
    source_id = unindexed(WatchRow.source_id)
    chosen = session.scalars(
        select(source_id)
        .join(Source, WatchRow.source_id == Source.id)
        .where(*due, Source.enabled, ~_busy())
        .group_by(source_id)
        .order_by(func.min(WatchRow.next_run_at), source_id)
        .limit(sources)
    ).all()
    rows = session.execute(
        select(WatchRow, Source.code)
        .join(Source, WatchRow.source_id == Source.id)
        .where(*due, WatchRow.source_id.in_(chosen))
        .order_by(WatchRow.next_run_at, WatchRow.id)
        # Locked rows are skipped, so that several workers take different watches.
        .with_for_update(of=WatchRow, skip_locked=True)
    )
    return [DueWatch(_watch(row), code) for row, code in rows]


def _busy() -> ColumnElement[bool]:
    return (
        select(ArchiveJob.id)
        .where(ArchiveJob.source_id == WatchRow.source_id, ArchiveJob.status.in_(UNDER_WAY))
        .correlate(WatchRow)
        .exists()
    )


def take_due_runs(session: Session, job_id: int, turns: Mapping[int, datetime]) -> None:
    """Note the job that checks watches, and when each is due again."""
    rows = [{"number": watch_id, "due": due, "job": job_id} for watch_id, due in turns.items()]
    session.connection().execute(_TAKE_TURN, rows)


def note_errors(session: Session, watch_ids: Collection[int], reason: str, until: datetime) -> None:
    """Note why checks could not be queued, and when they are tried again."""
    session.execute(update(WatchRow).where(WatchRow.id.in_(watch_ids)).values(schedule_error=reason, next_run_at=until))


def save_watch_events(session: Session, events: Sequence[NewWatchEvent]) -> None:
    """Store the watches that change events belong to; existing entries are replaced."""
    if not events:
        return
    insert = (sqlite if session.get_bind().dialect.name == "sqlite" else postgresql).insert(WatchEvent)
    updated = {name: insert.excluded[name] for name in ("significance", "summary")}
    statement = insert.on_conflict_do_update(index_elements=["watch_id", "to_snapshot_id"], set_=updated)
    columns = ("watch_id", "to_snapshot_id", "significance", "summary")
    session.execute(statement, [{name: getattr(event, name) for name in columns} for event in events])


def forget_watch_events(session: Session, snapshot_ids: Collection[int]) -> None:
    """Delete the stored events of watches that are computed again."""
    session.execute(delete(WatchEvent).where(WatchEvent.to_snapshot_id.in_(snapshot_ids)))


def events_of_watch(session: Session, watch_id: int, limit: int) -> dict[int, str | None]:
    """Return the captures whose events belong to a watch, newest first, each with the summary of the change in the
    selected parts."""
    query = (
        select(WatchEvent.to_snapshot_id, WatchEvent.summary)
        .join(SnapshotChange, SnapshotChange.to_snapshot_id == WatchEvent.to_snapshot_id)
        .where(WatchEvent.watch_id == watch_id)
        .order_by(SnapshotChange.to_capture_timestamp.desc(), WatchEvent.to_snapshot_id.desc())
    )
    return {row.to_snapshot_id: row.summary for row in session.execute(query.limit(limit))}


def _row(session: Session, watch_id: int) -> WatchRow:
    row = session.get(WatchRow, watch_id)
    if row is None:
        raise NotFoundError(f"there is no watch {watch_id}", command="webstrata watches")
    return row


def _rules(row: WatchRow) -> WatchRules:
    return WatchRules(row.selector, tuple(map(str, row.ignored or ())))


def _watch(row: WatchRow) -> Watch:
    return Watch(
        id=row.id,
        source_id=row.source_id,
        url=row.url,
        scope=WatchScope(row.scope),
        page=row.page,
        rules=_rules(row),
        min_significance=row.min_significance,
        schedule=row.schedule,
        paused=row.paused,
        next_run_at=row.next_run_at,
        created_at=row.created_at,
        schedule_error=row.schedule_error,
        first_job_id=row.first_job_id,
        last_job_id=row.last_job_id,
    )


_WATCHES = WatchRow.__table__
_TAKE_TURN = (
    update(_WATCHES)  # type: ignore[arg-type]
    .where(_WATCHES.c.id == bindparam("number"))
    .values(
        next_run_at=bindparam("due"),
        last_job_id=bindparam("job"),
        first_job_id=func.coalesce(_WATCHES.c.first_job_id, bindparam("job")),
        schedule_error=None,
    )
)
