"""Reviews of change events (reviewed, important or noise, with a note), and their restoration by a rebuild."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session, defer

from webstrata.db.engine import ACTOR
from webstrata.db.operations import audit_log
from webstrata.db.schema.change_tables import SnapshotChange
from webstrata.db.schema.notification_tables import RestoredReview
from webstrata.errors import NotFoundError, UsageError
from webstrata.model.actors import PROGRAM, Actor
from webstrata.model.notifications.rules import event_key
from webstrata.model.notifications.values import MAX_NOTE, ReviewStatus, SavedReview

_ROWS_AT_ONCE = 500


def review_change(
    session: Session, event_id: int, status: ReviewStatus | None, note: str | None, now: datetime
) -> SnapshotChange:
    """Mark a change event, or remove its mark; without a note, the old one remains. NotFoundError when there is no such
    event."""
    event = session.get(SnapshotChange, event_id, with_for_update=True)
    if event is None:
        raise NotFoundError(f"there is no change {event_id}")
    before = {"status": event.review_status, "note": event.review_note}
    event.review_status = None if status is None else status.value
    event.review_note = None if status is None else event.review_note if note is None else _check_note(note)
    event.reviewed_at = None if status is None else now
    event.reviewed_by = None if status is None else _actor(session)
    after = {"status": event.review_status, "note": event.review_note}
    audit_log.record(session, "change.review", f"change:{event_id}", before=before, after=after)
    return event


def _check_note(note: str) -> str | None:
    text = " ".join(note.split())
    if len(text) > MAX_NOTE:
        raise UsageError(f"a note has at most {MAX_NOTE:,} characters")
    return text or None


def _actor(session: Session) -> str:
    actor = session.info.get(ACTOR, PROGRAM)
    assert isinstance(actor, Actor)
    return actor.name


def list_reviews(session: Session) -> list[SavedReview]:
    """Return every mark: of events, and of those that a rebuild has not computed yet."""
    marked = SnapshotChange.review_status.is_not(None)
    # In the order of the index of marks; ordered by id, all events would be read.
    events = select(SnapshotChange).where(marked).order_by(SnapshotChange.review_status)
    waiting = session.scalars(select(RestoredReview))
    found = [
        *(_saved_review(event) for event in session.scalars(events.options(defer(SnapshotChange.diff_html)))),
        *(SavedReview(row.event_key, row.status, row.note, row.reviewed_at, row.reviewed_by) for row in waiting),
    ]
    return sorted(found, key=lambda one: one.to_snapshot_id)


def restore_reviews(session: Session, saved: Sequence[SavedReview]) -> None:
    """Store marks for existing and for later events; newer marks are not replaced."""
    rows = [
        {
            "to_snapshot_id": one.to_snapshot_id,
            "event_key": one.event_key,
            "status": one.status,
            "note": one.note,
            "reviewed_at": one.reviewed_at,
            "reviewed_by": one.reviewed_by,
        }
        for one in saved
    ]
    dialect = sqlite if session.get_bind().dialect.name == "sqlite" else postgresql
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        session.execute(dialect.insert(RestoredReview).on_conflict_do_nothing(), rows[start : start + _ROWS_AT_ONCE])
    apply_restored(session)


def has_restored(session: Session) -> bool:
    """Return whether any mark waits for its event."""
    return session.scalar(select(RestoredReview.to_snapshot_id).limit(1)) is not None


def apply_restored(session: Session) -> None:
    """Apply restored marks to the events that exist by now; newer marks are not replaced."""
    last = 0
    while waiting := _waiting_after(session, last):
        last = max(waiting)
        events = select(SnapshotChange).where(SnapshotChange.to_snapshot_id.in_(waiting))
        for event in session.scalars(events.options(defer(SnapshotChange.diff_html))):
            mark = waiting[event.to_snapshot_id]
            if event.review_status is None:
                event.review_status, event.review_note = mark.status, mark.note
                event.reviewed_at, event.reviewed_by = mark.reviewed_at, mark.reviewed_by
            session.delete(mark)
        session.flush()


def _waiting_after(session: Session, snapshot_id: int) -> dict[int, RestoredReview]:
    """Return the next marks that wait for their events, by the captures of these."""
    later = select(RestoredReview).where(RestoredReview.to_snapshot_id > snapshot_id)
    rows = session.scalars(later.order_by(RestoredReview.to_snapshot_id).limit(_ROWS_AT_ONCE))
    return {row.to_snapshot_id: row for row in rows}


def _saved_review(event: SnapshotChange) -> SavedReview:
    assert event.review_status is not None
    assert event.reviewed_at is not None
    key = event_key(event.from_snapshot_id, event.to_snapshot_id)
    return SavedReview(key, event.review_status, event.review_note, event.reviewed_at, event.reviewed_by or "")
