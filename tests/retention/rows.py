"""Rows of the collections, dated as a test wants them."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from sqlalchemy import Null, func, null, select
from sqlalchemy.orm import InstrumentedAttribute

from webstrata.db.engine import Database, Session
from webstrata.db.schema.base import Base
from webstrata.db.schema.collection_tables import (
    DiagnosticRow,
    ExportRow,
    HaulRow,
    HealthRow,
    ListingRow,
    PriceRow,
    ScrapeRow,
)
from webstrata.db.schema.public_tables import AuditEntry
from webstrata.db.schema.tables import Source

NOW = datetime(2026, 7, 1, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)
TICK = timedelta(microseconds=1)

Moment = datetime | None
MakeRow = Callable[[Session, datetime | Null, str], Base]


def _price(session: Session, at: datetime | Null, name: str) -> Base:
    source = Source(code=name, name=name)
    session.add(source)
    session.flush()
    listing = ListingRow(source_id=source.id, normalized_url_group=name, url=name, kind="product", created_at=at)
    session.add(listing)
    session.flush()
    return PriceRow(listing_id=listing.id, price="9.99", currency="EUR", created_at=at)


MAKERS: dict[str, MakeRow] = {
    "diagnostics": lambda _s, at, name: DiagnosticRow(url=name, created_at=at),
    "price_history": _price,
    "scrape_metadata": lambda _s, at, name: ScrapeRow(url=name, url_hash=1, created_at=at),
    "audit_log": lambda _s, at, name: AuditEntry(at=at, actor=name, action="a", target="t"),
    "scraper_health": lambda _s, at, name: HealthRow(status=name, pages_fetched=1, pages_failed=0, created_at=at),
    "export_history": lambda _s, at, name: ExportRow(kind=name, format="csv", actor="a", created_at=at),
    "hauls": lambda _s, at, name: HaulRow(id=name, name=name, actor="a", created_at=at),
}
MODELS: dict[str, type[Base]] = {
    "diagnostics": DiagnosticRow,
    "price_history": PriceRow,
    "scrape_metadata": ScrapeRow,
    "audit_log": AuditEntry,
    "scraper_health": HealthRow,
    "export_history": ExportRow,
    "hauls": HaulRow,
}


def add_row(database: Database, collection: str, at: Moment, name: str) -> None:
    """Add a row that was created at a time, or without a date."""
    with database.write() as session:
        # None would stand for the column's default, which is now.
        session.add(MAKERS[collection](session, at or null(), name))


def created_at(collection: str) -> InstrumentedAttribute[Moment]:
    """Return the column by which a collection expires."""
    return AuditEntry.at if collection == "audit_log" else MODELS[collection].created_at  # type: ignore[attr-defined]


def count(database: Database, model: type[Base]) -> int:
    """Return how many rows a table has."""
    with database.read() as session:
        return session.scalar(select(func.count()).select_from(model)) or 0


def dates(database: Database, collection: str) -> list[datetime]:
    """Return when the rows of a collection were created, oldest first."""
    with database.read() as session:
        return sorted(filter(None, session.scalars(select(created_at(collection)))))
