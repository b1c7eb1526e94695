"""Candidates from structured data: the offers of a product, its prices, availability, identifiers, brand and image."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from webstrata.content.listing.availability import stated_availability
from webstrata.content.listing.candidates import Candidate
from webstrata.content.listing.currencies import currency_of
from webstrata.content.listing.identifiers import code_of, gtin_of
from webstrata.content.listing.money import MoneyHints, money_of, parse_stated_amount
from webstrata.content.listing.products import path_of
from webstrata.content.listing.structured import Node
from webstrata.model.collections.listing import Availability, FieldSource, Money

MAX_OFFERS = 300
MAX_NAME = 500

_CONFIDENCE = {FieldSource.JSON_LD: 0.9, FieldSource.MICRODATA: 0.87, FieldSource.RDFA: 0.85}
_OF_VARIANT = 0.4
"""The factor for the confidence of a price of another variant than the page seems to show."""

_BEFORE_REDUCTION = ("listprice", "strikethrough", "srp", "msrp", "rrp", "regular")
_GTINS = ("gtin13", "gtin", "gtin12", "gtin14", "gtin8", "ean", "ean13", "upc", "isbn", "barcode")
_RANGE_ENDS = ("lowprice", "highprice")


@dataclass(frozen=True)
class Offer:
    """One offer of a product."""

    price: Money | None
    regular: Money | None
    high: Money | None
    availability: Availability | None
    raw: str
    path: str
    code: str


def structured_candidates(node: Node, hints: MoneyHints, url: str) -> Iterator[Candidate]:
    """Yield the candidates from a product's node."""
    trust = _CONFIDENCE[node.source]
    for field, value, strategy, raw in _facts(node):
        yield Candidate(field, value, node.source, trust, strategy, raw)
    offers = list(_offers(node, hints))[:MAX_OFFERS]
    if not offers:
        return
    shown = _shown_offer(offers, url)
    yield from _price_candidates(node.source, trust, offers, shown)
    availability = _availability(offers, shown, len(offers) > 1)
    if availability is not None:
        yield Candidate("availability", availability, node.source, trust, "offers.availability", availability.value)
    if shown.code and not node.values("sku", "productid", "mpn"):
        yield Candidate("sku", shown.code, node.source, trust, "offers.sku", shown.code)


def _facts(node: Node) -> Iterator[tuple[str, object, str, str]]:
    """Yield field, value, strategy and text of what a product states beside its offers."""
    name = node.text("name")[:MAX_NAME]
    if name and not name.startswith(("/", "http:", "https:")):
        yield "name", name, "name", name
    brand = node.text("brand") or node.text("manufacturer")
    if 0 < len(brand) <= 100:
        yield "brand", brand, "brand", brand
    if image := node.text("image") or _image_of(node):
        yield "image", image, "image", image
    for field, names in (("sku", ("sku", "productid")), ("mpn", ("mpn",))):
        written = node.text(*names)
        if code := code_of(written.removeprefix("sku:").removeprefix("mpn:")):
            yield field, code, names[0], written
    for name in (*_GTINS, "productid", "sku"):
        written = node.text(name)
        if gtin := gtin_of(written.rpartition(":")[2]):
            yield "gtin", gtin, name, written
            return


def _image_of(node: Node) -> str:
    images = node.nodes("image")
    return images[0].text("url", "contenturl") if images else ""


def _offers(node: Node, hints: MoneyHints) -> Iterator[Offer]:
    """Yield the offers of a product, those of its variants included."""
    owners = [node, *node.nodes("hasvariant")[:MAX_OFFERS]]
    for owner in owners:
        for offer in owner.nodes("offers")[:MAX_OFFERS]:
            inner = offer.nodes("offers")
            if not inner or _has_price(offer):
                yield _offer(offer, owner, hints)
            for one in inner[:MAX_OFFERS]:
                yield _offer(one, owner, hints, offer)


def _has_price(offer: Node) -> bool:
    return bool(offer.values("price", *_RANGE_ENDS))


