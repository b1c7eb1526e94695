"""All tables of the schema, for what concerns each of them; other code loads only those that it reads."""

from webstrata.db.schema import (
    asset_tables,
    audit_tables,
    change_tables,
    collection_tables,
    crawl_tables,
    integrity_tables,
    link_tables,
    notification_tables,
    public_tables,
    replay_tables,
    retention_tables,
    search_tables,
    tables,
    watching_tables,
)
from webstrata.db.schema.base import Base

__all__ = [
    "Base",
    "asset_tables",
    "audit_tables",
    "change_tables",
    "collection_tables",
    "crawl_tables",
    "integrity_tables",
    "link_tables",
    "notification_tables",
    "public_tables",
    "replay_tables",
    "retention_tables",
    "search_tables",
    "tables",
    "watching_tables",
]
