"""Listings and their price history: `/api/listings`, `/api/price-history` and `/public_api/v1/listings`."""

from decimal import Decimal
from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import AfterValidator, BaseModel, Field, WithJsonSchema

from webstrata.api.collections import present_listings
from webstrata.api.collections.listing_schemas import (
    ListingListSchema,
    ListingSchema,
    PriceHistorySchema,
    PriceListSchema,
    PriceSchema,
)
from webstrata.db.collections import listings
from webstrata.db.collections.listings import ListingFilter, ListingOrder
from webstrata.errors import NotFoundError, UsageError
from webstrata.http.dependencies import LARGEST_OFFSET, CodeFilter, Limit, Offset, Parts, SnapshotId, Text, TextFilter
from webstrata.http.error_schemas import ErrorSchema
from webstrata.http.lookups import ListingId, known_listing
from webstrata.model.collections.listing import Availability, ListingKind
from webstrata.model.urls import url_group

router = APIRouter(tags=["listings"], responses={404: {"model": ErrorSchema}})

PUBLIC = "/public_api/v1/listings"
_MAX_PRICE = Decimal(10) ** 13

_DECIMALS = 4
"""Decimals of a price that count in a filter: more than any currency has."""

Amount = Annotated[
    Decimal,
    Field(ge=0, le=_MAX_PRICE),
    AfterValidator(lambda amount: round(amount, _DECIMALS)),
    WithJsonSchema({"type": "number", "minimum": 0, "maximum": int(_MAX_PRICE)}),
]
ChangesOnly = Annotated[bool, Query(description="Only prices that differ from the price before.")]


class ListingParameters(BaseModel):
    """Which listings are requested."""

    source: CodeFilter = Field(None, description="Only results of the source with this code.")
    q: TextFilter = Field(None, max_length=200, description="Words of the name, the brand, an identifier or the URL.")
    kind: ListingKind | None = None
    availability: Availability | None = None
    currency: TextFilter = Field(None, max_length=3, description="An ISO 4217 code.")
    min_price: Amount | None = Field(None, alias="minPrice")
    max_price: Amount | None = Field(None, alias="maxPrice")
    sort: ListingOrder = Field(ListingOrder.NEWEST, description="The order of results.")
    limit: int = Field(50, ge=1, le=500)
    offset: int = Field(0, ge=0)

    @property
    def listings(self) -> ListingFilter:
        """Return the filter of the database."""
        return ListingFilter(
            source=self.source,
            text=self.q,
            kind=self.kind,
            availability=self.availability,
            currency=self.currency.upper() if self.currency else None,
            min_price=self.min_price,
            max_price=self.max_price,
        )


@router.get("/api/listings")
@router.get(PUBLIC)
def list_listings(app: Parts, parameters: Annotated[ListingParameters, Query()]) -> ListingListSchema:
    """List product and property pages with their current prices."""
    offset = min(parameters.offset, LARGEST_OFFSET)
    with app.database.read() as session:
        found, total = listings.list_listings(
            session, parameters.listings, parameters.sort, limit=parameters.limit, offset=offset
        )
    items = [present_listings.listing(view) for view in found]
    return ListingListSchema(items=items, total=total, limit=parameters.limit, offset=parameters.offset)


@router.get("/api/listings/history")
@router.get(f"{PUBLIC}/history")
def history_of_url(
    app: Parts,
    url: Annotated[Text, Query(min_length=1, max_length=4096, description="The URL of a listing.")],
    limit: Limit = 100,
    changes_only: ChangesOnly = False,
) -> PriceHistorySchema:
    """Return the prices of the listings at a URL, newest first."""
    with app.database.read() as session:
        found = listings.listings_of_page(session, url, _group(url))
        if not found:
            raise NotFoundError("There is no listing at this URL")
        ids = [view.id for view in found]
        prices, total = listings.price_history(session, ids, changes_only=changes_only, limit=limit)
    history = [present_listings.price(view) for view in prices]
    return PriceHistorySchema(url=url, listingIds=ids, history=history, total=total)


@router.get("/api/listings/{listing_id}")
@router.get(f"{PUBLIC}/{{listing_id}}")
def show_listing(app: Parts, listing_id: ListingId) -> ListingSchema:
    """Return one listing with its fields, their sources and confidences."""
    return present_listings.listing(known_listing(app, listing_id))


@router.get("/api/listings/{listing_id}/history")
def history_of_listing(
    app: Parts, listing_id: ListingId, limit: Limit = 100, offset: Offset = 0, changes_only: ChangesOnly = False
) -> PriceListSchema:
    """List the prices that a listing had, newest first."""
    known_listing(app, listing_id)
    with app.database.read() as session:
        found, total = listings.price_history(
            session, [listing_id], changes_only=changes_only, limit=limit, offset=min(offset, LARGEST_OFFSET)
        )
    items = [present_listings.price(view) for view in found]
    return PriceListSchema(items=items, total=total, limit=limit, offset=offset)


@router.get("/api/price-history")
def list_prices(
    app: Parts,
    source: Annotated[CodeFilter, Query(description="Only results of the source with this code.")] = None,
    limit: Limit = 100,
    offset: Offset = 0,
    changes_only: ChangesOnly = True,
) -> PriceListSchema:
    """List the price changes of all listings, the last recorded first."""
    with app.database.read() as session:
        found, total = listings.list_prices(
            session, source=source, changes_only=changes_only, limit=limit, offset=min(offset, LARGEST_OFFSET)
        )
    items = [present_listings.price(view) for view in found]
    return PriceListSchema(items=items, total=total, limit=limit, offset=offset)


@router.get("/api/price-history/{price_id}")
def show_price(app: Parts, price_id: Annotated[SnapshotId, Path(description="A price's number.")]) -> PriceSchema:
    """Return one row of the price history."""
    with app.database.read() as session:
        found = listings.find_price(session, price_id)
    if found is None:
        raise NotFoundError("There is no such price: it may have expired")
    return present_listings.price(found)


def _group(url: str) -> str:
    """Return the page of a URL; a text that is not a URL is compared as it is."""
    try:
        return url_group(url)
    except UsageError:
        return url
