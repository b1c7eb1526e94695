"""Targets and subscriptions in the form of the backup file, for a rebuild."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from webstrata.db.schema.notification_tables import NotificationTarget, SubscriptionRow
from webstrata.db.schema.tables import Source


@dataclass(frozen=True)
class SavedTarget:
    """A target with its secrets."""

    name: str
    kind: str
    address: str
    shown: str
    signing_secret: str | None
    created_at: datetime
    paused: bool


@dataclass(frozen=True)
class SavedSubscription:
    """A subscription, with names in place of numbers."""

    target_name: str
    source_code: str | None
    page: str | None
    watch_id: int | None
    saved_search_id: int | None
    min_significance: float
    digest: bool
    created_at: datetime


def list_saved(session: Session) -> tuple[list[SavedTarget], list[SavedSubscription]]:
    """Return every target and subscription."""
    targets = [
        SavedTarget(row.name, row.kind, row.address, row.shown, row.signing_secret, row.created_at, row.paused)
        for row in session.scalars(select(NotificationTarget).order_by(NotificationTarget.id))
    ]
    rows = session.execute(
        select(SubscriptionRow, NotificationTarget.name, Source.code)
        .join(NotificationTarget, SubscriptionRow.target_id == NotificationTarget.id)
        .outerjoin(Source, SubscriptionRow.source_id == Source.id)
        .order_by(SubscriptionRow.id)
    )
    return targets, [_saved_subscription(row, name, code) for row, name, code in rows]


def restore(session: Session, targets: Sequence[SavedTarget], subscriptions: Sequence[SavedSubscription]) -> int:
    """Store targets and subscriptions unless the database has any target; return how many subscriptions."""
    if session.scalar(select(NotificationTarget.id).limit(1)) is not None:
        return 0
    added = [NotificationTarget(**vars(target)) for target in targets]
    session.add_all(added)
    session.flush()
    target_ids = {target.name: target.id for target in added}
    sources = {row.code: row.id for row in session.execute(select(Source.code, Source.id))}
    rows = [
        _row(one, target_ids[one.target_name], sources.get(one.source_code or ""))
        for one in subscriptions
        if one.target_name in target_ids and (one.source_code is None or one.source_code in sources)
    ]
    session.add_all(rows)
    session.flush()
    return len(rows)


def _saved_subscription(row: SubscriptionRow, target_name: str, source_code: str | None) -> SavedSubscription:
    return SavedSubscription(
        target_name=target_name,
        source_code=source_code,
        page=row.page,
        watch_id=row.watch_id,
        saved_search_id=row.saved_search_id,
        min_significance=row.min_significance,
        digest=row.digest,
        created_at=row.created_at,
    )


def _row(saved: SavedSubscription, target_id: int, source_id: int | None) -> SubscriptionRow:
    return SubscriptionRow(
        target_id=target_id,
        source_id=source_id,
        page=saved.page,
        watch_id=saved.watch_id,
        saved_search_id=saved.saved_search_id,
        min_significance=saved.min_significance,
        digest=saved.digest,
        created_at=saved.created_at,
    )
