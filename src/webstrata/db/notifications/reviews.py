"""Reviews of change events: marked as reviewed, important or noise, with a note."""

from datetime import datetime

from sqlalchemy.orm import Session

from webstrata.db.engine import ACTOR
from webstrata.db.operations import audit_log
from webstrata.db.schema.change_tables import SnapshotChange
from webstrata.errors import NotFoundError, UsageError
from webstrata.model.actors import PROGRAM, Actor
from webstrata.model.notifications.values import ReviewStatus

MAX_NOTE = 2_000


def review_change(
    session: Session, event_id: int, status: ReviewStatus | None, note: str | None, now: datetime
) -> SnapshotChange:
    """Mark a change event, or remove its mark; without a note its note stays. NotFoundError when there is no event."""
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
