"""Site events of watches, and marks of changes that a rebuild found before their events are computed."""

import sqlalchemy as sa
from alembic import op

from webstrata.db.types import UtcDateTime

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "watch_site_events",
        sa.Column("watch_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("site_event_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(
            ["site_event_id"],
            ["site_events.id"],
            name=op.f("fk_watch_site_events_site_event_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["watch_id"], ["watches.id"], name=op.f("fk_watch_site_events_watch_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("watch_id", "site_event_id", name=op.f("pk_watch_site_events")),
    )
    op.create_index(op.f("ix_watch_site_events_site_event_id"), "watch_site_events", ["site_event_id"], unique=False)
    for columns in (("at", "id"), ("page",), ("new_page",)):
        op.create_index(op.f(f"ix_site_events_{'_'.join(columns)}"), "site_events", list(columns), unique=False)
    op.create_table(
        "restored_reviews",
        sa.Column("to_snapshot_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("event_key", sa.String(length=100), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("reviewed_at", UtcDateTime(), nullable=False),
        sa.Column("reviewed_by", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("to_snapshot_id", name=op.f("pk_restored_reviews")),
    )


def downgrade() -> None:
    for table in ("restored_reviews", "watch_site_events"):
        op.drop_table(table)
    for name in ("at_id", "page", "new_page"):
        op.drop_index(op.f(f"ix_site_events_{name}"), table_name="site_events")
