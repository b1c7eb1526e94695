"""Notifications: targets, subscriptions and the outbox; reviews of change events."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from webstrata.db.types import UtcDateTime

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

_JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
_BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_WAITING = sa.text("due_at IS NOT NULL AND delivered_at IS NULL AND dead_at IS NULL")
_UNCOLLECTED = sa.text("due_at IS NULL AND digest_id IS NULL")
_COLLECTED = sa.text("digest_id IS NOT NULL")
_DEAD = sa.text("dead_at IS NOT NULL")
_REVIEWED = sa.text("review_status IS NOT NULL")


def upgrade() -> None:
    _create_targets()
    _create_subscriptions()
    _create_outbox()
    op.add_column("snapshot_changes", sa.Column("review_status", sa.String(length=16), nullable=True))
    op.add_column("snapshot_changes", sa.Column("review_note", sa.Text(), nullable=True))
    op.add_column("snapshot_changes", sa.Column("reviewed_at", UtcDateTime(), nullable=True))
    op.add_column("snapshot_changes", sa.Column("reviewed_by", sa.Text(), nullable=True))
    op.create_index(
        "ix_snapshot_changes_reviewed",
        "snapshot_changes",
        ["review_status", "to_capture_timestamp", "id"],
        unique=False,
        sqlite_where=_REVIEWED,
        postgresql_where=_REVIEWED,
    )


def _create_targets() -> None:
    op.create_table(
        "notification_targets",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("shown", sa.Text(), nullable=False),
        sa.Column("signing_secret", sa.Text(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("paused", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("last_result", sa.Text(), nullable=True),
        sa.Column("last_result_at", UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notification_targets")),
        sa.UniqueConstraint("name", name=op.f("uq_notification_targets_name")),
    )


def _create_subscriptions() -> None:
    op.create_table(
        "subscriptions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("target_id", sa.Integer(), nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=True),
        sa.Column("page", sa.Text(), nullable=True),
        sa.Column("watch_id", sa.Integer(), nullable=True),
        sa.Column("saved_search_id", sa.Integer(), nullable=True),
        sa.Column("min_significance", sa.Double(), nullable=False),
        sa.Column("digest", sa.Boolean(), server_default=sa.true(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["target_id"], ["notification_targets.id"], name=op.f("fk_subscriptions_target_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["source_id"], ["sources.id"], name=op.f("fk_subscriptions_source_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_subscriptions")),
    )
    for column in ("target_id", "source_id", "page", "watch_id", "saved_search_id"):
        op.create_index(op.f(f"ix_subscriptions_{column}"), "subscriptions", [column], unique=False)


def _create_outbox() -> None:
    op.create_table(
        "outbox",
        sa.Column("id", _BIG_ID, nullable=False),
        sa.Column("subscription_id", sa.Integer(), nullable=False),
        sa.Column("event_key", sa.String(length=100), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("job_id", sa.Integer(), nullable=True),
        sa.Column("payload", _JSON, nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("digest_id", sa.BigInteger(), nullable=True),
        sa.Column("due_at", UtcDateTime(), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("lease_token", sa.String(length=32), nullable=True),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("lease_until", UtcDateTime(), nullable=True),
        sa.Column("delivered_at", UtcDateTime(), nullable=True),
        sa.Column("dead_at", UtcDateTime(), nullable=True),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["subscription_id"], ["subscriptions.id"], name=op.f("fk_outbox_subscription_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
        sa.UniqueConstraint("subscription_id", "event_key", name=op.f("uq_outbox_subscription_id_event_key")),
    )
    for name, columns, where in (
        ("ix_outbox_waiting", ["subscription_id", "id"], _WAITING),
        ("ix_outbox_uncollected", ["subscription_id"], _UNCOLLECTED),
        ("ix_outbox_dead", ["subscription_id", "id"], _DEAD),
        ("ix_outbox_dead_newest", ["dead_at", "id"], _DEAD),
        ("ix_outbox_collected", ["digest_id"], _COLLECTED),
        (op.f("ix_outbox_delivered_at"), ["delivered_at"], None),
    ):
        op.create_index(name, "outbox", columns, unique=False, sqlite_where=where, postgresql_where=where)


def downgrade() -> None:
    op.drop_index("ix_snapshot_changes_reviewed", table_name="snapshot_changes")
    for column in ("review_status", "review_note", "reviewed_at", "reviewed_by"):
        op.drop_column("snapshot_changes", column)
    for table in ("outbox", "subscriptions", "notification_targets"):
        op.drop_table(table)
