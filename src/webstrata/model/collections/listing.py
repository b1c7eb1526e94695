"""Listings: what a product or property page offers, each field with its sources and a confidence."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from decimal import Decimal
from enum import StrEnum
from typing import Generic, TypeVar

Value = TypeVar("Value")


class ListingKind(StrEnum):
    """What a listing offers."""

    PRODUCT = "product"
    PROPERTY = "property"


class Availability(StrEnum):
    """Whether a listing can be bought, in the words of schema.org; Unknown where the page does not state it."""

    IN_STOCK = "InStock"
    OUT_OF_STOCK = "OutOfStock"
    PREORDER = "PreOrder"
    BACKORDER = "BackOrder"
    LIMITED = "LimitedAvailability"
    DISCONTINUED = "Discontinued"
    UNKNOWN = "Unknown"


class FieldSource(StrEnum):
    """Where a value was read from."""

    JSON_LD = "json-ld"
    MICRODATA = "microdata"
    RDFA = "rdfa"
    OPENGRAPH = "opengraph"
    PAGE = "page"
    """The page itself: its text, its elements and their attributes."""
    DOMAIN = "domain"
    """The country of the host name; only for currencies."""


@dataclass(frozen=True)
class Money:
    """An exact amount in a currency of ISO 4217; the currency is None where the page does not show one."""

    amount: Decimal
    currency: str | None = None

    def __str__(self) -> str:
        """Return the amount without exponent, and the currency."""
        return f"{self.amount:f} {self.currency}" if self.currency else f"{self.amount:f}"


@dataclass(frozen=True)
class Identifiers:
    """The codes of a product; a GTIN has 8, 12, 13 or 14 digits and a correct check digit."""

    sku: str | None = None
    gtin: str | None = None
    mpn: str | None = None


@dataclass(frozen=True)
class PostalAddress:
    """The address of a property; empty parts are not stated."""

    street: str = ""
    postal_code: str = ""
    locality: str = ""
    region: str = ""
    country: str = ""

    def __str__(self) -> str:
        """Return the stated parts, separated by commas."""
        return ", ".join(part for one in fields(self) if (part := getattr(self, one.name)))


@dataclass(frozen=True)
class FloorArea:
    """A floor area with its unit: `m2` or `ft2`."""

    amount: Decimal
    unit: str = "m2"

    def __str__(self) -> str:
        """Return the amount and its unit."""
        return f"{self.amount:f} {self.unit}"


@dataclass(frozen=True)
class FoundValue(Generic[Value]):
    """A value of a field, its sources, best first, and its confidence."""

    value: Value
    sources: tuple[FieldSource, ...]
    confidence: float
    """From 0 to 1: agreement between sources raises it, disagreement lowers it."""

    @property
    def source(self) -> FieldSource:
        """Return the source that the value was taken from."""
        return self.sources[0]


@dataclass(frozen=True)
class FieldTrace:
    """One attempt to read a field: the strategy, the text, and the result."""

    field: str
    """The name of the field as in the listing's JSON, such as `price`."""
    strategy: str
    """Source and rule, such as `json-ld:offers.price` or `page:price-element`."""
    raw: str
    """The text of the page, cut to a sensible length."""
    value: str | None
    """The value that was read; None when the text could not be read."""
    is_fallback: bool
    """Whether this strategy was used because better sources had no value."""
    is_chosen: bool = False
    """Whether the listing's value is this one."""


@dataclass(frozen=True)
class Listing:
    """What a product or property page offers; a field is None where the page does not state it."""

    kind: ListingKind
    url: str
    name: FoundValue[str] | None = None
    price: FoundValue[Money] | None = None
    """What a buyer pays: the sale price where there is one, the lowest price of a range."""
    regular_price: FoundValue[Money] | None = None
    """The price before a reduction, when it is shown."""
    sale_price: FoundValue[Money] | None = None
    """The reduced price, when a regular price is shown beside it."""
    high_price: FoundValue[Money] | None = None
    """The highest price of a range."""
    currency: FoundValue[str] | None = None
    availability: FoundValue[Availability] | None = None
    sku: FoundValue[str] | None = None
    gtin: FoundValue[str] | None = None
    mpn: FoundValue[str] | None = None
    brand: FoundValue[str] | None = None
    image: FoundValue[str] | None = None
    address: FoundValue[PostalAddress] | None = None
    rooms: FoundValue[Decimal] | None = None
    area: FoundValue[FloorArea] | None = None
    place: str | None = None
    """The path of the element that shows the price, such as `main > div.product > span.price`."""
    traces: tuple[FieldTrace, ...] = ()
    quality: float = 0.0
    """From 0 to 1: how complete and how certain the fields are that matter for this kind of listing."""

    @property
    def stock(self) -> Availability:
        """Return the availability, Unknown when the page does not state one."""
        return self.availability.value if self.availability else Availability.UNKNOWN

    @property
    def identifiers(self) -> Identifiers:
        """Return the codes of the product."""
        return Identifiers(_value(self.sku), _value(self.gtin), _value(self.mpn))

    def found_fields(self) -> Iterator[tuple[str, FoundValue[object]]]:
        """Yield the fields that the page states, by their names in JSON."""
        for name in LISTING_FIELDS:
            if (found := getattr(self, name)) is not None:
                yield JSON_NAMES.get(name, name), found

    def as_payload(self) -> dict[str, object]:
        """Return the listing for JSON: amounts as strings, null for what is not stated; without the traces."""
        payload: dict[str, object] = {"kind": self.kind.value, "url": self.url}
        for name in LISTING_FIELDS:
            payload[JSON_NAMES.get(name, name)] = _plain(getattr(self, name))
        return payload | {
            "place": self.place,
            "confidence": {name: found.confidence for name, found in self.found_fields()},
            "sources": {name: [source.value for source in found.sources] for name, found in self.found_fields()},
            "quality": self.quality,
        }


LISTING_FIELDS = (
    *("name", "price", "currency", "availability", "regular_price", "sale_price", "high_price", "sku", "gtin", "mpn"),
    *("brand", "image", "address", "rooms", "area"),
)
"""The fields of a listing that are found in pages."""

JSON_NAMES = {
    "regular_price": "regularPrice",
    "sale_price": "salePrice",
    "high_price": "highPrice",
    "postal_code": "postalCode",
}
"""The names in JSON of the fields whose names have two words."""


def _value(found: FoundValue[str] | None) -> str | None:
    return found.value if found else None


def _plain(found: FoundValue[object] | None) -> str | dict[str, str] | None:
    """Return a field's value as JSON; decimals are strings, so that no digit is lost."""
    if found is None:
        return None
    value = found.value
    if isinstance(value, Money):
        return f"{value.amount:f}"
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, FloorArea):
        return {"amount": f"{value.amount:f}", "unit": value.unit}
    if isinstance(value, PostalAddress):
        return {JSON_NAMES.get(one.name, one.name): part for one in fields(value) if (part := getattr(value, one.name))}
    return str(value)
