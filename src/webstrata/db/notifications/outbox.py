"""The outbox: messages are claimed for delivery with a lease, then marked as delivered, retried or given up."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import uuid4

from sqlalchemy import CursorResult, Select, delete, func, select, update
from sqlalchemy.orm import Session

from webstrata.db.operations import audit_log
from webstrata.db.schema.notification_tables import NotificationTarget, OutboxMessage, SubscriptionRow
from webstrata.errors import NotFoundError
from webstrata.model.notifications.messages import MessageKind, Notification, title_of
from webstrata.model.notifications.values import Subject, TargetAddress, TargetKind

DELIVERED = "delivered"
_MAX_ERROR = 500
_DELIVERED_KEPT = timedelta(days=90)
_PRUNED_AT_ONCE = 500


@dataclass(frozen=True)
class ClaimedMessage:
    """A message that this process delivers while it holds the lease."""

    id: int
    token: str
    message: Notification
    target_id: int
    address: TargetAddress
    signing_secret: str | None
    attempts: int
    is_last_chance: bool
    """Whether the previous messages were given up, and no delivery to the target has succeeded since."""


@dataclass(frozen=True)
class DeadLetter:
    """A message that could not be delivered."""

    id: int
    subscription_id: int
    target_name: str
    event_key: str
    title: str
    created_at: datetime
    dead_at: datetime
    attempts: int
    last_error: str | None


_WAITING = (OutboxMessage.due_at.is_not(None), OutboxMessage.delivered_at.is_(None), OutboxMessage.dead_at.is_(None))


def count_due(session: Session, now: datetime) -> int:
    """Return how many subscriptions have a message to deliver now."""
    first = _first_of_each().subquery()
    due = select(func.count()).select_from(OutboxMessage).join(first, OutboxMessage.id == first.c.id)
    return session.scalar(due.where(OutboxMessage.due_at <= now)) or 0


def claim(
    session: Session, owner: str, now: datetime, lease: timedelta, *, most: int, is_dead: Callable[[str], bool]
) -> list[ClaimedMessage]:
    """Lease the first queued message of some subscriptions, if it is due and no live process delivers it."""
    first = _first_of_each().subquery()
    rows = session.scalars(
        select(OutboxMessage)
        .join(first, OutboxMessage.id == first.c.id)
        .where(OutboxMessage.due_at <= now)
        .order_by(OutboxMessage.due_at, OutboxMessage.id)
    )
    claimed: list[ClaimedMessage] = []
    for row in rows:
        if len(claimed) >= most:
            break
        if _is_free(row, now, is_dead) and (token := _take(session, row, owner, now + lease)):
            claimed.append(_claimed_message(session, row, token))
    return claimed


def settle_delivered(session: Session, claimed: ClaimedMessage, now: datetime) -> bool:
    """Mark a message and its events as delivered; False when another process holds its lease now."""
    values = {"delivered_at": now, "last_error": None}
    if not _settle(session, claimed, **values):
        return False
    session.execute(update(OutboxMessage).where(OutboxMessage.digest_id == claimed.id).values(delivered_at=now))
    _prune(session, now)
    return True


def settle_failed(
    session: Session, claimed: ClaimedMessage, error: str, now: datetime, delay: timedelta | None
) -> bool:
    """Schedule the next attempt of a message, or give it up; False when another process leased it."""
    next_step = {"dead_at": now} if delay is None else {"due_at": now + delay}
    return _settle(session, claimed, last_error=error[:_MAX_ERROR], **next_step)


def list_dead(session: Session, *, limit: int = 200) -> list[DeadLetter]:
    """Return messages that were given up, the newest first."""
    query = (
        select(OutboxMessage, NotificationTarget.name)
        .join(SubscriptionRow, OutboxMessage.subscription_id == SubscriptionRow.id)
        .join(NotificationTarget, SubscriptionRow.target_id == NotificationTarget.id)
        .where(OutboxMessage.dead_at.is_not(None))
        .order_by(OutboxMessage.dead_at.desc(), OutboxMessage.id.desc())
        .limit(limit)
    )
    return [_dead_letter(row, name) for row, name in session.execute(query)]


def count_dead(session: Session) -> int:
    """Return how many messages were given up."""
    dead = select(func.count()).select_from(OutboxMessage).where(OutboxMessage.dead_at.is_not(None))
    return session.scalar(dead) or 0


def retry_dead(session: Session, now: datetime, ids: Collection[int] | None = None) -> int:
    """Queue messages that were given up again, all or some; NotFoundError when an id is not one of them."""
    dead = update(OutboxMessage).where(OutboxMessage.dead_at.is_not(None))
    if ids is not None:
        dead = dead.where(OutboxMessage.id.in_(ids))
    result = session.execute(dead.values(dead_at=None, attempts=0, due_at=now, lease_token=None, lease_until=None))
    assert isinstance(result, CursorResult)
    if ids is not None and result.rowcount < len(set(ids)):
        missing = ", ".join(map(str, sorted(set(ids))))
        raise NotFoundError(f"some of these are not dead letters: {missing}")
    audit_log.record(session, "notification.retry", "dead-letters", messages=result.rowcount)
    return result.rowcount


def _first_of_each() -> Select[int]:
    """Return the query of the first waiting message of each subscription whose target is not paused."""
    return (
        select(func.min(OutboxMessage.id).label("id"))
        .join(SubscriptionRow, OutboxMessage.subscription_id == SubscriptionRow.id)
        .join(NotificationTarget, SubscriptionRow.target_id == NotificationTarget.id)
        .where(*_WAITING, NotificationTarget.paused.is_(False))
        .group_by(OutboxMessage.subscription_id)
    )


def _is_free(row: OutboxMessage, now: datetime, is_dead: Callable[[str], bool]) -> bool:
    return (
        row.lease_until is None or row.lease_until <= now or (row.lease_owner is not None and is_dead(row.lease_owner))
    )


def _take(session: Session, row: OutboxMessage, owner: str, until: datetime) -> str | None:
    """Lease a message unless another process was faster, and return the lease's token."""
    token = uuid4().hex
    result = session.execute(
        update(OutboxMessage)
        .where(OutboxMessage.id == row.id, *_WAITING, OutboxMessage.lease_token.is_not_distinct_from(row.lease_token))
        .values(lease_token=token, lease_owner=owner, lease_until=until)
        .execution_options(synchronize_session=False)
    )
    assert isinstance(result, CursorResult)
    return token if result.rowcount else None


