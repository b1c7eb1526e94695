"""Indexes for lists that were read whole, sorted or counted for every page of them."""

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None

_CHANGES = "snapshot_changes"
_OF_JOB = "ix_snapshot_changes_of_job"
_COUNTS = sa.text("change_type <> 'unchanged'")
_AMONG_CHANGES = {
    "ix_snapshot_changes_newest_of_source": ("source_id", "to_capture_timestamp", "id"),
    "ix_snapshot_changes_newest_of_job": ("to_job_id", "to_capture_timestamp", "id"),
    "ix_snapshot_changes_newest_of_type": ("change_type", "to_capture_timestamp", "id"),
    "ix_snapshot_changes_most_significant": ("significance", "to_capture_timestamp", "id"),
}
_OTHERS: dict[str, tuple[tuple[str, ...], ...]] = {
    "listings": (("source_id", "last_seen_at", "id"),),
    "price_history": (("source_id", "id"),),
    "diagnostics": (("listing_id", "id"),),
    "audit_sessions": (("created_at", "id"), ("status", "created_at", "id")),
    "scraper_health": (("job_id",),),
    "template_changes": (("to_job_id",),),
    "watches": (("source_id", "scope"),),
    "scrape_metadata": (("source_id", "id"), ("job_id", "id")),
}
_BY_URL = "ix_diagnostics_url"
_BY_PAGE = "ix_watches_page"
_AUDITS_BY_TIME = "ix_audit_sessions_created_at"
_PRICE_CHANGES = "ix_price_history_changes"
_IS_CHANGE = sa.text("previous_price IS NOT NULL")


def upgrade() -> None:
    """Add the indexes."""
    op.drop_index(_OF_JOB, _CHANGES)
    op.create_index(_OF_JOB, _CHANGES, ["to_job_id", "to_capture_timestamp", "id"])
    for name, among in _AMONG_CHANGES.items():
        op.create_index(name, _CHANGES, [*among], sqlite_where=_COUNTS, postgresql_where=_COUNTS)
    for table, indexes in _OTHERS.items():
        for columns in indexes:
            op.create_index(f"ix_{table}_{'_'.join(columns)}", table, [*columns])
    op.create_index(_BY_URL, "diagnostics", ["url"], postgresql_using="hash")
    op.create_index(_BY_PAGE, "watches", ["page"], postgresql_using="hash")
    with_source = ["id", "source_id"]
    op.create_index(_PRICE_CHANGES, "price_history", with_source, sqlite_where=_IS_CHANGE, postgresql_where=_IS_CHANGE)
    op.drop_index(_AUDITS_BY_TIME, "audit_sessions")


def downgrade() -> None:
    """Drop them again."""
    op.create_index(_AUDITS_BY_TIME, "audit_sessions", ["created_at"])
    op.drop_index(_PRICE_CHANGES, "price_history")
    op.drop_index(_BY_PAGE, "watches")
    op.drop_index(_BY_URL, "diagnostics")
    for table, indexes in _OTHERS.items():
        for columns in indexes:
            op.drop_index(f"ix_{table}_{'_'.join(columns)}", table)
    for name in _AMONG_CHANGES:
        op.drop_index(name, _CHANGES)
    op.drop_index(_OF_JOB, _CHANGES)
    op.create_index(_OF_JOB, _CHANGES, ["to_job_id", "id"])
