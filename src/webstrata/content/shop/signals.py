"""Signals of a product page, from one parse: price, title and image, add-to-cart control, product schema, list."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from webstrata.content.language import tag_to_language
from webstrata.content.listing.candidates import choose_money
from webstrata.content.listing.currencies import country_of_host, country_of_path
from webstrata.content.listing.money import MoneyHints, find_money, tidy_text
from webstrata.content.listing.offers import structured_candidates
from webstrata.content.listing.opengraph import meta_candidates
from webstrata.content.listing.page_price import page_prices
from webstrata.content.listing.products import PageAnchors, main_nodes, path_of, title_keys
from webstrata.content.listing.scan import PageScan, scan_offer
from webstrata.content.listing.structured import structured_nodes
from webstrata.content.metadata import HtmlMetadata, page_metadata
from webstrata.content.shop.cards import LEAST_CARDS, elements_in_cards, elements_in_linked_cards
from webstrata.content.shop.cart_controls import CONTROL_TAGS, CartControl, cart_controls
from webstrata.content.shop.described_lists import PRODUCTS, described_list, is_one_of_many
from webstrata.content.shop.title_image import product_image, product_title
from webstrata.content.tree import Document, Element, by_tag

_STATING = frozenset({"title", "meta", "link", "script"})
_COLLECTED = (*sorted(_STATING | CONTROL_TAGS), "h1", "img", "amp-img")
_OF_OTHERS = ("itemreviewed", "about", "mentions", "subjectof", "mainentityofpage")
"""Properties in which an article describes the products that it writes about."""


@dataclass(frozen=True)
class ShopSignals:
    """The signals that make a page a product page; each is the text that was found, or empty."""

    price: str = ""
    """The price of the product, such as `48.99 USD`, without a currency where none is known."""
    price_source: str = ""
    """Where the price was read: `json-ld`, `microdata`, `rdfa`, `opengraph` or `page`."""
    title: str = ""
    image: str = ""
    add_to_cart: str = ""
    """The label of the control; a description of it when it has none."""
    product_schema: str = ""
    """The form of the structured data that describes the product, such as `json-ld`."""
    product_list: str = ""
    """Why the page is a list of products."""


def read_shop_signals(tree: Document, url: str) -> ShopSignals:
    """Return the signals of a page."""
    page = _ShopPage(tree, url)
    title, image = product_title(tree, page.elements, page.anchors.titles), product_image(page.elements)
    found = cart_controls(tree, page.elements, url)
    schema = page.schema()
    stated = page.stated_price()
    if schema and stated and not page.states_range():
        return ShopSignals(*stated, title, image, _label(found), schema)
    controls = list(found)
    scan = scan_offer(tree, page.anchors.titles, language=page.language)
    inside = _in_cards(page.elements, scan, controls, url)
    shown, is_own = _shown_price(scan, inside, page.hints)
    price, source = stated or (shown or _only_amount(scan, page.hints), "page")
    own_controls = [one for one in controls if one.element not in inside]
    if schema:
        # Category pages are also described as a product with a lowest and a highest price.
        is_category = bool(stated) and len(inside) >= LEAST_CARDS and not own_controls
        kind = _shown_list(scan, inside, has_own_price=is_own) if is_category else ""
    else:
        kind = page.stated_list() or _shown_list(scan, inside, has_own_price=bool(stated) or is_own)
    return ShopSignals(
        price=price,
        price_source=source if price else "",
        title=title,
        image=image,
        add_to_cart=_label(own_controls),
        product_schema=schema,
        product_list=kind,
    )


class _ShopPage:
    """What a page states about itself in its head and its structured data."""

    def __init__(self, tree: Document, url: str) -> None:
        self.elements = list(tree.iter_elements(_COLLECTED))
        stating = [element for element in self.elements if element.tag in _STATING]
        self._metadata = page_metadata(tree, by_tag(stating))
        self._url = url
        self.language = tag_to_language(tree.root.attr("lang") if tree.root is not None else None)
        self.hints = _hints(url, self.language)
        self.anchors = _anchors(stating, self._metadata, url)
        self._nodes = structured_nodes(self._metadata)
        mains = main_nodes(self._nodes, self.anchors)
        self._mains = [node for node in mains if not is_one_of_many(node, self._nodes, self.anchors)]

    def stated_price(self) -> tuple[str, str] | None:
        """Return the price that structured data or meta elements state, and its source."""
        stated = [one for node in self._mains for one in structured_candidates(node, self.hints, self._url)]
        stated += meta_candidates(self._metadata.metas, self.hints)
        price = choose_money(stated, "price", None)
        return (str(price.value), price.source.value) if price is not None and price.value.amount else None

    def states_range(self) -> bool:
        """Return whether the price is one of an aggregate of several offers."""
        offers = (offer for node in self._mains for offer in node.nodes("offers"))
        return any("aggregateoffer" in offer.types and offer.values("highprice") for offer in offers)

    def schema(self) -> str:
        """Return the form of the structured data that describes the page's own product."""
        of_others = {id(other) for node in self._nodes for other in node.nodes(*_OF_OTHERS)}
        own = {
            node.source
            for node in self._nodes
            if node.types & PRODUCTS and not node.is_aside and id(node) not in of_others
        }
        found = [node.source.value for node in self._mains if node.types & PRODUCTS and node.source in own]
        return ", ".join(found)

    def stated_list(self) -> str:
        """Return the type of a list of products that structured data describes."""
        return described_list(self._nodes)


