"""Reads the listing of a page, from structured data first, then from the page itself, and chooses values on which
sources agree."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import cast
from urllib.parse import urljoin, urlsplit

from webstrata.content.listing.candidates import Candidate, choose, choose_money, choose_text, field_traces
from webstrata.content.listing.corrections import correct_stated_prices
from webstrata.content.listing.currencies import country_of_host, country_of_path, currency_of_country
from webstrata.content.listing.labels import brand_candidates, label_candidates
from webstrata.content.listing.money import MoneyHints
from webstrata.content.listing.no_product import is_no_product_address, is_no_product_title
from webstrata.content.listing.offers import structured_candidates
from webstrata.content.listing.opengraph import is_product_page, meta_candidates
from webstrata.content.listing.page_price import PagePrices, page_prices
from webstrata.content.listing.page_state import page_state, state_candidates
from webstrata.content.listing.page_stock import stock_candidates
from webstrata.content.listing.products import PageAnchors, kind_of_node, main_nodes, path_of, title_keys
from webstrata.content.listing.property import is_property, property_candidates, text_candidates
from webstrata.content.listing.property_text import property_text_candidates
from webstrata.content.listing.scan import PageScan, names_of, parents_of, scan_page
from webstrata.content.listing.structured import Node, structured_nodes
from webstrata.content.metadata import HtmlMetadata
from webstrata.content.tree import Document, Element
from webstrata.model.collections.listing import (
    Availability,
    FieldSource,
    FloorArea,
    FoundValue,
    Listing,
    ListingKind,
    Money,
    PostalAddress,
)

_WEIGHTS = {"name": 0.2, "price": 0.3, "currency": 0.1, "availability": 0.15, "image": 0.05, "brand": 0.1, "codes": 0.1}
_PROPERTY_WEIGHTS = {
    "name": 0.15,
    "price": 0.3,
    "currency": 0.1,
    "address": 0.2,
    "rooms": 0.1,
    "area": 0.1,
    "image": 0.05,
}
_OF_HEADING = 0.6
_OF_TITLE = 0.3
_OF_DOMAIN = 0.3
_OF_SHOWN_CURRENCY = 0.6
_OF_PRICE_ALONE = 0.35
"""Confidence in the availability of a page with a price and no word about stock."""

_SURE_SCORE = 9.0
"""The score from which on a shown price has the highest confidence."""

_MOST_OF_PAGE = 0.72
_SHOP_NAME = re.compile(r"\s+[|–—•·»-]\s+")
_ARTICLES = frozenset(
    {
        "article",
        "newsarticle",
        "blogposting",
        "reportagenewsarticle",
        "liveblogposting",
        "recipe",
        "jobposting",
        "event",
    }
)


@dataclass(frozen=True)
class ListedPage:
    """The parts of a page that are known before its listing is read."""

    url: str
    title: str
    text: str
    blocks: str
    language: str | None
    metadata: HtmlMetadata


@dataclass(frozen=True)
class _Evidence:
    """The evidence that a page is a listing."""

    mains: tuple[Node, ...]
    scan: PageScan
    prices: PagePrices
    is_product: bool
    """Whether meta elements or the state of the page call it a product."""
    is_article: bool
    """Whether the page calls itself an article; some shops do."""


def read_listing(tree: Document, page: ListedPage) -> Listing | None:
    """Return the listing of a page; None when it is neither a product nor a property page."""
    nodes = structured_nodes(page.metadata)
    hints = _hints(page)
    anchors = _anchors(page)
    mains = tuple(main_nodes(nodes, anchors))
    is_product = is_product_page(page.metadata.metas)
    has_offer = any(node.properties.get("offers") for node in mains)
    is_article = not has_offer and not is_product and _is_article(nodes, page.metadata.metas)
    if is_article and not mains and any(node.types & _ARTICLES for node in nodes):
        return None
    stated = [one for node in mains for one in structured_candidates(node, hints, page.url)]
    stated += meta_candidates(page.metadata.metas, hints)
    is_priced = any(one.field == "price" for one in stated)
    state = None if mains or is_priced else page_state(tree, anchors.titles)
    stated += state_candidates(state, hints) if state else ()
    scan = scan_page(
        tree,
        anchors.titles,
        page.text,
        language=page.language,
        needs_text=not is_priced,
        may_be_ad=not is_article,
        needs_sign=is_article or not (mains or is_product or state or is_property(list(text_candidates(page.text)))),
    )
    if scan is None:
        return None
    currency = choose_text(stated, "currency")
    hints = hints._replace(currency=currency.value if currency else None)
    evidence = _Evidence(mains, scan, page_prices(scan, hints), is_product or state is not None, is_article)
    return _listing(page, hints, evidence, stated)


def _listing(page: ListedPage, hints: MoneyHints, evidence: _Evidence, stated: list[Candidate]) -> Listing | None:
    shown = evidence.prices.price
    before = evidence.prices.regular
    corrected = correct_stated_prices(stated, shown.money if shown else None, before.money if before else None)
    candidates = [*corrected, *_page_candidates(page, evidence)]
    if is_property(candidates) and not evidence.scan.buttons:
        candidates += property_text_candidates(page.text, hints)
    if not _is_listing(evidence, candidates, page.url):
        return None
    kind = _kind(evidence, candidates)
    if kind is ListingKind.PROPERTY:
        candidates += [one for node in evidence.mains for one in property_candidates(node, hints)]
    else:
        candidates = [one for one in candidates if one.field not in {"rooms", "area", "address"}]
    candidates += _currency_of_domain(candidates, hints)
    listing = _choose(kind, page.url, candidates)
    traces = tuple(field_traces(candidates, _by_field(listing)))
    return replace(listing, traces=traces, quality=_quality(listing), place=_place(evidence.prices))


def _hints(page: ListedPage) -> MoneyHints:
    parts = urlsplit(page.url)
    host = parts.hostname or ""
    return MoneyHints(country_of_host(host) or country_of_path(parts.path), page.language)


def _anchors(page: ListedPage) -> PageAnchors:
    titles = [page.title, *_SHOP_NAME.split(page.title)[:1], page.metadata.metas.get("og:title", "")]
    addresses = (page.url, page.metadata.canonical or "", page.metadata.metas.get("og:url", ""))
    return PageAnchors(title_keys(titles), frozenset(path for one in addresses if (path := path_of(one))))


def _is_article(nodes: list[Node], metas: Mapping[str, str]) -> bool:
    return metas.get("og:type", "").lower() == "article" or any(node.types & _ARTICLES for node in nodes)


def _page_candidates(page: ListedPage, evidence: _Evidence) -> Iterator[Candidate]:
    """Yield the candidates from the page's text and elements."""
    scan, prices = evidence.scan, evidence.prices
    if scan.title is not None:
        yield Candidate("name", scan.title.text[:500], FieldSource.PAGE, _OF_HEADING, "heading", scan.title.text)
    elif page.title:
        name = _SHOP_NAME.split(page.title)[0]
        yield Candidate("name", name, FieldSource.PAGE, _OF_TITLE, "title", page.title)
    yield from _shown_prices(prices)
    yield from stock_candidates(scan, page.text, prices.price.place if prices.price else None)
    yield from label_candidates(page.text, page.blocks)
    yield from brand_candidates(scan, page.title)
    yield from text_candidates(page.text)


