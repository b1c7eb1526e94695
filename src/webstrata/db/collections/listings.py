"""Listings and their prices, as readers see them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, Numeric, Row, Select, and_, cast, func, or_, select
from sqlalchemy.orm import Session

from webstrata.db.collections.price_history import stored_money
from webstrata.db.schema.collection_tables import ListingRow, PriceRow
from webstrata.db.schema.tables import Source
from webstrata.db.sources.totals import HIDDEN_SOURCE
from webstrata.db.sources.visible import of_visible_source
from webstrata.db.sql.counting import count_rows
from webstrata.db.sql.planner_hints import unindexed
from webstrata.model.collections.listing import Money
from webstrata.model.collections.prices import PriceMove, price_move


class ListingOrder(StrEnum):
    """What comes first in a list of listings."""

    NEWEST = "newest"
    NAME = "name"
    CHEAPEST = "cheapest"


@dataclass(frozen=True)
class ListingFilter:
    """A filter of listings; None does not filter."""

    source: str | None = None
    text: str | None = None
    """Words of the name or the brand, an identifier, or a part of the URL."""
    kind: str | None = None
    availability: str | None = None
    currency: str | None = None
    min_price: Decimal | None = None
    max_price: Decimal | None = None


@dataclass(frozen=True)
class PriceView:
    """A price that a listing had from a capture on, and the previous price."""

    id: int
    listing_id: int
    snapshot_id: int | None
    captured_at: datetime | None
    recorded_at: datetime | None
    price: Money
    previous: Money | None
    availability: str | None

    @property
    def move(self) -> PriceMove:
        """Return the change from the price before."""
        return price_move(self.previous, self.price)


@dataclass(frozen=True)
class ListingView:
    """A listing with its current facts and its last price change."""

    id: int
    source_code: str
    source_name: str
    page: str
    url: str
    kind: str
    name: str | None
    price: Money | None
    regular_price: str | None
    sale_price: str | None
    availability: str | None
    sku: str | None
    gtin: str | None
    mpn: str | None
    brand: str | None
    image_url: str | None
    address: str | None
    rooms: float | None
    fields: Mapping[str, Any]
    quality: float | None
    first_snapshot_id: int | None
    last_snapshot_id: int | None
    first_seen_at: datetime | None
    last_seen_at: datetime | None
    last_change: PriceView | None = None


def list_listings(
    session: Session, filters: ListingFilter, order: ListingOrder, *, limit: int, offset: int = 0
) -> tuple[list[ListingView], int]:
    """Return listings and how many there are; exact unless `is_capped`."""
    matching = select(ListingRow.id).where(*_conditions(session, filters))
    # Of one source: the column names the index, see `exactly`.
    of_source = (ListingRow.source_id.desc(),) if filters.source is not None and order is ListingOrder.NEWEST else ()
    chosen = matching.order_by(*of_source, *_ORDERS[order]).limit(limit).offset(offset)
    rows = session.execute(_visible().where(ListingRow.id.in_(chosen)).order_by(*_ORDERS[order])).all()
    changes = _last_changes(session, [row[0].id for row in rows])
    return [_view(row, changes.get(row[0].id)) for row in rows], count_rows(session, matching.order_by(*of_source))


def find_listing(session: Session, listing_id: int) -> ListingView | None:
    """Return a listing; None when there is none, or its source is hidden."""
    row = session.execute(_visible().where(ListingRow.id == listing_id)).first()
    return None if row is None else _view(row, _last_changes(session, [listing_id]).get(listing_id))


def listings_of_page(session: Session, url: str, page: str) -> list[ListingView]:
    """Return the listings of a page in all sources, the last seen first."""
    is_page = or_(ListingRow.url == url, ListingRow.normalized_url_group == page)
    rows = session.execute(_visible().where(is_page).order_by(*_ORDERS[ListingOrder.NEWEST])).all()
    return [_view(row, None) for row in rows]


def price_history(
    session: Session, listing_ids: Collection[int], *, changes_only: bool = False, limit: int, offset: int = 0
) -> tuple[list[PriceView], int]:
    """Return the prices that listings had, newest first, and how many there are in all."""
    query = select(PriceRow).where(PriceRow.listing_id.in_(listing_ids), PriceRow.price.is_not(None))
    if changes_only:
        query = query.where(PriceRow.previous_price.is_not(None))
    newest = query.order_by(PriceRow.captured_at.desc(), PriceRow.id.desc()).limit(limit).offset(offset)
    return [_price(row) for row in session.scalars(newest)], count_rows(session, query.with_only_columns(PriceRow.id))


def list_prices(
    session: Session, *, source: str | None, changes_only: bool, limit: int, offset: int = 0
) -> tuple[list[PriceView], int]:
    """Return prices of all listings, or of those of a source, the last recorded first, and how many there are."""
    # The index of changes has the source, too: that of sources leads to every price.
    source_id = unindexed(PriceRow.source_id) if changes_only else PriceRow.source_id
    matching = select(PriceRow.id).where(
        PriceRow.price.is_not(None), source_id.is_not(None), *of_visible_source(session, source_id, source)
    )
    if changes_only:
        matching = matching.where(PriceRow.previous_price.is_not(None))
    of_source = (PriceRow.source_id.desc(),) if source is not None and not changes_only else ()
    chosen = matching.order_by(*of_source, PriceRow.id.desc()).limit(limit).offset(offset)
    rows = session.scalars(select(PriceRow).where(PriceRow.id.in_(chosen)).order_by(PriceRow.id.desc()))
    return [_price(row) for row in rows], count_rows(session, matching.order_by(*of_source))


def find_price(session: Session, price_id: int) -> PriceView | None:
    """Return one row of the price history; None when there is none, or its source is hidden."""
    row = session.scalars(
        select(PriceRow)
        .join(Source, Source.id == PriceRow.source_id)
        .where(PriceRow.id == price_id, PriceRow.price.is_not(None), Source.code != HIDDEN_SOURCE)
    ).first()
    return None if row is None else _price(row)


_AMOUNT = cast(ListingRow.price, Numeric(30, 10))
_ORDERS: Mapping[ListingOrder, tuple[Any, ...]] = {
    ListingOrder.NEWEST: (ListingRow.last_seen_at.desc(), ListingRow.id.desc()),
    ListingOrder.NAME: (func.lower(ListingRow.name), ListingRow.id),
    ListingOrder.CHEAPEST: (ListingRow.price.is_(None), _AMOUNT, ListingRow.id),
}
_SEARCHED = (ListingRow.name, ListingRow.brand, ListingRow.url, ListingRow.sku, ListingRow.gtin, ListingRow.mpn)
_MOST_WORDS = 8


def _visible() -> Select[ListingRow, str, str]:
    query = select(ListingRow, Source.code, Source.name).join(Source, Source.id == ListingRow.source_id)
    return query.where(Source.code != HIDDEN_SOURCE)


def _conditions(session: Session, filters: ListingFilter) -> list[ColumnElement[bool]]:
    equal = {
        ListingRow.kind: filters.kind,
        ListingRow.availability: filters.availability,
        ListingRow.currency: filters.currency,
    }
    conditions = of_visible_source(session, ListingRow.source_id, filters.source)
    conditions += [column == value for column, value in equal.items() if value is not None]
    words = (filters.text or "").split()[:_MOST_WORDS]
    conditions += [or_(*(column.icontains(word, autoescape=True) for column in _SEARCHED)) for word in words]
    if filters.min_price is not None:
        conditions.append(and_(ListingRow.price.is_not(None), filters.min_price <= _AMOUNT))
    if filters.max_price is not None:
        conditions.append(and_(ListingRow.price.is_not(None), filters.max_price >= _AMOUNT))
    return conditions


def _last_changes(session: Session, listing_ids: Collection[int]) -> dict[int, PriceView]:
    """Return the last price change of each of some listings."""
    rank = func.row_number().over(
        partition_by=PriceRow.listing_id, order_by=(PriceRow.captured_at.desc(), PriceRow.id.desc())
    )
    of_these = (PriceRow.listing_id.in_(listing_ids), PriceRow.previous_price.is_not(None))
    ranked = select(PriceRow.id, rank.label("rank")).where(*of_these).subquery()
    query = select(PriceRow).join(ranked, PriceRow.id == ranked.c.id).where(ranked.c.rank == 1)
    return {row.listing_id: _price(row) for row in session.scalars(query)}


def _price(row: PriceRow) -> PriceView:
    price = stored_money(row.price, row.currency)
    assert price is not None
    return PriceView(
        id=row.id,
        listing_id=row.listing_id,
        snapshot_id=row.snapshot_id,
        captured_at=row.captured_at,
        recorded_at=row.created_at,
        price=price,
        previous=stored_money(row.previous_price, row.previous_currency),
        availability=row.availability,
    )


def _view(found: Row[ListingRow, str, str], change: PriceView | None) -> ListingView:
    row, source_code, source_name = found
    return ListingView(
        id=row.id,
        source_code=source_code,
        source_name=source_name,
        page=row.normalized_url_group,
        url=row.url,
        kind=row.kind,
        name=row.name,
        price=stored_money(row.price, row.currency),
        regular_price=row.regular_price,
        sale_price=row.sale_price,
        availability=row.availability,
        sku=row.sku,
        gtin=row.gtin,
        mpn=row.mpn,
        brand=row.brand,
        image_url=row.image_url,
        address=row.address,
        rooms=row.rooms,
        fields=row.fields or {},
        quality=row.confidence,
        first_snapshot_id=row.first_snapshot_id,
        last_snapshot_id=row.last_snapshot_id,
        first_seen_at=row.first_seen_at,
        last_seen_at=row.last_seen_at,
        last_change=change,
    )
