"""Candidates from meta elements: OpenGraph's product properties and similar ones of shops."""

from collections.abc import Iterator, Mapping

from webstrata.content.listing.availability import stated_availability
from webstrata.content.listing.candidates import Candidate
from webstrata.content.listing.currencies import currency_of
from webstrata.content.listing.identifiers import code_of, gtin_of
from webstrata.content.listing.money import MoneyHints, money_of, parse_stated_amount
from webstrata.model.collections.listing import FieldSource, Money

_SOURCE = FieldSource.OPENGRAPH
_TRUST = 0.75
_OF_TITLE = 0.5
"""The title for social networks often has the shop's name or an advertisement in it."""

_OF_CARD = 0.6
_PRICE_LABELS = frozenset({"price", "preis", "prix", "precio", "prezzo", "prijs", "preço", "pris", "cena"})
_STOCK_LABELS = frozenset({"availability", "verfügbarkeit", "disponibilité", "disponibilidad", "disponibilità"})
_PREFIXES = ("product:", "og:", "og:product:", "")
_TEXTS = {
    "brand": ("brand",),
    "sku": ("retailer_item_id", "retailer_part_no", "sku"),
    "mpn": ("mfr_part_no", "mpn"),
}
_GTINS = ("ean", "gtin", "upc", "isbn")


def is_product_page(metas: Mapping[str, str]) -> bool:
    """Return whether meta elements call the page a product or state a price."""
    kind = metas.get("og:type", "").lower()
    if kind.rpartition(":")[2] in {"product", "product.item"} or _first(metas, ("price:amount",)):
        return True
    return any(metas.get(f"twitter:label{number}", "").strip(" :").lower() in _PRICE_LABELS for number in "12")


def meta_candidates(metas: Mapping[str, str], hints: MoneyHints) -> Iterator[Candidate]:
    """Yield what meta elements state."""
    yield from _prices(metas, hints)
    if stated := _first(metas, ("availability",)):
        availability = stated_availability(stated)
        if availability is not None:
            yield Candidate("availability", availability, _SOURCE, _TRUST, "availability", stated)
    yield from _card(metas, hints)
    for field, names in _TEXTS.items():
        if code := code_of(_first(metas, names)):
            yield Candidate(field, code, _SOURCE, _TRUST, field, code)
    if gtin := gtin_of(_first(metas, _GTINS)):
        yield Candidate("gtin", gtin, _SOURCE, _TRUST, "gtin", gtin)
    for field, name in (("name", "og:title"), ("image", "og:image")):
        if text := metas.get(name):
            yield Candidate(field, text, _SOURCE, _OF_TITLE, name, text)


def _card(metas: Mapping[str, str], hints: MoneyHints) -> Iterator[Candidate]:
    """Yield the price and the availability on a card for social networks, where each has a label."""
    for number in ("1", "2", "3"):
        label = metas.get(f"twitter:label{number}", "").strip(" :").lower()
        text = metas.get(f"twitter:data{number}", "")
        if label in _PRICE_LABELS and (found := money_of(text, hints)) and found.money.amount:
            yield Candidate("price", found.money, _SOURCE, _OF_CARD, "twitter:data", text)
            if found.money.currency:
                yield Candidate("currency", found.money.currency, _SOURCE, _OF_CARD, "twitter:data", text)
        elif label in _STOCK_LABELS and (state := stated_availability(text)):
            yield Candidate("availability", state, _SOURCE, _OF_CARD, "twitter:data", text)


def _prices(metas: Mapping[str, str], hints: MoneyHints) -> Iterator[Candidate]:
    written = _first(metas, ("price:currency", "currency", "pricecurrency"))
    currency = currency_of(written, hints.country, hints.language) if 0 < len(written) <= 10 else None
    regular = _money(_first(metas, ("original_price:amount",)), currency, hints)
    raw = _first(metas, ("sale_price:amount", "price:amount", "price"))
    price = _money(raw, currency, hints)
    if price is None or not price.amount:
        return
    yield Candidate("price", price, _SOURCE, _TRUST, "price:amount", raw)
    if currency:
        yield Candidate("currency", currency, _SOURCE, _TRUST, "price:currency", written)
    if regular and regular.amount > price.amount:
        yield Candidate("regular_price", regular, _SOURCE, _TRUST, "original_price:amount", str(regular))


def _money(text: str, currency: str | None, hints: MoneyHints) -> Money | None:
    amount = parse_stated_amount(text, currency, hints) if text else None
    if amount is None:
        return None
    found = None if currency else money_of(text, hints)
    return Money(amount, currency or (found.money.currency if found else None))


def _first(metas: Mapping[str, str], names: tuple[str, ...]) -> str:
    """Return the first value of some names under any prefix."""
    return next((value for name in names for prefix in _PREFIXES if (value := metas.get(prefix + name))), "")