def _shown_prices(prices: PagePrices) -> Iterator[Candidate]:
    shown = prices.price
    if shown is None:
        return
    confidence = round(_MOST_OF_PAGE * min(shown.score / _SURE_SCORE, 1.0), 2)
    yield Candidate("price", shown.money, FieldSource.PAGE, confidence, "price-element", shown.text)
    if shown.money.currency and shown.has_currency:
        yield Candidate("currency", shown.money.currency, FieldSource.PAGE, _OF_SHOWN_CURRENCY, "symbol", shown.text)
    if prices.regular is not None:
        regular = prices.regular
        yield Candidate("regular_price", regular.money, FieldSource.PAGE, confidence, "old-price", regular.text)
    if prices.high is not None:
        yield Candidate("high_price", prices.high, FieldSource.PAGE, confidence, "price-range", shown.text)


def _is_listing(evidence: _Evidence, candidates: list[Candidate], url: str) -> bool:
    """Return whether a page sells something: by structured data, a shown price or a stock note."""
    if evidence.is_article:
        return evidence.prices.price is not None and bool(evidence.scan.buttons)
    if evidence.mains or evidence.is_product:
        return True
    title = evidence.scan.title
    if is_no_product_address(url) or (title is not None and is_no_product_title(title.text)):
        return False
    if evidence.prices.price is not None or any(one.strategy == "property-price" for one in candidates):
        return True
    is_noted = any(one.field == "availability" and one.strategy == "stock-note" for one in candidates)
    is_coded = any(one.field in {"sku", "gtin", "mpn"} for one in candidates)
    return is_noted and (is_coded or evidence.scan.title is not None)


