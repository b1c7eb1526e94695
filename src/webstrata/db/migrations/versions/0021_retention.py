"""Retention: collections with a time to live, listings, artifacts, policies, passes, legal holds and tombstones."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from webstrata.db.types import UtcDateTime

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

_JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
_BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_PRICE = sa.String(length=40)
_CURRENCY = sa.String(length=3)

_TABLES = (
    *("haul_captures", "hauls", "export_history", "scraper_health", "scrape_metadata", "diagnostics"),
    *("price_history", "listings", "artifacts", "tombstones", "legal_holds", "retention_permits", "retention_runs"),
    "retention_policies",
)


def _created_at() -> sa.Column[object]:
    return sa.Column("created_at", UtcDateTime(), nullable=True)


def _source_key(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["source_id"], ["sources.id"], name=op.f(f"fk_{table}_source_id"), ondelete="CASCADE"
    )


def _index(table: str, *columns: str) -> None:
    op.create_index(op.f(f"ix_{table}_{'_'.join(columns)}"), table, [*columns], unique=False)


def upgrade() -> None:
    _create_listings()
    _create_collections()
    _create_hauls()
    _create_retention()
    _create_artifacts()
    op.add_column("warc_files", sa.Column("deleting_since", UtcDateTime(), nullable=True))


def _create_listings() -> None:
    op.create_table(
        "listings",
        sa.Column("id", _BIG_ID, nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("normalized_url_group", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("price", _PRICE, nullable=True),
        sa.Column("currency", _CURRENCY, nullable=True),
        sa.Column("regular_price", _PRICE, nullable=True),
        sa.Column("sale_price", _PRICE, nullable=True),
        sa.Column("availability", sa.String(length=32), nullable=True),
        sa.Column("sku", sa.Text(), nullable=True),
        sa.Column("gtin", sa.String(length=14), nullable=True),
        sa.Column("mpn", sa.Text(), nullable=True),
        sa.Column("brand", sa.Text(), nullable=True),
        sa.Column("image_url", sa.Text(), nullable=True),
        sa.Column("address", sa.Text(), nullable=True),
        sa.Column("rooms", sa.Double(), nullable=True),
        sa.Column("fields", _JSON, nullable=True),
        sa.Column("confidence", sa.Double(), nullable=True),
        sa.Column("first_snapshot_id", sa.BigInteger(), nullable=True),
        sa.Column("last_snapshot_id", sa.BigInteger(), nullable=True),
        sa.Column("first_seen_at", UtcDateTime(), nullable=True),
        sa.Column("last_seen_at", UtcDateTime(), nullable=True),
        _created_at(),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        _source_key("listings"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_listings")),
        sa.UniqueConstraint(
            "source_id", "normalized_url_group", name=op.f("uq_listings_source_id_normalized_url_group")
        ),
    )
    _index("listings", "created_at")
    _index("listings", "last_seen_at", "id")
    _index("listings", "gtin")
    op.create_table(
        "price_history",
        sa.Column("id", _BIG_ID, nullable=False),
        sa.Column("listing_id", _BIG_ID, nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=True),
        sa.Column("normalized_url_group", sa.Text(), nullable=True),
        sa.Column("snapshot_id", sa.BigInteger(), nullable=True),
        sa.Column("captured_at", UtcDateTime(), nullable=True),
        sa.Column("price", _PRICE, nullable=True),
        sa.Column("currency", _CURRENCY, nullable=True),
        sa.Column("previous_price", _PRICE, nullable=True),
        sa.Column("previous_currency", _CURRENCY, nullable=True),
        sa.Column("availability", sa.String(length=32), nullable=True),
        _created_at(),
        sa.ForeignKeyConstraint(
            ["listing_id"], ["listings.id"], name=op.f("fk_price_history_listing_id"), ondelete="CASCADE"
        ),
        _source_key("price_history"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_price_history")),
    )
    _index("price_history", "created_at")
    _index("price_history", "listing_id", "id")


def _create_collections() -> None:
    op.create_table(
        "diagnostics",
        sa.Column("id", _BIG_ID, nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=True),
        sa.Column("listing_id", sa.BigInteger(), nullable=True),
        sa.Column("snapshot_id", sa.BigInteger(), nullable=True),
        sa.Column("normalized_url_group", sa.Text(), nullable=True),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("quality_score", sa.Double(), nullable=True),
        sa.Column("traces", _JSON, nullable=True),
        _created_at(),
        _source_key("diagnostics"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_diagnostics")),
    )
    _index("diagnostics", "created_at")
    _index("diagnostics", "source_id", "id")
    _index("diagnostics", "snapshot_id")
    op.create_table(
        "scrape_metadata",
        sa.Column("id", _BIG_ID, nullable=False),
        _created_at(),
        sa.Column("source_id", sa.Integer(), nullable=True),
        sa.Column("job_id", sa.Integer(), nullable=True),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("url_hash", sa.BigInteger(), nullable=False),
        sa.Column("status_code", sa.Integer(), nullable=True),
        sa.Column("size_bytes", sa.BigInteger(), nullable=True),
        sa.Column("elapsed_ms", sa.Integer(), nullable=True),
        sa.Column("payload_digest", sa.Text(), nullable=True),
        sa.Column("is_blocked", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("is_js_only", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("error_kind", sa.String(length=32), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_scrape_metadata")),
    )
    _index("scrape_metadata", "created_at")
    _index("scrape_metadata", "url_hash")
    op.create_table(
        "scraper_health",
        sa.Column("id", _BIG_ID, nullable=False),
        _created_at(),
        sa.Column("source_id", sa.Integer(), nullable=True),
        sa.Column("job_id", sa.Integer(), nullable=True),
        sa.Column("status", sa.String(length=32), nullable=False),
        sa.Column("pages_fetched", sa.Integer(), nullable=False),
        sa.Column("pages_failed", sa.Integer(), nullable=False),
        sa.Column("success_rate", sa.Double(), nullable=True),
        sa.Column("field_fill_rates", _JSON, nullable=True),
        _source_key("scraper_health"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_scraper_health")),
    )
    _index("scraper_health", "created_at")
    _index("scraper_health", "source_id", "id")
    op.create_table(
        "export_history",
        sa.Column("id", _BIG_ID, nullable=False),
        _created_at(),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("format", sa.String(length=16), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("client", sa.Text(), nullable=True),
        sa.Column("request_id", sa.Text(), nullable=True),
        sa.Column("filters", _JSON, nullable=True),
        sa.Column("item_count", sa.BigInteger(), nullable=True),
        sa.Column("finished_at", UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_export_history")),
    )
    _index("export_history", "created_at")


def _create_hauls() -> None:
    op.create_table(
        "hauls",
        sa.Column("id", sa.String(length=32), nullable=False),
        _created_at(),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("in_use_until", UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_hauls")),
    )
    _index("hauls", "created_at")
    op.create_table(
        "haul_captures",
        sa.Column("haul_id", sa.String(length=32), nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("snapshot_id", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["haul_id"], ["hauls.id"], name=op.f("fk_haul_captures_haul_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("haul_id", "position", name=op.f("pk_haul_captures")),
    )
    _index("haul_captures", "snapshot_id")


def _create_retention() -> None:
    op.create_table(
        "retention_policies",
        sa.Column("collection", sa.String(length=64), nullable=False),
        sa.Column("ttl_days", sa.Integer(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("collection", name=op.f("pk_retention_policies")),
    )
    op.create_table(
        "retention_runs",
        sa.Column("id", _BIG_ID, nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("trigger", sa.String(length=16), nullable=False),
        sa.Column("seconds", sa.Double(), nullable=False),
        sa.Column("results", _JSON, nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_retention_runs")),
    )
    _index("retention_runs", "created_at")
    op.create_table(
        "retention_permits",
        sa.Column("name", sa.String(length=32), nullable=False),
        sa.Column("taken_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_retention_permits")),
    )
    op.create_table(
        "legal_holds",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("scope", sa.String(length=16), nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=True),
        sa.Column("normalized_url_group", sa.Text(), nullable=True),
        sa.Column("snapshot_id", sa.BigInteger(), nullable=True),
        sa.Column("session_id", sa.String(length=36), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("released_at", UtcDateTime(), nullable=True),
        sa.Column("released_by", sa.Text(), nullable=True),
        _source_key("legal_holds"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_legal_holds")),
    )
    _index("legal_holds", "source_id")
    _index("legal_holds", "snapshot_id")
    op.create_table(
        "tombstones",
        sa.Column("snapshot_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("job_id", sa.Integer(), nullable=True),
        sa.Column("source_code", sa.Text(), nullable=True),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("captured_at", UtcDateTime(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=True),
        sa.Column("warc_filename", sa.Text(), nullable=False),
        sa.Column("warc_offset", sa.BigInteger(), nullable=True),
        sa.Column("warc_record_id", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("snapshot_id", name=op.f("pk_tombstones")),
    )
    _index("tombstones", "warc_filename", "warc_offset")


def _create_artifacts() -> None:
    op.create_table(
        "artifacts",
        sa.Column("id", _BIG_ID, nullable=False),
        sa.Column("session_id", sa.String(length=36), nullable=False),
        sa.Column("page_id", sa.String(length=36), nullable=True),
        sa.Column("type", sa.String(length=32), nullable=False),
        sa.Column("storage_uri", sa.Text(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("checksum", sa.String(length=64), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("retention_until", UtcDateTime(), nullable=True),
        sa.Column("deleted_at", UtcDateTime(), nullable=True),
        sa.Column("cleanup_failed_at", UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_artifacts")),
    )
    _index("artifacts", "type", "deleted_at", "retention_until")
    _index("artifacts", "session_id")


def downgrade() -> None:
    op.drop_column("warc_files", "deleting_since")
    for table in _TABLES:
        op.drop_table(table)
