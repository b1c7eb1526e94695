"""Tables of the collections that retention policies apply to, and of the listings, which never expire.

Every collection has one indexed `created_at`. It may be NULL: a row without a date never expires.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Double, ForeignKey, Index, String, UniqueConstraint, false, text
from sqlalchemy.orm import Mapped, mapped_column

import webstrata.db.schema.tables  # noqa: F401 - foreign keys refer to its tables
from webstrata.db.schema.base import Base, BigId, Json, utcnow

_CHANGES = text("previous_price IS NOT NULL")
"""Most prices are the first of their listings."""


class ListingRow(Base):
    """A product or property page with its current facts and price."""

    __tablename__ = "listings"
    __table_args__ = (
        UniqueConstraint("source_id", "normalized_url_group"),
        Index(None, "created_at"),
        Index(None, "last_seen_at", "id"),
        Index(None, "source_id", "last_seen_at", "id"),
        Index(None, "gtin"),
        Index(None, "normalized_url_group"),
        # A hash index, as an imported address may be too long for an ordinary index on PostgreSQL.
        Index(None, "url", postgresql_using="hash"),
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    source_id: Mapped[int] = mapped_column(ForeignKey("sources.id", ondelete="CASCADE"))
    normalized_url_group: Mapped[str]
    url: Mapped[str]
    kind: Mapped[str] = mapped_column(String(16))
    """product or property."""
    name: Mapped[str | None]
    price: Mapped[str | None] = mapped_column(String(40))
    """An exact decimal number, such as 1299.00."""
    currency: Mapped[str | None] = mapped_column(String(3))
    """An ISO 4217 code."""
    regular_price: Mapped[str | None] = mapped_column(String(40))
    sale_price: Mapped[str | None] = mapped_column(String(40))
    availability: Mapped[str | None] = mapped_column(String(32))
    sku: Mapped[str | None]
    gtin: Mapped[str | None] = mapped_column(String(14))
    mpn: Mapped[str | None]
    brand: Mapped[str | None]
    image_url: Mapped[str | None]
    address: Mapped[str | None]
    rooms: Mapped[float | None] = mapped_column(Double)
    fields: Mapped[dict[str, Any] | None]
    """Each field with the sources of its value and its confidence."""
    confidence: Mapped[float | None] = mapped_column(Double)
    first_snapshot_id: Mapped[int | None] = mapped_column(BigInteger)
    last_snapshot_id: Mapped[int | None] = mapped_column(BigInteger)
    first_seen_at: Mapped[datetime | None]
    last_seen_at: Mapped[datetime | None]
    created_at: Mapped[datetime | None] = mapped_column(default=utcnow)
    updated_at: Mapped[datetime] = mapped_column(default=utcnow, onupdate=utcnow)


class PriceRow(Base):
    """A price that a listing had from one capture on, and the price before it."""

    __tablename__ = "price_history"
    __table_args__ = (
        Index(None, "created_at"),
        Index(None, "listing_id", "id"),
        Index(None, "source_id", "id"),
        Index("ix_price_history_changes", "id", "source_id", sqlite_where=_CHANGES, postgresql_where=_CHANGES),
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    listing_id: Mapped[int] = mapped_column(ForeignKey("listings.id", ondelete="CASCADE"))
    source_id: Mapped[int | None] = mapped_column(ForeignKey("sources.id", ondelete="CASCADE"))
    normalized_url_group: Mapped[str | None]
    snapshot_id: Mapped[int | None] = mapped_column(BigInteger)
    captured_at: Mapped[datetime | None]
    price: Mapped[str | None] = mapped_column(String(40))
    currency: Mapped[str | None] = mapped_column(String(3))
    previous_price: Mapped[str | None] = mapped_column(String(40))
    previous_currency: Mapped[str | None] = mapped_column(String(3))
    availability: Mapped[str | None] = mapped_column(String(32))
    created_at: Mapped[datetime | None] = mapped_column(default=utcnow)


class DiagnosticRow(Base):
    """How a listing was extracted from a capture: one trace per field, and a quality score."""

    __tablename__ = "diagnostics"
    __table_args__ = (
        Index(None, "created_at"),
        Index(None, "source_id", "id"),
        Index(None, "snapshot_id"),
        Index(None, "listing_id", "id"),
        # An imported address may be longer than an ordinary index of PostgreSQL takes.
        Index(None, "url", postgresql_using="hash"),
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    source_id: Mapped[int | None] = mapped_column(ForeignKey("sources.id", ondelete="CASCADE"))
    listing_id: Mapped[int | None] = mapped_column(BigInteger)
    snapshot_id: Mapped[int | None] = mapped_column(BigInteger)
    normalized_url_group: Mapped[str | None]
    url: Mapped[str]
    quality_score: Mapped[float | None] = mapped_column(Double)
    traces: Mapped[list[dict[str, Any]] | None] = mapped_column(Json)
    """Each with its field, strategy, raw text, value and fallback."""
    created_at: Mapped[datetime | None] = mapped_column(default=utcnow)


class ScrapeRow(Base):
    """One attempt to fetch a URL, and its result.

    A crawl adds as many rows as it fetches pages: there are no foreign keys, and a URL is indexed by its hash.
    """

    __tablename__ = "scrape_metadata"
    __table_args__ = (
        Index(None, "created_at"),
        Index(None, "url_hash"),
        Index(None, "source_id", "id"),
        Index(None, "job_id", "id"),
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    created_at: Mapped[datetime | None] = mapped_column(default=utcnow)
    source_id: Mapped[int | None]
    job_id: Mapped[int | None]
    url: Mapped[str]
    url_hash: Mapped[int] = mapped_column(BigInteger)
    status_code: Mapped[int | None]
    size_bytes: Mapped[int | None] = mapped_column(BigInteger)
    elapsed_ms: Mapped[int | None]
    payload_digest: Mapped[str | None]
    is_blocked: Mapped[bool] = mapped_column(default=False, server_default=false())
    is_js_only: Mapped[bool] = mapped_column(default=False, server_default=false())
    error_kind: Mapped[str | None] = mapped_column(String(32))


class HealthRow(Base):
    """The health of one run of a source."""

    __tablename__ = "scraper_health"
    __table_args__ = (Index(None, "created_at"), Index(None, "source_id", "id"), Index(None, "job_id"))

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    created_at: Mapped[datetime | None] = mapped_column(default=utcnow)
    source_id: Mapped[int | None] = mapped_column(ForeignKey("sources.id", ondelete="CASCADE"))
    job_id: Mapped[int | None]
    status: Mapped[str] = mapped_column(String(32))
    pages_fetched: Mapped[int]
    pages_failed: Mapped[int]
    success_rate: Mapped[float | None] = mapped_column(Double)
    """From 0 to 1; None for a run that tried nothing."""
    field_fill_rates: Mapped[dict[str, Any] | None]
    """For each field of a listing, the share of the run's listings that have it."""