def _claimed_message(session: Session, row: OutboxMessage, token: str) -> ClaimedMessage:
    subscription = session.get_one(SubscriptionRow, row.subscription_id)
    target = session.get_one(NotificationTarget, subscription.target_id)
    return ClaimedMessage(
        id=row.id,
        token=token,
        message=_message(row, subscription),
        target_id=target.id,
        address=TargetAddress(TargetKind(target.kind), target.address, target.shown),
        signing_secret=target.signing_secret,
        attempts=row.attempts,
        is_last_chance=target.last_result != DELIVERED and _has_dead(session, row.subscription_id),
    )


def _message(row: OutboxMessage, subscription: SubscriptionRow) -> Notification:
    subject = Subject(subscription.source_id, subscription.page, subscription.watch_id, subscription.saved_search_id)
    return Notification(row.event_key, MessageKind(row.kind), row.created_at, row.payload, subscription.id, subject)


def _prune(session: Session, now: datetime) -> None:
    """Delete some messages that were delivered long ago."""
    old = select(OutboxMessage.id).where(OutboxMessage.delivered_at < now - _DELIVERED_KEPT)
    some = old.order_by(OutboxMessage.delivered_at).limit(_PRUNED_AT_ONCE)
    session.execute(
        delete(OutboxMessage).where(OutboxMessage.id.in_(some)).execution_options(synchronize_session=False)
    )


def _has_dead(session: Session, subscription_id: int) -> bool:
    dead = select(OutboxMessage.id).where(
        OutboxMessage.subscription_id == subscription_id, OutboxMessage.dead_at.is_not(None)
    )
    return session.scalar(dead.limit(1)) is not None


def _settle(session: Session, claimed: ClaimedMessage, **values: object) -> bool:
    result = session.execute(
        update(OutboxMessage)
        .where(OutboxMessage.id == claimed.id, OutboxMessage.lease_token == claimed.token)
        .values(attempts=OutboxMessage.attempts + 1, lease_token=None, lease_owner=None, lease_until=None, **values)
    )
    assert isinstance(result, CursorResult)
    return bool(result.rowcount)


def _dead_letter(row: OutboxMessage, target_name: str) -> DeadLetter:
    assert row.dead_at is not None
    title = title_of(Notification(row.event_key, MessageKind(row.kind), row.created_at, row.payload))
    return DeadLetter(
        id=row.id,
        subscription_id=row.subscription_id,
        target_name=target_name,
        event_key=row.event_key,
        title=title,
        created_at=row.created_at,
        dead_at=row.dead_at,
        attempts=row.attempts,
        last_error=row.last_error,
    )