def _offer(node: Node, owner: Node, hints: MoneyHints, aggregate: Node | None = None) -> Offer:
    specified = node.nodes("pricespecification")[:20]
    currency = _currency([node, *specified, *([aggregate] if aggregate else []), owner], hints)
    price, raw = _amount([node], ("price", "lowprice"), currency, hints)
    reduced = sorted((one for one in specified if not _is_before_reduction(one)), key=_is_other_amount)
    if price is None:
        price, raw = _amount(reduced, ("price", "minprice"), currency, hints)
    regular, _ = _amount([one for one in specified if _is_before_reduction(one)], ("price",), currency, hints)
    high, _ = _amount([node], ("highprice",), currency, hints)
    stated = node.text("availability") or owner.text("availability")
    return Offer(
        price=price,
        regular=regular,
        high=high,
        availability=stated_availability(stated),
        raw=raw,
        path=node.text("url") or owner.text("url"),
        code=node.text("sku") or owner.text("sku"),
    )


def _is_other_amount(specification: Node) -> bool:
    """Return whether a specification states the price of a unit, one for members, or one without tax."""
    taxed = specification.text("valueaddedtaxincluded").lower()
    is_special = any(specification.properties.get(name) for name in ("referencequantity", "validformembertier"))
    return is_special or taxed.rpartition("/")[2] == "false"


def _is_before_reduction(specification: Node) -> bool:
    kind = specification.text("pricetype", "name").lower().replace(" ", "")
    return any(word in kind for word in _BEFORE_REDUCTION)


def _currency(nodes: Sequence[Node], hints: MoneyHints) -> str | None:
    for node in nodes:
        written = node.text("pricecurrency", "currency")
        if written and len(written) <= 10 and (code := currency_of(written, hints.country, hints.language)):
            return code
    return None


def _amount(
    nodes: Sequence[Node], names: tuple[str, ...], currency: str | None, hints: MoneyHints
) -> tuple[Money | None, str]:
    """Return the first amount of some properties, and its text."""
    for node in nodes:
        for value in node.values(*names):
            amount = parse_stated_amount(value, currency, hints)
            if amount is not None:
                return Money(amount, currency or _currency_in(value, hints)), str(value).strip()
    return None, ""


def _currency_in(value: str | float, hints: MoneyHints) -> str | None:
    found = money_of(value, hints) if isinstance(value, str) else None
    return found.money.currency if found else None


def _shown_offer(offers: Sequence[Offer], url: str) -> Offer:
    """Return the offer that the page's address names, else the first that can be bought, else the first."""
    exact = [one for one in offers if one.price and _names(one, url)]
    if len(exact) == 1:
        return exact[0]
    buyable = [one for one in offers if one.price and one.availability is not Availability.OUT_OF_STOCK]
    return next(iter((*buyable, *(one for one in offers if one.price), *offers)))


def _names(offer: Offer, url: str) -> bool:
    """Return whether a URL names an offer: by the path and query of the offer's URL, or by its article number."""
    is_code = len(offer.code) >= 4 and offer.code.casefold() in url.casefold()
    query = offer.path.partition("?")[2].partition("#")[0]
    return is_code or (bool(query) and query in url and path_of(offer.path) == path_of(url))


def _price_candidates(source: FieldSource, trust: float, offers: Sequence[Offer], shown: Offer) -> Iterator[Candidate]:
    seen: set[Decimal] = set()
    for offer in (shown, *offers):
        if offer.price is None or offer.price.amount in seen:
            continue
        seen.add(offer.price.amount)
        # Shops state a price of 0 when they have no price.
        share = 1.0 if offer is shown else _OF_VARIANT
        share *= 1.0 if offer.price.amount else 0.3
        yield Candidate("price", offer.price, source, trust * share, "offers.price", offer.raw)
    if shown.price and shown.price.currency:
        yield Candidate("currency", shown.price.currency, source, trust, "offers.priceCurrency", shown.price.currency)
    if shown.regular and shown.price and shown.regular.amount > shown.price.amount:
        yield Candidate("regular_price", shown.regular, source, trust, "offers.priceSpecification", str(shown.regular))
    if shown.high and shown.price and shown.high.amount > shown.price.amount:
        yield Candidate("high_price", shown.high, source, trust, "offers.highPrice", str(shown.high))


def _availability(offers: Sequence[Offer], shown: Offer, has_variants: bool) -> Availability | None:
    """Return the availability of the shown offer; a product with variants is in stock if one variant is."""
    stated = [one.availability for one in offers if one.availability]
    if has_variants and Availability.IN_STOCK in stated:
        return Availability.IN_STOCK
    return shown.availability or next(iter(stated), None)
