"""Product data that pages hold for their own scripts: `__NEXT_DATA__`, `__INITIAL_STATE__`, data layers, attributes.

Used only for pages without structured data. The product is the object with a price whose name resembles the page's
title.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from rapidfuzz import fuzz

from webstrata.content.listing.availability import stated_availability
from webstrata.content.listing.candidates import Candidate
from webstrata.content.listing.currencies import currency_of
from webstrata.content.listing.identifiers import code_of, gtin_of
from webstrata.content.listing.money import MoneyHints, parse_stated_amount
from webstrata.content.metadata import JsonValue
from webstrata.content.tree import Document, Element
from webstrata.model.collections.listing import Availability, FieldSource, Money

MAX_CHARACTERS = 1_500_000
"""The most characters of all states of a page together."""

_MAX_OBJECTS = 20_000
_MAX_DEPTH = 14
_MAX_STATES = 12
_LIKE_TITLE = 90
_TRUST = 0.6
"""Confidence below that of structured data, which is written for others, and above that of a label in the text."""

_SCRIPTS = 'script:not([src]):not([type="application/ld+json" i])'
_NAMED = ("data-product", "data-product-json", "data-item", "data-ga-product")
_ATTRIBUTES = ", ".join(f"[{name}]" for name in _NAMED)
_PRICED = "rice"
"""The letters that every name of a price contains, without the first, which may be a capital."""

_ASSIGNED = re.compile(
    r"__[A-Z_]*(?:STATE|DATA|PROPS)[A-Z_]*__|dataLayer\.push|gtag\(|[Pp]roduct\w*|digitalData|utag_data"
)
_PARSED = re.compile(r'JSON\.parse\(\s*("(?:[^"\\]|\\.)*")')
_AMOUNT = re.compile(r"[1-9]")
_MOST_TRIED = 20
_OPENING = re.compile(r"(?:[=(:]|[\"'],)\s*(?=[{\[])")

_NAMES = ("name", "title", "productname", "itemname", "displayname", "producttitle")
_PRICES = (
    *("saleprice", "currentprice", "finalprice", "sellingprice", "specialprice", "discountedprice", "price"),
    *("unitprice", "offerprice", "prices", "pricing", "priceinfo", "pricerange", "minimumprice"),
)
_PRICE_NAMES = frozenset(_PRICES)
_AMOUNTS = ("value", "amount", "current", "now", "sale", "selling", "final", "price", "centamount", "min", "raw")
_REGULARS = ("originalprice", "compareatprice", "listprice", "regularprice", "wasprice", "oldprice", "was", "baseprice")
_CURRENCIES = ("currency", "currencycode", "pricecurrency", "currencyisocode", "currencyiso")
_STOCKS = ("availability", "stockstatus", "availabilitystatus", "inventorystatus")
_FLAGS = ("instock", "available", "isavailable", "isinstock", "purchasable", "isbuyable", "availableforsale")
_TEXTS = {"brand": ("brand", "brandname", "itembrand", "vendor", "manufacturer"), "sku": ("sku", "itemid", "productid")}
_GTINS = ("gtin", "gtin13", "ean", "ean13", "upc", "barcode")
_ELSEWHERE = re.compile(r"relat|recommend|similar|upsell|cross|cart|basket|wish|recent|viewed|bundle|accessor|compare")

_Object = Mapping[str, JsonValue]


@dataclass(frozen=True)
class PageState:
    """The product that a page holds for its scripts: its fields in plain names, and those of the objects around it."""

    fields: _Object
    around: tuple[_Object, ...]


def page_state(tree: Document, titles: Sequence[str]) -> PageState | None:
    """Return the product in the states of a page; `titles` are what the page calls itself, in lower case."""
    best: tuple[float, PageState] | None = None
    for value in _states(tree):
        for chain in islice(_objects(value, (), _MAX_DEPTH), _MAX_OBJECTS):
            if chain[-1].keys().isdisjoint(_PRICE_NAMES):
                continue
            likeness = _likeness(chain[-1], titles)
            if likeness >= _LIKE_TITLE and (best is None or likeness > best[0]) and _price_of(chain[-1]) is not None:
                best = likeness, PageState(chain[-1], chain[:-1])
    return best[1] if best else None


def state_candidates(state: PageState, hints: MoneyHints) -> Iterator[Candidate]:
    """Yield what the state of a page states about its product."""
    fields = state.fields
    name = _text(fields, _NAMES)
    if name:
        yield _candidate("name", name[:500], name)
    currency = _currency(state, hints)
    yield from _prices(fields, currency, hints)
    if currency:
        yield _candidate("currency", currency, currency)
    if (stock := _stock(fields)) is not None:
        yield _candidate("availability", stock, stock.value)
    for field, names in _TEXTS.items():
        if code := code_of(_text(fields, names) or _of_variant(fields, names)):
            yield _candidate(field, code, code)
    if gtin := gtin_of(_text(fields, _GTINS) or _of_variant(fields, _GTINS)):
        yield _candidate("gtin", gtin, gtin)


def _candidate(field: str, value: object, raw: str) -> Candidate:
    return Candidate(field, value, FieldSource.PAGE, _TRUST, "page-state", raw)


def _states(tree: Document) -> Iterator[JsonValue]:
    room, count = MAX_CHARACTERS, 0
    for text in _texts(tree):
        room -= len(text)
        if room < 0 or count >= _MAX_STATES:
            return
        for value in _decoded(text):
            count += 1
            yield value


def _texts(tree: Document) -> Iterator[str]:
    """Yield the texts of scripts and attributes that may hold a product."""
    for element in tree.select(f"{_SCRIPTS}, {_ATTRIBUTES}"):
        if element.tag == "script":
            text = element.text
            if _PRICED in text and (_is_json(element) or _ASSIGNED.search(text)):
                yield text
        else:
            written = (element.attr(name) for name in _NAMED)
            yield from (text for text in written if text and text.lstrip()[:1] in {"{", "["} and _PRICED in text)


def _is_json(element: Element) -> bool:
    return "json" in (element.attr("type") or "").lower()


def _decoded(text: str) -> Iterator[JsonValue]:
    """Yield the values of JSON in a text: the text itself, or what a script assigns, pushes or parses."""
    stripped = text.strip()
    if stripped[:1] in {"{", "["}:
        yield from _raw_values(stripped, [0])
        return
    for match in _PARSED.finditer(text):
        try:
            inner = json.loads(match[1])
        except ValueError:
            continue
        if isinstance(inner, str):
            yield from _raw_values(inner.strip(), [0])
    yield from _raw_values(text, (match.end() for match in _OPENING.finditer(text)))


def _raw_values(text: str, places: Iterator[int] | list[int]) -> Iterator[JsonValue]:
    """Yield the outermost objects and lists that begin at some positions; invalid JSON is skipped."""
    decoder, end, tried = json.JSONDecoder(strict=False, parse_constant=lambda _name: None), 0, 0
    for place in places:
        if place < end or tried >= _MOST_TRIED:
            continue
        tried += 1
        try:
            value, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            continue
        yield value


def _objects(value: JsonValue, around: tuple[_Object, ...], depth: int) -> Iterator[tuple[_Object, ...]]:
    """Yield each object of a value with the objects around it, except those of related products and carts."""
    if depth == 0:
        return
    if isinstance(value, list):
        for one in value:
            yield from _objects(one, around, depth - 1)
    elif isinstance(value, dict):
        plain: dict[str, JsonValue] = {_plain(name): one for name, one in value.items()}
        chain = (*around[-3:], plain)
        yield chain
        for name, one in plain.items():
            if isinstance(one, list | dict) and not _ELSEWHERE.search(name):
                yield from _objects(one, chain, depth - 1)


@lru_cache(maxsize=8_192)
def _plain(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def _likeness(fields: _Object, titles: Sequence[str]) -> float:
    name = _text(fields, _NAMES)[:300].casefold()
    # Short names, such as those of categories, are part of many titles.
    if len(name) < 3 or not titles:
        return 0.0
    return max(max(fuzz.ratio(name, title), 0.99 * _contained(name, title)) for title in titles)


def _contained(name: str, title: str) -> float:
    """Return the similarity of a name and the beginning of a title that ends with the shop's name."""
    return 100.0 if title.startswith(name) and len(name) >= 0.4 * len(title) else 0.0