class ExportRow(Base):
    """One export: which list, in which format, for which caller."""

    __tablename__ = "export_history"
    __table_args__ = (Index(None, "created_at"),)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    created_at: Mapped[datetime | None] = mapped_column(default=utcnow)
    kind: Mapped[str] = mapped_column(String(32))
    format: Mapped[str] = mapped_column(String(16))
    actor: Mapped[str]
    client: Mapped[str | None]
    request_id: Mapped[str | None]
    filters: Mapped[dict[str, Any] | None]
    item_count: Mapped[int | None] = mapped_column(BigInteger)
    """How many rows or files were sent; None for a running or interrupted export."""
    finished_at: Mapped[datetime | None]


class HaulRow(Base):
    """A saved set of captures to compare, share and export."""

    __tablename__ = "hauls"
    __table_args__ = (Index(None, "created_at"),)

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    """Random, as the link to a haul is enough to read it."""
    created_at: Mapped[datetime | None] = mapped_column(default=utcnow)
    name: Mapped[str]
    actor: Mapped[str]
    in_use_until: Mapped[datetime | None]
    """It is not deleted before this time, as an export or a comparison of it may be running."""


class HaulCapture(Base):
    """One capture of a haul."""

    __tablename__ = "haul_captures"
    __table_args__ = (Index(None, "snapshot_id"),)

    haul_id: Mapped[str] = mapped_column(ForeignKey("hauls.id", ondelete="CASCADE"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    snapshot_id: Mapped[int] = mapped_column(BigInteger)