def _hints(url: str, language: str | None) -> MoneyHints:
    parts = urlsplit(url)
    return MoneyHints(country_of_host(parts.hostname or "") or country_of_path(parts.path), language)


def _anchors(elements: Sequence[Element], metadata: HtmlMetadata, url: str) -> PageAnchors:
    title = next((" ".join(one.text.split()) for one in elements if one.tag == "title" and one.text.strip()), "")
    titles = [title, title.partition(" | ")[0], metadata.metas.get("og:title", "")]
    addresses = (url, metadata.canonical or "", metadata.metas.get("og:url", ""))
    return PageAnchors(title_keys(titles), frozenset(path for one in addresses if (path := path_of(one))))


def _in_cards(
    elements: Sequence[Element], scan: PageScan, controls: Sequence[CartControl], url: str
) -> frozenset[Element]:
    """Return the prices and controls that are in cards of products."""
    # Headings of lower levels may belong to cards.
    headings = (element for element in elements if element.tag == "h1" and element.text.strip())
    title = next(headings, scan.title.element if scan.title else None)
    prices = [mark.element for mark in scan.prices]
    buttons = [control.element for control in controls]
    linked = elements_in_linked_cards([*prices, *buttons], title, url)
    return elements_in_cards(prices, title) | elements_in_cards(buttons, title) | linked


def _shown_price(scan: PageScan, inside: frozenset[Element], hints: MoneyHints) -> tuple[str, bool]:
    """Return the price that a page shows, and whether it is outside of cards, so that it is the page's own."""
    price = page_prices(scan, hints).price
    if price is None or price.element not in inside:
        return (str(price.money), True) if price is not None else ("", False)
    outside = replace(scan, prices=tuple(mark for mark in scan.prices if mark.element not in inside))
    own = page_prices(outside, hints).price
    return str((own or price).money), own is not None


def _only_amount(scan: PageScan, hints: MoneyHints) -> str:
    """Return the only amount of a page without a title."""
    if scan.title is not None:
        return ""
    spans = [span for mark in scan.prices for span in find_money(tidy_text(mark.text), hints) if span.has_currency]
    amounts = {span.money.amount for span in spans}
    return str(spans[0].money) if len(amounts) == 1 and min(amounts) > 0 else ""


def _shown_list(scan: PageScan, inside: frozenset[Element], *, has_own_price: bool) -> str:
    """Return why a page looks like a list: it has prices in cards, but none of its own."""
    cards = sum(mark.element in inside for mark in scan.prices)
    if has_own_price or not cards:
        return ""
    return f"{cards} prices are in cards of products, and none is the page's own"


def _label(controls: Iterable[CartControl]) -> str:
    first = next(iter(controls), None)
    if first is None:
        return ""
    return first.label or f"{first.element.tag} without a label"
