"""The pages of listings: what products and properties cost now, one listing with its prices over time, health."""

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, Field

from webstrata.db.collections import collection_lists, listings
from webstrata.db.collections.listings import ListingFilter, ListingOrder, ListingView, PriceView
from webstrata.db.sources.sources import list_sources
from webstrata.http.dependencies import CodeFilter, Parts, TextFilter
from webstrata.http.lookups import ListingId, known_listing
from webstrata.model.collections.listing import Availability, ListingKind
from webstrata.model.collections.prices import PriceDirection, PriceMove
from webstrata.model.list_totals import is_capped
from webstrata.web.collections.value_plot import PlottedValue, ValuePlot, draw_values
from webstrata.web.failures import PageRoute
from webstrata.web.list_pages import count_pages
from webstrata.web.pages import render

ON_A_PAGE = 50
MAX_PAGE = 1_000_000
PRICES_SHOWN = 500

AVAILABILITY_WORDS = {
    Availability.IN_STOCK: "In stock",
    Availability.OUT_OF_STOCK: "Out of stock",
    Availability.PREORDER: "Pre-order",
    Availability.BACKORDER: "Back-order",
    Availability.LIMITED: "Limited availability",
    Availability.DISCONTINUED: "Discontinued",
    Availability.UNKNOWN: "Not stated",
}
SORT_WORDS = {
    ListingOrder.NEWEST: "Last seen first",
    ListingOrder.NAME: "By name",
    ListingOrder.CHEAPEST: "Cheapest first",
}
_SIGNS = {PriceDirection.UP: "▲", PriceDirection.DOWN: "▼", PriceDirection.CURRENCY: "⇄", PriceDirection.FIRST: "•"}
_KIND_WORDS = {ListingKind.PRODUCT: "Products", ListingKind.PROPERTY: "Properties"}
_ANY = ("", "Any")

router = APIRouter(route_class=PageRoute, include_in_schema=False)


class ListingForm(BaseModel):
    """The filters of the page; unknown values match nothing."""

    q: TextFilter = Field(None, max_length=200)
    source: CodeFilter = None
    kind: TextFilter = None
    availability: TextFilter = None
    sort: TextFilter = None
    page: int = Field(1, ge=1, le=MAX_PAGE)


@router.get("/listings")
def list_page(request: Request, app: Parts, form: Annotated[ListingForm, Query()]) -> HTMLResponse:
    """List products and properties with their current prices and last changes."""
    order = ListingOrder(form.sort) if form.sort in set(ListingOrder) else ListingOrder.NEWEST
    chosen = {name: getattr(form, name) or "" for name in ("q", "source", "kind", "availability")}
    filters = ListingFilter(source=form.source, text=form.q, kind=form.kind, availability=form.availability)
    page = form.page
    with app.database.read() as session:
        found, total = listings.list_listings(session, filters, order, limit=ON_A_PAGE, offset=(page - 1) * ON_A_PAGE)
        names = [(one.code, one.name) for one in list_sources(session)]
    chosen["sort"] = "" if order is ListingOrder.NEWEST else order.value
    return render(
        request,
        "listings.html",
        listings=found,
        total=total,
        words=chosen["q"],
        choices=_choices(chosen, names),
        is_narrowed=any(value for name, value in chosen.items() if name != "sort"),
        availability_words=AVAILABILITY_WORDS,
        describe=describe_move,
        here=page,
        pages=count_pages(total, ON_A_PAGE, page, len(found)),
        capped=is_capped(total),
        older=_address(chosen, page + 1),
        newer=_address(chosen, page - 1),
    )


@router.get("/listings/health")
def health_page(request: Request, app: Parts) -> HTMLResponse:
    """Show how well the runs of each source went over time, and whether it is improving or declining."""
    with app.database.read() as session:
        found = collection_lists.source_health(session, runs=40)
    shown = [(one, one.trend, _success_plot(one)) for one in found]
    return render(request, "health.html", sources=shown)


@router.get("/listings/{listing_id}")
def listing_page(request: Request, app: Parts, listing_id: ListingId) -> HTMLResponse:
    """Show one listing with its price over time and its fields."""
    found = known_listing(app, listing_id)
    with app.database.read() as session:
        prices, total = listings.price_history(session, [listing_id], limit=PRICES_SHOWN)
    return render(
        request,
        "listing.html",
        listing=found,
        prices=prices,
        total=total,
        plot=price_plot(found, prices),
        stock=AVAILABILITY_WORDS.get(Availability(found.availability or "Unknown"), "Not stated"),
        describe=describe_move,
    )


def describe_move(price: PriceView) -> tuple[str, str, str]:
    """Return a price change as a sign, words and a kind that decides its colour."""
    move = price.move
    return _SIGNS[move.direction], _move_words(move, price), move.direction.value


def _move_words(move: PriceMove, price: PriceView) -> str:
    if move.direction is PriceDirection.FIRST:
        return "first price"
    if move.amount is None:
        return f"was {price.previous}"
    percent = "" if move.percent is None else f" ({move.percent:+f} %)"
    return f"{move.amount:+f} {price.price.currency or ''}".rstrip() + percent


def price_plot(listing: ListingView, prices: list[PriceView]) -> ValuePlot | None:
    """Return a listing's price over time, in its current currency, until it was last seen."""
    currency = listing.price.currency if listing.price else None
    values = [
        PlottedValue(one.captured_at, float(one.price.amount))
        for one in reversed(prices)
        if one.captured_at is not None and one.price.currency == currency
    ]
    if values and listing.last_seen_at and listing.last_seen_at > values[-1].at:
        values.append(PlottedValue(listing.last_seen_at, values[-1].value))
    return draw_values(values, is_stepped=True)


def _success_plot(health: collection_lists.SourceHealth) -> ValuePlot | None:
    values = [
        PlottedValue(run.created_at, run.success_rate)
        for run in health.runs
        if run.created_at is not None and run.success_rate is not None
    ]
    return draw_values(values, is_stepped=False, bounds=(0.0, 1.0))


def _choices(
    chosen: dict[str, str], sources: list[tuple[str, str]]
) -> list[tuple[str, str, str, list[tuple[str, str]]]]:
    return [
        ("source", "Source", chosen["source"], [_ANY, *sources]),
        ("kind", "Kind", chosen["kind"], [_ANY, *((kind.value, words) for kind, words in _KIND_WORDS.items())]),
        (
            *("availability", "Availability", chosen["availability"]),
            [_ANY, *((one.value, words) for one, words in AVAILABILITY_WORDS.items())],
        ),
        ("sort", "Order", chosen["sort"], [(one.value, words) for one, words in SORT_WORDS.items()]),
    ]


def _address(chosen: dict[str, str], page: int) -> str:
    fields = {**chosen, "page": str(page) if page > 1 else ""}
    query = urlencode({name: value for name, value in fields.items() if value})
    return f"/listings?{query}" if query else "/listings"
