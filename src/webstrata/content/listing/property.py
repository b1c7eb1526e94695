"""Candidates for properties: address, number of rooms and floor area, from structured data and from the page's text."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from webstrata.content.listing.candidates import Candidate
from webstrata.content.listing.lower_case import AnyCase
from webstrata.content.listing.money import MoneyHints, parse_amount, parse_stated_amount
from webstrata.content.listing.structured import Node
from webstrata.model.collections.listing import FieldSource, FloorArea, PostalAddress

_TRUST = 0.85
_OF_TEXT = 0.5
_LINES = 80
_MAX_LINE = 160
_MOST_ROOMS = 100
_ROOMS = AnyCase(
    r"(?<![\d.,])(\d{1,2}(?:[.,]5)?)[ -]?(?:zimmer|zi\.|rooms?|bed(?:room)?s?\b|bd\b|pièces?|habitaciones|habs?\."
    r"|locali|vani|kamers?"
    r"|quartos|cuartos|rum\b|rom\b"
    r"|værelser|huonetta|pokoje|pokoi|pokojů|szoba|camere|комнат|комн)"
    r"|(?:zimmer|rooms|bedrooms|pièces|habitaciones|locali|kamers|quartos)\s*[:：]\s*(\d{1,2}(?:[.,]5)?)",
)
_AREA = AnyCase(
    r"(?<![\d.,])(\d[\d.,' ]{0,8}) ?(m²|m2|qm|sq\.? ?m|mq|кв\. ?м|sq\.? ?ft\.?|sqft|ft²|square feet)(?!\w)",
)
_FEET = re.compile("ft|feet", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_FOOT_CODES = frozenset({"FTK", "SQFT", "FT2"})


def property_candidates(node: Node, hints: MoneyHints) -> Iterator[Candidate]:
    """Yield what a node of structured data states about a property."""
    described = [node, *node.nodes("itemoffered", "about", "mainentity", "containsplace")]
    for one in described:
        if address := _address(one):
            yield Candidate("address", address, node.source, _TRUST, "address", str(address))
        rooms = next((value for value in _numbers(one, ("numberofrooms", "numberofbedrooms"), hints)), None)
        if rooms is not None and 0 < rooms <= _MOST_ROOMS:
            yield Candidate("rooms", rooms, node.source, _TRUST, "numberOfRooms", str(rooms))
        yield from _areas(one, hints)


def text_candidates(text: str) -> Iterator[Candidate]:
    """Yield the number of rooms and the floor area that the first lines of a page state."""
    for line in text.split("\n", _LINES)[:_LINES]:
        # Both contain a number: lines without a digit are skipped.
        if len(line) > _MAX_LINE or not _DIGIT.search(line):
            continue
        if match := _ROOMS.apply(line, re.Pattern.search):
            rooms = Decimal((match[1] or match[2]).replace(",", "."))
            if rooms:
                yield Candidate("rooms", rooms, FieldSource.PAGE, _OF_TEXT, "rooms", line)
        if match := _AREA.apply(line, re.Pattern.search):
            amount = parse_amount(match[1].strip())
            if amount:
                unit = "ft2" if _FEET.search(match[2]) else "m2"
                yield Candidate("area", FloorArea(amount, unit), FieldSource.PAGE, _OF_TEXT, "area", line)


def is_property(candidates: Sequence[Candidate]) -> bool:
    """Return whether a page shows both a number of rooms and a floor area, as only properties have."""
    return {"rooms", "area"} <= {one.field for one in candidates}


def _address(node: Node) -> PostalAddress | None:
    for one in node.nodes("address"):
        address = PostalAddress(
            street=one.text("streetaddress")[:200],
            postal_code=one.text("postalcode")[:20],
            locality=one.text("addresslocality")[:100],
            region=one.text("addressregion")[:100],
            country=one.text("addresscountry")[:60],
        )
        if str(address):
            return address
    written = next((str(value) for value in node.values("address")), "")
    return PostalAddress(street=" ".join(written.split())[:300]) if written.strip() else None


def _areas(node: Node, hints: MoneyHints) -> Iterator[Candidate]:
    for size in node.nodes("floorsize"):
        amount = next(iter(_numbers(size, ("value",), hints)), None)
        unit = size.text("unitcode", "unittext")
        if amount:
            area = FloorArea(amount, "ft2" if unit.upper() in _FOOT_CODES or _FEET.search(unit) else "m2")
            yield Candidate("area", area, node.source, _TRUST, "floorSize", f"{amount} {unit}")
    for value in node.values("floorsize"):
        if match := _AREA.apply(str(value), re.Pattern.search):
            amount = parse_amount(match[1].strip())
            if amount:
                area = FloorArea(amount, "ft2" if _FEET.search(match[2]) else "m2")
                yield Candidate("area", area, node.source, _TRUST, "floorSize", str(value))


def _numbers(node: Node, names: tuple[str, ...], hints: MoneyHints) -> Iterator[Decimal]:
    values = [*node.values(*names), *(value for one in node.nodes(*names) for value in one.values("value"))]
    for value in values:
        amount = parse_stated_amount(value, None, hints)
        if amount is not None:
            yield amount
