"""Adds change events to the outbox, in the transaction that stores the events, and collects digests of runs."""

import hashlib
import heapq
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import func, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from webstrata.db.changes.changes import NewEvent
from webstrata.db.schema.change_tables import TemplateChange
from webstrata.db.schema.notification_tables import OutboxMessage, SubscriptionRow
from webstrata.db.schema.tables import ArchiveJob, Snapshot, Source
from webstrata.db.watching.site_events import SiteEventReport, StoredSiteEvent
from webstrata.db.watching.watches import NewWatchEvent
from webstrata.model.changes.values import ChangeType
from webstrata.model.notifications.messages import MAX_LISTED, MessageKind, digest_payload
from webstrata.model.notifications.rules import event_key, is_notified

_SILENT = (ChangeType.UNCHANGED.value, ChangeType.ERROR.value)
_COMPARED = (ChangeType.UPDATED.value, ChangeType.UNCHANGED.value)
_ROWS_AT_ONCE = 500


@dataclass(frozen=True)
class EventMatch:
    """A watch or a saved search that an event belongs to."""

    to_snapshot_id: int
    watch_id: int | None = None
    saved_search_id: int | None = None
    watched: NewWatchEvent | None = None
    """The event for the watch."""


def is_announced(event: NewEvent) -> bool:
    """Return whether an event may be of interest to any subscription."""
    return event.is_announced and event.change_type not in _SILENT


def announce(session: Session, events: Sequence[NewEvent], matches: Collection[EventMatch], now: datetime) -> int:
    """Add events to the outbox of every subscription that they belong to, and return the number of messages.

    An event is added once per subscription, even if it is computed again.
    """
    watched = {match.to_snapshot_id for match in matches if match.watched is not None}
    fresh = [one for one in events if is_announced(one) or (one.is_announced and one.to_snapshot_id in watched)]
    subscriptions = _subscriptions_of(session, fresh, matches) if fresh else []
    if not subscriptions:
        return 0
    chosen = _Chooser(session, matches).choose(subscriptions, fresh)
    payloads = _payloads(session, {event.to_snapshot_id: event for _, event in chosen})
    rows = [
        _row(subscription, event, {**payloads[event.to_snapshot_id], **_seen_payload(event)}, now)
        for subscription, event in chosen
    ]
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        _insert(session, rows[start : start + _ROWS_AT_ONCE])
    return len(rows)


def announce_site(
    session: Session,
    source_id: int,
    reports: Sequence[SiteEventReport],
    watched: Mapping[int, Collection[str]],
    now: datetime,
) -> None:
    """Add the site events of a run to the outbox of the subscriptions to its source, its pages and its watches.

    `watched` has the keys of the events that are new to each watch.
    """
    # All subscriptions are loaded: they are few, and a run has more pages than a statement has parameters.
    others = or_(SubscriptionRow.page.is_not(None), SubscriptionRow.watch_id.is_not(None))
    concerned = or_(SubscriptionRow.source_id == source_id, others)
    rows = session.scalars(select(SubscriptionRow).where(concerned).order_by(SubscriptionRow.id)) if reports else ()
    name = session.scalar(select(Source.name).where(Source.id == source_id))
    waiting = [
        _site_row(row, one.stored, name or one.stored.source_code, now)
        for row in rows
        for one in reports
        if _is_subscribed(row, one, watched)
    ]
    for start in range(0, len(waiting), _ROWS_AT_ONCE):
        _insert(session, waiting[start : start + _ROWS_AT_ONCE])


def _site_row(row: SubscriptionRow, one: StoredSiteEvent, source_name: str, now: datetime) -> dict[str, Any]:
    return {
        "subscription_id": row.id,
        "event_key": one.key,
        "kind": MessageKind.CHANGE.value,
        "job_id": one.to_job_id,
        "payload": _site_payload(one, source_name),
        "created_at": now,
        "due_at": None,
        "attempts": 0,
    }