def _kind(evidence: _Evidence, candidates: list[Candidate]) -> ListingKind:
    if any(kind_of_node(node) is ListingKind.PROPERTY for node in evidence.mains):
        return ListingKind.PROPERTY
    is_sold = evidence.scan.buttons or any(one.field in {"gtin", "availability"} for one in candidates)
    return ListingKind.PROPERTY if is_property(candidates) and not is_sold else ListingKind.PRODUCT


def _currency_of_domain(candidates: list[Candidate], hints: MoneyHints) -> list[Candidate]:
    """Return the currency of the host's country, when the page has a price and states no currency."""
    fields = {one.field for one in candidates}
    currency = currency_of_country(hints.country)
    if "price" not in fields or "currency" in fields or currency is None:
        return []
    return [Candidate("currency", currency, FieldSource.DOMAIN, _OF_DOMAIN, "country", hints.country or "")]


def _choose(kind: ListingKind, url: str, candidates: list[Candidate]) -> Listing:
    currency = choose_text(candidates, "currency")
    code = currency.value if currency else None
    price = choose_money(candidates, "price", code)
    regular = choose_money(candidates, "regular_price", code)
    if regular is not None and (price is None or regular.value.amount <= price.value.amount):
        regular = None
    high = choose_money(candidates, "high_price", code)
    image = choose_text(candidates, "image")
    return Listing(
        kind=kind,
        url=url,
        name=choose_text(candidates, "name"),
        price=price,
        regular_price=regular,
        sale_price=price if regular else None,
        high_price=high if price and high and high.value.amount > price.value.amount else None,
        currency=currency,
        availability=_availability(candidates, price),
        sku=choose_text(candidates, "sku"),
        gtin=choose_text(candidates, "gtin"),
        mpn=choose_text(candidates, "mpn"),
        brand=choose_text(candidates, "brand"),
        image=replace(image, value=_absolute(url, image.value)) if image else None,
        address=cast("FoundValue[PostalAddress] | None", choose(candidates, "address")),
        rooms=cast("FoundValue[Decimal] | None", choose(candidates, "rooms")),
        area=cast("FoundValue[FloorArea] | None", choose(candidates, "area")),
    )


def _availability(candidates: list[Candidate], price: FoundValue[Money] | None) -> FoundValue[Availability] | None:
    found = cast("FoundValue[Availability] | None", choose(candidates, "availability"))
    if found is None and price is not None:
        return FoundValue(Availability.IN_STOCK, (FieldSource.PAGE,), _OF_PRICE_ALONE)
    return found


def _absolute(url: str, address: str) -> str:
    try:
        return urljoin(url, address)
    except ValueError:
        return address


def _by_field(listing: Listing) -> Iterator[tuple[str, FoundValue[object]]]:
    for name in ("name", "price", "regular_price", "high_price", "currency", "availability", "sku", "gtin", "mpn"):
        if (found := getattr(listing, name)) is not None:
            yield name, found
    for name in ("brand", "image", "address", "rooms", "area"):
        if (found := getattr(listing, name)) is not None:
            yield name, found


def _quality(listing: Listing) -> float:
    """Return the weighted confidence of the fields that matter for a listing."""
    weights = _PROPERTY_WEIGHTS if listing.kind is ListingKind.PROPERTY else _WEIGHTS
    codes = max((one.confidence for one in (listing.sku, listing.gtin, listing.mpn) if one), default=0.0)
    total = 0.0
    for name, weight in weights.items():
        found = None if name == "codes" else getattr(listing, name)
        total += weight * (codes if name == "codes" else found.confidence if found else 0.0)
    return round(total, 2)


def _place(prices: PagePrices) -> str | None:
    """Return the path of the element that shows the price."""
    if prices.price is None:
        return None
    element = prices.price.element
    around = [one for one in parents_of(element, 4) if one.tag not in {"html", "body"}]
    return " > ".join(_step(one) for one in (*reversed(around), element))[:300]


def _step(element: Element) -> str:
    identifier = element.attr("id")
    if identifier and names_of(element):
        return f"{element.tag}#{identifier.split()[0] if identifier.split() else ''}"[:80]
    classes = (element.attr("class") or "").split()
    return f"{element.tag}.{classes[0]}"[:80] if classes else element.tag
