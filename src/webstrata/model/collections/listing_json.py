"""Listings as JSON objects and back, with their traces; the payload of `listing` assets."""

from collections.abc import Mapping
from dataclasses import fields
from decimal import Decimal
from typing import Any

from webstrata.model.collections.listing import (
    JSON_NAMES,
    LISTING_FIELDS,
    Availability,
    FieldSource,
    FieldTrace,
    FloorArea,
    FoundValue,
    Listing,
    ListingKind,
    Money,
    PostalAddress,
)

_MONEY = frozenset({"price", "regular_price", "sale_price", "high_price"})
_PARTS = fields(PostalAddress)
_OF_TRACE = tuple(field.name for field in fields(FieldTrace))
_STABLE = ("kind", *(JSON_NAMES.get(name, name) for name in LISTING_FIELDS if name != "image"))


def listing_as_json(listing: Listing) -> dict[str, object]:
    """Return a listing as JSON, with its traces."""
    return listing.as_payload() | {"traces": [_trace_as_json(trace) for trace in listing.traces]}


def _trace_as_json(trace: FieldTrace) -> dict[str, object]:
    # `asdict` copies every value deeply, which takes ten times as long.
    return {name: getattr(trace, name) for name in _OF_TRACE}


def listing_from_json(payload: Mapping[str, Any]) -> Listing:
    """Return the listing of a JSON object that `listing_as_json` made."""
    values = {name: _found_value(name, payload) for name in LISTING_FIELDS}
    return Listing(
        kind=ListingKind(payload["kind"]),
        url=payload["url"],
        place=payload["place"],
        quality=payload["quality"],
        traces=tuple(FieldTrace(**trace) for trace in payload.get("traces", ())),
        **values,
    )


def stable_facts(listing: Listing) -> dict[str, object]:
    """Return the facts of a listing: when they differ, it is a new version; confidences and places do not count."""
    payload = listing.as_payload()
    return {name: payload[name] for name in _STABLE}


def _found_value(name: str, payload: Mapping[str, Any]) -> FoundValue[Any] | None:
    key = JSON_NAMES.get(name, name)
    stated = payload[key]
    if stated is None:
        return None
    sources = tuple(FieldSource(source) for source in payload["sources"][key])
    return FoundValue(_value(name, stated, payload["currency"]), sources, payload["confidence"][key])


def _value(name: str, stated: Any, currency: str | None) -> object:  # noqa: ANN401 - as JSON has it
    if name in _MONEY:
        return Money(Decimal(stated), currency)
    if name == "availability":
        return Availability(stated)
    if name == "rooms":
        return Decimal(stated)
    if name == "area":
        return FloorArea(Decimal(stated["amount"]), stated["unit"])
    if name == "address":
        return PostalAddress(**{one.name: stated.get(JSON_NAMES.get(one.name, one.name), "") for one in _PARTS})
    return stated