def _is_subscribed(row: SubscriptionRow, report: SiteEventReport, watched: Mapping[int, Collection[str]]) -> bool:
    one = report.stored
    if row.watch_id is not None:
        is_about = one.key in watched.get(row.watch_id, ())
    else:
        is_new = not report.is_known
        is_about = is_new and (row.page is None or row.page in (one.event.page, one.event.new_page))
    return is_about and one.at >= row.created_at and one.event.significance >= row.min_significance


def _site_payload(one: StoredSiteEvent, source_name: str) -> dict[str, Any]:
    event = one.event
    return {
        "eventId": one.key,
        "changeType": event.kind.value,
        "significance": event.significance,
        "summary": event.summary,
        "reasons": [],
        "title": event.title,
        "url": event.new_page or event.page,
        "page": event.page,
        "newPage": event.new_page,
        "sourceCode": one.source_code,
        "sourceName": source_name,
        "fromJobId": one.from_job_id,
        "jobId": one.to_job_id,
        "fromSnapshotId": event.from_snapshot_id,
        "toSnapshotId": event.to_snapshot_id,
        "replaces": list(one.replaces),
    }


def has_uncollected(session: Session) -> bool:
    """Return whether any event waits for the end of its run."""
    return session.scalar(select(OutboxMessage.id).where(*_UNCOLLECTED).limit(1)) is not None


def collect_digests(session: Session, source_id: int, now: datetime) -> int:
    """Release the events of ended runs, as a digest per subscription and run or as single messages; return the
    number."""
    waiting = (
        select(OutboxMessage.subscription_id, OutboxMessage.job_id, SubscriptionRow.digest)
        .join(ArchiveJob, OutboxMessage.job_id == ArchiveJob.id)
        .join(SubscriptionRow, OutboxMessage.subscription_id == SubscriptionRow.id)
        .where(*_UNCOLLECTED, ArchiveJob.source_id == source_id)
        .distinct()
        .order_by(OutboxMessage.job_id, OutboxMessage.subscription_id)
    )
    groups = session.execute(waiting).all()
    for subscription_id, job_id, is_digest in groups:
        (_collect if is_digest else _release)(session, subscription_id, job_id or 0, now)
    return len(groups)


_UNCOLLECTED = (OutboxMessage.due_at.is_(None), OutboxMessage.digest_id.is_(None))


def _collect(session: Session, subscription_id: int, job_id: int, now: datetime) -> None:
    """Make the digest of one run for one subscription."""
    waiting = (*_UNCOLLECTED, OutboxMessage.subscription_id == subscription_id, OutboxMessage.job_id == job_id)
    query = select(OutboxMessage.event_key, OutboxMessage.payload).where(*waiting).order_by(OutboxMessage.event_key)
    by_type: Counter[str] = Counter()
    keys = hashlib.sha256()
    site = session.scalars(select(OutboxMessage.payload).where(*waiting, OutboxMessage.event_key.not_like("change-%")))
    replaced = {number for payload in site for number in payload["replaces"]}
    rows = session.execute(query).yield_per(_ROWS_AT_ONCE)
    listed = heapq.nlargest(MAX_LISTED, _count_payloads(rows, replaced, by_type, keys), key=_significance)
    templates = session.scalars(select(TemplateChange.summary).where(TemplateChange.to_job_id == job_id))
    digest = OutboxMessage(
        subscription_id=subscription_id,
        event_key=f"run-{job_id}-{keys.hexdigest()[:16]}",
        kind=MessageKind.DIGEST.value,
        job_id=job_id,
        payload=digest_payload(job_id, listed, by_type, list(templates)),
        created_at=now,
        due_at=now,
    )
    session.add(digest)
    session.flush()
    session.execute(update(OutboxMessage).where(*waiting).values(digest_id=digest.id))