def _text(fields: _Object, names: Sequence[str]) -> str:
    """Return the first text of some fields; for an object, its name."""
    for name in names:
        value = fields.get(name)
        if isinstance(value, dict):
            value = value.get("name") or value.get("title") or value.get("label")
        if isinstance(value, str | int) and not isinstance(value, bool) and (text := " ".join(str(value).split())):
            return text
    return ""


def _of_variant(fields: _Object, names: Sequence[str]) -> str:
    """Return the text of some fields of a product's only variant."""
    variants = fields.get("variants")
    if not isinstance(variants, list) or len(variants) != 1 or not isinstance(variants[0], dict):
        return ""
    return _text({_plain(name): value for name, value in variants[0].items()}, names)


def _price_of(fields: _Object, names: Sequence[str] = _PRICES) -> tuple[JsonValue, _Object] | None:
    """Return the written amount of the first of some fields, and the object that contains it."""
    for name in names:
        value = fields.get(name)
        if isinstance(value, dict):
            inner: dict[str, JsonValue] = {_plain(key): one for key, one in value.items()}
            if (found := _price_of(inner, (*_AMOUNTS, *_PRICES))) is not None:
                return found[0], {**inner, **found[1]}
        elif isinstance(value, int | float | str) and not isinstance(value, bool) and _AMOUNT.search(str(value)):
            return value, fields
    return None


