"""Notification targets and subscriptions: added, listed, paused and removed."""

from datetime import datetime

from sqlalchemy import ColumnElement, Select, delete, select, update
from sqlalchemy.orm import Session

from webstrata.db.operations import audit_log
from webstrata.db.schema.notification_tables import NotificationTarget, SubscriptionRow
from webstrata.db.schema.tables import Source
from webstrata.errors import ConflictError, NotFoundError
from webstrata.model.notifications.values import Subject, Subscription, Target, TargetAddress, TargetKind

_MAX_RESULT = 500


def add_target(
    session: Session, address: TargetAddress, name: str, signing_secret: str | None, now: datetime
) -> Target:
    """Add a target; ConflictError when another has its name."""
    if target_by_name(session, name) is not None:
        raise ConflictError(f"there is a notification target {name!r} already")
    row = NotificationTarget(
        name=name,
        kind=address.kind.value,
        address=address.address,
        shown=address.shown,
        signing_secret=signing_secret,
        created_at=now,
    )
    session.add(row)
    session.flush()
    audit_log.record(session, "notification.target.add", f"notification-target:{row.id}", name=name, to=address.shown)
    return _target(row)


def find_target(session: Session, name_or_id: str) -> Target:
    """Return a target by its name or number; NotFoundError when there is none."""
    return _target(_row(session, name_or_id))


def target_by_name(session: Session, name: str) -> Target | None:
    """Return the target with a name."""
    row = session.scalars(select(NotificationTarget).where(NotificationTarget.name == name)).one_or_none()
    return None if row is None else _target(row)


def target_by_address(session: Session, address: str) -> Target | None:
    """Return the target with an address, locked until the transaction ends."""
    statement = select(NotificationTarget).where(NotificationTarget.address == address).order_by(NotificationTarget.id)
    row = session.scalars(statement.limit(1).with_for_update()).one_or_none()
    return None if row is None else _target(row)


def list_targets(session: Session) -> list[Target]:
    """Return the targets by name."""
    return [_target(row) for row in session.scalars(select(NotificationTarget).order_by(NotificationTarget.name))]


def load_secrets(session: Session, target_id: int) -> tuple[TargetAddress, str | None]:
    """Return the address of a target and the secret that its messages are signed with, to send to it."""
    row = session.get_one(NotificationTarget, target_id)
    return TargetAddress(TargetKind(row.kind), row.address, row.shown), row.signing_secret


def set_signing_secret(session: Session, name_or_id: str, secret: str) -> Target:
    """Set the secret that signs messages to a target."""
    row = _row(session, name_or_id)
    if row.kind != TargetKind.WEBHOOK:
        raise ConflictError(f"notification target {row.name!r} is not a webhook: its messages are not signed")
    row.signing_secret = secret
    audit_log.record(session, "notification.target.new_secret", f"notification-target:{row.id}", name=row.name)
    return _target(row)


def set_paused(session: Session, name_or_id: str, paused: bool) -> Target:
    """Pause or resume the deliveries to a target; messages wait meanwhile."""
    row = _row(session, name_or_id)
    row.paused = paused
    action = "pause" if paused else "resume"
    audit_log.record(session, f"notification.target.{action}", f"notification-target:{row.id}", name=row.name)
    return _target(row)


def remove_target(session: Session, name_or_id: str) -> Target:
    """Remove a target with its subscriptions and their messages."""
    row = _row(session, name_or_id)
    target = _target(row)
    session.execute(delete(NotificationTarget).where(NotificationTarget.id == row.id))
    audit_log.record(session, "notification.target.remove", f"notification-target:{target.id}", name=target.name)
    return target


def note_result(session: Session, target_id: int, result: str, now: datetime) -> None:
    """Store how the last delivery to a target ended."""
    values = {"last_result": result[:_MAX_RESULT], "last_result_at": now}
    session.execute(update(NotificationTarget).where(NotificationTarget.id == target_id).values(**values))