def _release(session: Session, subscription_id: int, job_id: int, now: datetime) -> None:
    """Release the events of one run one by one; those that a site event replaces are part of its message."""
    waiting = (*_UNCOLLECTED, OutboxMessage.subscription_id == subscription_id, OutboxMessage.job_id == job_id)
    of_sites = select(OutboxMessage.id, OutboxMessage.payload).where(
        *waiting, OutboxMessage.event_key.not_like("change-%")
    )
    replaced = {number: row.id for row in session.execute(of_sites) for number in row.payload["replaces"]}
    if replaced:
        rows = session.execute(select(OutboxMessage.id, OutboxMessage.payload).where(*waiting)).yield_per(_ROWS_AT_ONCE)
        merged = {
            row.id: replaced[row.payload["toSnapshotId"]]
            for row in rows
            if "replaces" not in row.payload and row.payload["toSnapshotId"] in replaced
        }
        for message_id, into in merged.items():
            session.execute(update(OutboxMessage).where(OutboxMessage.id == message_id).values(digest_id=into))
    session.execute(update(OutboxMessage).where(*waiting).values(due_at=now))


def _count_payloads(
    rows: Iterable[Any], replaced: Collection[int], by_type: "Counter[str]", keys: "hashlib._Hash"
) -> Iterator[dict[str, Any]]:
    """Yield the payloads of events, and count them; those that a site event replaces are left out."""
    for key, payload in rows:
        is_site = "replaces" in payload
        if not is_site and payload["toSnapshotId"] in replaced:
            continue
        keys.update(f"{key}\n".encode())
        by_type[payload["changeType"]] += 1
        yield payload


def _significance(payload: dict[str, Any]) -> float:
    return float(payload["significance"])


def _subscriptions_of(
    session: Session, events: Sequence[NewEvent], matches: Collection[EventMatch]
) -> list[SubscriptionRow]:
    """Return the subscriptions that any of the events may belong to."""
    watches = {match.watch_id for match in matches if match.watch_id is not None}
    searches = {match.saved_search_id for match in matches if match.saved_search_id is not None}
    concerned = or_(
        SubscriptionRow.source_id.in_({event.source_id for event in events}),
        SubscriptionRow.page.in_({event.normalized_url_group for event in events}),
        SubscriptionRow.watch_id.in_(watches),
        SubscriptionRow.saved_search_id.in_(searches),
    )
    return list(session.scalars(select(SubscriptionRow).where(concerned).order_by(SubscriptionRow.id)))


class _Chooser:
    """Decides which subscription is notified of which event."""

    def __init__(self, session: Session, matches: Collection[EventMatch]) -> None:
        self._session = session
        self._watched = {(match.watch_id, match.to_snapshot_id): match.watched for match in matches if match.watch_id}
        self._found = {(match.saved_search_id, match.to_snapshot_id) for match in matches if match.saved_search_id}
        self._first_runs: dict[int | None, bool] = {}

    def choose(
        self, subscriptions: Sequence[SubscriptionRow], events: Sequence[NewEvent]
    ) -> list[tuple[SubscriptionRow, NewEvent]]:
        """Return the pairs of a subscription and an event that it is notified of, in the order of the events."""
        ordered = sorted(events, key=lambda event: (event.to_capture_timestamp, event.to_snapshot_id))
        pairs = [(row, self._seen_by(row, event)) for event in ordered for row in subscriptions]
        return [(row, event) for row, event in pairs if self._is_chosen(row, event)]

    def _seen_by(self, row: SubscriptionRow, event: NewEvent) -> NewEvent:
        """Return the event for a subscription; for a watch of page parts, the event of these."""
        seen = self._watched.get((row.watch_id or 0, event.to_snapshot_id))
        if seen is None or event.change_type not in _COMPARED:
            return event
        return replace(
            event,
            # For a watch its own significance counts, as the page's comparison may ignore the parts that the watch
            # selects.
            change_type=ChangeType.UPDATED.value,
            significance=seen.significance,
            summary=seen.summary,
            reasons=[{"text": reason} for reason in seen.reasons],
        )

    def _is_chosen(self, row: SubscriptionRow, event: NewEvent) -> bool:
        return (
            event.to_capture_timestamp >= row.created_at
            and self._is_about(row, event)
            and is_notified(
                ChangeType(event.change_type),
                event.significance,
                row.min_significance,
                # The first capture of a subscribed page is not announced, as it is only the base of later comparisons.
                # For a search, every new match is announced.
                is_first_run=row.page is not None or (row.saved_search_id is None and self._is_first_run(event)),
            )
        )

    def _is_about(self, row: SubscriptionRow, event: NewEvent) -> bool:
        if row.source_id is not None:
            return row.source_id == event.source_id
        if row.page is not None:
            return row.page == event.normalized_url_group
        snapshot_id = event.to_snapshot_id
        return (row.watch_id, snapshot_id) in self._watched or (row.saved_search_id, snapshot_id) in self._found

    def _is_first_run(self, event: NewEvent) -> bool:
        """Return whether no earlier run of the source captured anything."""
        job_id = event.to_job_id
        if job_id not in self._first_runs:
            earlier = select(ArchiveJob.id).where(
                ArchiveJob.source_id == event.source_id,
                ArchiveJob.id < (job_id or 0),
                select(Snapshot.id).where(Snapshot.job_id == ArchiveJob.id).exists(),
            )
            self._first_runs[job_id] = self._session.scalar(earlier.limit(1)) is None
        return self._first_runs[job_id]


