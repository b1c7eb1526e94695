"""Tables of notifications: targets, subscriptions, and the outbox of messages that wait for delivery."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Double, ForeignKey, Index, String, UniqueConstraint, false, text, true
from sqlalchemy.orm import Mapped, mapped_column

import webstrata.db.schema.tables  # noqa: F401 - foreign keys refer to its tables
from webstrata.db.schema.base import Base, BigId, utcnow

_WAITING = text("due_at IS NOT NULL AND delivered_at IS NULL AND dead_at IS NULL")
_UNCOLLECTED = text("due_at IS NULL AND digest_id IS NULL")
_COLLECTED = text("digest_id IS NOT NULL")
_DEAD = text("dead_at IS NOT NULL")


class NotificationTarget(Base):
    """A receiver of notifications; address and signing secret are never shown."""

    __tablename__ = "notification_targets"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(100), unique=True)
    kind: Mapped[str] = mapped_column(String(16))
    address: Mapped[str]
    shown: Mapped[str]
    """Scheme and host of the address."""
    signing_secret: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(default=utcnow)
    paused: Mapped[bool] = mapped_column(default=False, server_default=false())
    last_result: Mapped[str | None]
    """`delivered`, or the reason why the last delivery failed."""
    last_result_at: Mapped[datetime | None]


class SubscriptionRow(Base):
    """A subscription of a target to one of a source, a page, a watch and a saved search."""

    __tablename__ = "subscriptions"
    __table_args__ = (
        Index(None, "target_id"),
        Index(None, "source_id"),
        Index(None, "page"),
        Index(None, "watch_id"),
        Index(None, "saved_search_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    target_id: Mapped[int] = mapped_column(ForeignKey("notification_targets.id", ondelete="CASCADE"))
    source_id: Mapped[int | None] = mapped_column(ForeignKey("sources.id", ondelete="CASCADE"))
    page: Mapped[str | None]
    watch_id: Mapped[int | None]
    saved_search_id: Mapped[int | None]
    min_significance: Mapped[float] = mapped_column(Double)
    digest: Mapped[bool] = mapped_column(default=True, server_default=true())
    created_at: Mapped[datetime] = mapped_column(default=utcnow)
    """Captures from before are not announced."""


class RestoredReview(Base):
    """The mark of a change that a rebuild read from its file, until the event is computed."""

    __tablename__ = "restored_reviews"

    to_snapshot_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    event_key: Mapped[str] = mapped_column(String(100))
    status: Mapped[str] = mapped_column(String(16))
    note: Mapped[str | None]
    reviewed_at: Mapped[datetime]
    reviewed_by: Mapped[str]


class OutboxMessage(Base):
    """An event or a digest for one subscription, from the event's transaction until it is delivered or given up."""

    __tablename__ = "outbox"
    __table_args__ = (
        UniqueConstraint("subscription_id", "event_key"),
        Index("ix_outbox_waiting", "subscription_id", "id", sqlite_where=_WAITING, postgresql_where=_WAITING),
        Index("ix_outbox_uncollected", "subscription_id", sqlite_where=_UNCOLLECTED, postgresql_where=_UNCOLLECTED),
        Index("ix_outbox_dead", "subscription_id", "id", sqlite_where=_DEAD, postgresql_where=_DEAD),
        Index("ix_outbox_dead_newest", "dead_at", "id", sqlite_where=_DEAD, postgresql_where=_DEAD),
        Index("ix_outbox_collected", "digest_id", sqlite_where=_COLLECTED, postgresql_where=_COLLECTED),
        Index(None, "delivered_at"),
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    subscription_id: Mapped[int] = mapped_column(ForeignKey("subscriptions.id", ondelete="CASCADE"))
    event_key: Mapped[str] = mapped_column(String(100))
    """The id by which a receiver recognises a repeated message."""
    kind: Mapped[str] = mapped_column(String(16))
    """`change` or `digest`."""
    job_id: Mapped[int | None]
    payload: Mapped[dict[str, Any]]
    created_at: Mapped[datetime] = mapped_column(default=utcnow)
    digest_id: Mapped[int | None] = mapped_column(BigInteger)
    """The digest message that contains the event."""
    due_at: Mapped[datetime | None]
    """None for an event that waits for the end of its run, or is part of another message."""
    attempts: Mapped[int] = mapped_column(default=0, server_default="0")
    lease_token: Mapped[str | None] = mapped_column(String(32))
    lease_owner: Mapped[str | None]
    lease_until: Mapped[datetime | None]
    delivered_at: Mapped[datetime | None]
    dead_at: Mapped[datetime | None]
    last_error: Mapped[str | None]
