"""Price history: a row for each price change of a listing, with the previous price."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from sqlalchemy import select
from sqlalchemy.orm import Session

from webstrata.db.schema.collection_tables import ListingRow, PriceRow
from webstrata.model.collections.listing import Money
from webstrata.model.collections.prices import current_price, has_price_changed, shown_amount
from webstrata.model.collections.seen_listings import SeenListing


@dataclass(frozen=True)
class PricePoint:
    """The capture that shows a price."""

    snapshot_id: int | None
    captured_at: datetime
    availability: str | None


def stored_money(amount: str | None, currency: str | None) -> Money | None:
    """Return a stored price; None where there is none."""
    return None if amount is None else Money(Decimal(amount), currency)


def record_price(
    session: Session, listing: ListingRow, price: Money, snapshot_id: int | None, seen: SeenListing, now: datetime
) -> None:
    """Add a capture's price to a listing's history if it differs from the previous price.

    Captures may be added in any order; older ones are inserted by their time.
    """
    is_newest = listing.last_seen_at is None or seen.captured_at >= listing.last_seen_at
    after = None if is_newest else _next_row(session, listing.id, seen.captured_at)
    before = _price_before(session, listing, seen.captured_at, after, is_newest)
    price = current_price(before, price) or price
    if not has_price_changed(before, price):
        return
    point = PricePoint(snapshot_id, seen.captured_at, seen.listing.stock.value)
    _add(session, listing, (before, price), point, now)
    if is_newest:
        return
    if after is None:
        _add_return(session, listing, price, now)
    elif has_price_changed(price, stored_money(after.price, after.currency)):
        after.previous_price, after.previous_currency = shown_amount(price.amount), price.currency
    else:
        # The following row has the same price, which began earlier than it was known.
        session.delete(after)
    session.flush()


def _price_before(
    session: Session, listing: ListingRow, at: datetime, after: PriceRow | None, is_newest: bool
) -> Money | None:
    """Return the price before a time: from its row, or if that is expired from the next row, else from the listing."""
    current = stored_money(listing.price, listing.currency)
    if is_newest:
        return current
    row = session.scalars(
        select(PriceRow)
        .where(PriceRow.listing_id == listing.id, PriceRow.captured_at <= at)
        .order_by(PriceRow.captured_at.desc(), PriceRow.id.desc())
        .limit(1)
    ).first()
    if row is not None:
        return stored_money(row.price, row.currency)
    if after is not None:
        return stored_money(after.previous_price, after.previous_currency)
    is_earliest = listing.first_seen_at is not None and at < listing.first_seen_at
    return None if is_earliest else current


def _next_row(session: Session, listing_id: int, at: datetime) -> PriceRow | None:
    return session.scalars(
        select(PriceRow)
        .where(PriceRow.listing_id == listing_id, PriceRow.captured_at > at)
        .order_by(PriceRow.captured_at, PriceRow.id)
        .limit(1)
    ).first()


def _add_return(session: Session, listing: ListingRow, price: Money, now: datetime) -> None:
    """Add the change from a late capture's price back to the listing's price, which its newest capture shows."""
    current = stored_money(listing.price, listing.currency)
    if current is not None and listing.last_seen_at is not None and has_price_changed(price, current):
        point = PricePoint(listing.last_snapshot_id, listing.last_seen_at, listing.availability)
        _add(session, listing, (price, current), point, now)


def _add(
    session: Session, listing: ListingRow, prices: tuple[Money | None, Money], point: PricePoint, now: datetime
) -> None:
    before, price = prices
    session.add(
        PriceRow(
            listing_id=listing.id,
            source_id=listing.source_id,
            normalized_url_group=listing.normalized_url_group,
            snapshot_id=point.snapshot_id,
            captured_at=point.captured_at,
            price=shown_amount(price.amount),
            currency=price.currency,
            previous_price=shown_amount(before.amount) if before else None,
            previous_currency=before.currency if before else None,
            availability=point.availability,
            created_at=now,
        )
    )
    session.flush()