def _payloads(session: Session, events: dict[int, NewEvent]) -> dict[int, dict[str, Any]]:
    """Return the payloads of events for receivers, by the snapshot after the change."""
    ids = {one for event in events.values() for one in (event.from_snapshot_id, event.to_snapshot_id) if one}
    pages = {row.id: row for row in session.execute(_PAGES.where(Snapshot.id.in_(ids)))}
    sources = {
        row.id: row
        for row in session.execute(_SOURCES.where(Source.id.in_({event.source_id for event in events.values()})))
    }
    return {number: _payload(event, pages, sources[event.source_id]) for number, event in events.items()}


_PAGES = select(Snapshot.id, Snapshot.title, Snapshot.url)
_SOURCES = select(Source.id, Source.code, Source.name)


def _payload(event: NewEvent, pages: dict[int, Any], source: Any) -> dict[str, Any]:  # noqa: ANN401 - a row
    new, old = pages.get(event.to_snapshot_id), pages.get(event.from_snapshot_id or 0)
    # The title of an error page does not name the page that is gone.
    named = old if event.change_type == ChangeType.UNAVAILABLE.value and old is not None else new
    before = event.from_capture_timestamp
    return {
        "eventId": event_key(event.from_snapshot_id, event.to_snapshot_id),
        **_seen_payload(event),
        "title": named.title if named is not None else None,
        "url": new.url if new is not None else event.normalized_url_group,
        "page": event.normalized_url_group,
        "sourceCode": source.code,
        "sourceName": source.name,
        "jobId": event.to_job_id,
        "fromSnapshotId": event.from_snapshot_id,
        "toSnapshotId": event.to_snapshot_id,
        "fromCaptureTimestamp": before.isoformat() if before is not None else None,
        "toCaptureTimestamp": event.to_capture_timestamp.isoformat(),
    }


def _seen_payload(event: NewEvent) -> dict[str, Any]:
    """Return the fields of an event that differ between subscriptions."""
    return {
        "changeType": event.change_type,
        "significance": event.significance,
        "summary": event.summary,
        "reasons": [str(reason["text"]) for reason in event.reasons],
    }


def _row(row: SubscriptionRow, event: NewEvent, payload: dict[str, Any], now: datetime) -> dict[str, Any]:
    # Waits until its run is compared with the previous one, so that a moved page is not announced as new.
    waits = event.to_job_id is not None
    return {
        "subscription_id": row.id,
        "event_key": payload["eventId"],
        "kind": MessageKind.CHANGE.value,
        "job_id": event.to_job_id,
        "payload": payload,
        "created_at": now,
        "due_at": None if waits else now,
        "attempts": 0,
    }


def _insert(session: Session, rows: list[dict[str, Any]]) -> None:
    dialect = sqlite if session.get_bind().dialect.name == "sqlite" else postgresql
    session.execute(dialect.insert(OutboxMessage).on_conflict_do_nothing(), rows)


def count_waiting(session: Session) -> int:
    """Return how many messages wait for delivery."""
    waiting = (
        OutboxMessage.due_at.is_not(None),
        OutboxMessage.delivered_at.is_(None),
        OutboxMessage.dead_at.is_(None),
    )
    return session.scalar(select(func.count()).select_from(OutboxMessage).where(*waiting)) or 0