def save_subscription(
    session: Session, target: Target, subject: Subject, *, min_significance: float, digest: bool, now: datetime
) -> Subscription:
    """Subscribe a target to a subject; one that is subscribed already gets the new threshold and form."""
    if subject.source_id is not None and session.get(Source, subject.source_id) is None:
        raise NotFoundError(f"there is no source with the number {subject.source_id}")
    statement = select(SubscriptionRow).where(SubscriptionRow.target_id == target.id, *_is_about(subject))
    row = session.scalars(statement.limit(1)).one_or_none()
    if row is None:
        row = SubscriptionRow(target_id=target.id, created_at=now, **vars(subject))
        session.add(row)
    row.min_significance, row.digest = min_significance, digest
    session.flush()
    about = {name: value for name, value in vars(subject).items() if value is not None}
    audit_log.record(session, "notification.subscribe", f"subscription:{row.id}", target_name=target.name, **about)
    return load_subscription(session, row.id)


def load_subscription(session: Session, subscription_id: int) -> Subscription:
    """Return a subscription; NotFoundError when there is none."""
    found = session.execute(_subscriptions().where(SubscriptionRow.id == subscription_id)).one_or_none()
    if found is None:
        raise NotFoundError(f"there is no subscription {subscription_id}")
    return _subscription(*found)


def list_subscriptions(session: Session) -> list[Subscription]:
    """Return the subscriptions in the order in which they were made."""
    return [_subscription(*row) for row in session.execute(_subscriptions().order_by(SubscriptionRow.id))]


def remove_subscription(session: Session, subscription_id: int) -> Subscription:
    """Remove a subscription with its messages; NotFoundError when there is none."""
    subscription = load_subscription(session, subscription_id)
    session.execute(delete(SubscriptionRow).where(SubscriptionRow.id == subscription_id))
    audit_log.record(
        session, "notification.unsubscribe", f"subscription:{subscription_id}", target_name=subscription.target.name
    )
    return subscription


def remove_subscriptions_of(session: Session, subject: Subject) -> int:
    """Remove every subscription to a subject, such as a watch that is removed, and return how many there were."""
    ids = list(session.scalars(select(SubscriptionRow.id).where(*_is_about(subject))))
    for subscription_id in ids:
        remove_subscription(session, subscription_id)
    return len(ids)


def _is_about(subject: Subject) -> list[ColumnElement[bool]]:
    return [getattr(SubscriptionRow, name).is_not_distinct_from(value) for name, value in vars(subject).items()]


def _subscriptions() -> Select[SubscriptionRow, NotificationTarget, str]:
    return (
        select(SubscriptionRow, NotificationTarget, Source.code)
        .join(NotificationTarget, SubscriptionRow.target_id == NotificationTarget.id)
        .outerjoin(Source, SubscriptionRow.source_id == Source.id)
    )


def _subscription(row: SubscriptionRow, target: NotificationTarget, source_code: str | None) -> Subscription:
    return Subscription(
        id=row.id,
        target=_target(target),
        subject=Subject(row.source_id, row.page, row.watch_id, row.saved_search_id),
        source_code=source_code,
        min_significance=row.min_significance,
        digest=row.digest,
        created_at=row.created_at,
    )


def _row(session: Session, name_or_id: str) -> NotificationTarget:
    """Return the row of a target by its name, or else by its number."""
    named = session.scalars(select(NotificationTarget).where(NotificationTarget.name == name_or_id)).one_or_none()
    is_number = name_or_id.isascii() and name_or_id.isdecimal() and len(name_or_id) < 10
    row = named or (session.get(NotificationTarget, int(name_or_id)) if is_number else None)
    if row is None:
        raise NotFoundError(f"there is no notification target {name_or_id!r}")
    return row


def _target(row: NotificationTarget) -> Target:
    return Target(
        id=row.id,
        name=row.name,
        kind=TargetKind(row.kind),
        shown=row.shown,
        created_at=row.created_at,
        paused=row.paused,
        last_result=row.last_result,
        last_result_at=row.last_result_at,
    )