def _prices(fields: _Object, currency: str | None, hints: MoneyHints) -> Iterator[Candidate]:
    price = _money(fields, _PRICES, currency, hints)
    if price is None or not price.amount:
        return
    yield _candidate("price", price, str(price))
    regular = _money(fields, _REGULARS, currency, hints)
    if regular is not None and regular.amount > price.amount:
        yield _candidate("regular_price", regular, str(regular))


def _money(fields: _Object, names: Sequence[str], currency: str | None, hints: MoneyHints) -> Money | None:
    found = _price_of(fields, names)
    amount = parse_stated_amount(found[0], currency, hints) if found else None
    if found is None or amount is None:
        return None
    return Money(amount / 100 if _is_in_cents(found[0], found[1], fields) else amount, currency)


def _is_in_cents(value: JsonValue, holder: _Object, fields: _Object) -> bool:
    """Return whether an amount is in cents, by its name or because the object has the form of a Shopify product."""
    if not isinstance(value, int):
        return False
    if holder.get("centamount") == value:
        return holder.get("fractiondigits", 2) == 2
    is_shopify = "publictitle" in fields or ("vendor" in fields and "compareatprice" in fields)
    return is_shopify and value >= 100


def _currency(state: PageState, hints: MoneyHints) -> str | None:
    found = _price_of(state.fields)
    holders = [*([found[1]] if found else []), state.fields, *reversed(state.around)]
    for holder in holders:
        written = next((one for name in _CURRENCIES if isinstance(one := holder.get(name), str)), "")
        if 0 < len(written) <= 10 and (code := currency_of(written, hints.country, hints.language)):
            return code
    return None


def _stock(fields: _Object) -> Availability | None:
    stated = _text(fields, _STOCKS)
    if stated and (found := stated_availability(stated)):
        return found
    flag = next((one for name in _FLAGS if isinstance(one := fields.get(name), bool)), None)
    return None if flag is None else Availability.IN_STOCK if flag else Availability.OUT_OF_STOCK
