"""Features of a shop's page: what its head, headings, controls, menus, offer, structured data and reviews show."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from webstrata.content.html import page_of_tree
from webstrata.content.listing.page_listing import listing_of_page
from webstrata.content.listing.scan import names_of, parents_of
from webstrata.content.listing.structured import Node, structured_nodes
from webstrata.content.listing.surroundings import is_hidden
from webstrata.content.metadata import HtmlMetadata
from webstrata.content.shop.cart_controls import control_label
from webstrata.content.shop.links import LinkRegion, ShopLink, shop_links
from webstrata.content.shop.signals import ShopSignals, read_shop_signals
from webstrata.content.tree import Document, Element, is_html
from webstrata.model.collections.listing import Listing
from webstrata.model.urls import join

MAX_TEXT = 300
MAX_HEADINGS = 100
MAX_CTAS = 100
MAX_MENU_LINKS = 200
_MAX_FIELDS = 60
_CTAS = (
    'button, input[type="submit" i], input[type="button" i], [role="button" i], a[class*="btn" i], '
    'a[class*="button" i], a[class*="cta" i]'
)
_REVIEWS = '[itemprop~="review" i], [class*="review" i], [id*="review" i]'
_RATINGS = '[class*="rating" i], [class*="stars" i], [itemprop~="aggregateRating" i]'
_MAX_COUNTED = 1_000
_PRODUCT = frozenset({"product", "individualproduct", "productmodel", "productgroup", "someproducts"})
_ANCESTORS = 12


@dataclass(frozen=True)
class CallToAction:
    """A control that a visitor is asked to use."""

    text: str
    href: str = ""


@dataclass(frozen=True)
class ReviewSignals:
    """What a page shows about reviews; empty where it shows nothing."""

    rating: str = ""
    best_rating: str = ""
    count: str = ""
    review_elements: int = 0
    rating_elements: int = 0


@dataclass(frozen=True)
class ShopFeatures:
    """What a page of a shop shows, in the order of the page."""

    title: str = ""
    description: str = ""
    canonical_url: str = ""
    h1: tuple[str, ...] = ()
    h2: tuple[str, ...] = ()
    ctas: tuple[CallToAction, ...] = ()
    links: tuple[ShopLink, ...] = ()
    price: str = ""
    currency: str = ""
    availability: str = ""
    product_fields: tuple[tuple[str, str], ...] = ()
    """The properties of the product in structured data, by name, with their texts."""
    reviews: ReviewSignals = field(default_factory=ReviewSignals)
    text: str = ""
    """What a reader sees, a block a line."""
    signals: ShopSignals = field(default_factory=ShopSignals)

    @property
    def main_nav_links(self) -> tuple[ShopLink, ...]:
        """Return the links of the page's menus."""
        return tuple(link for link in self.links if link.region is LinkRegion.NAVIGATION)[:MAX_MENU_LINKS]

    @property
    def footer_links(self) -> tuple[ShopLink, ...]:
        """Return the links of the page's footer."""
        return tuple(link for link in self.links if link.region is LinkRegion.FOOTER)[:MAX_MENU_LINKS]


def read_shop_features(tree: Document, source: str, url: str) -> ShopFeatures:
    """Return the features of a page from the tree of its source; the same page gives the same features."""
    page = page_of_tree(tree, source)
    nodes = structured_nodes(page.metadata)
    listing = listing_of_page(tree, page, url)
    signals = read_shop_signals(tree, url)
    price, currency = _price(listing, signals)
    return ShopFeatures(
        title=page.title,
        description=page.metadata.metas.get("description", ""),
        canonical_url=_canonical(page.metadata, url),
        h1=_headings(tree, "h1"),
        h2=_headings(tree, "h2"),
        ctas=tuple(_ctas(tree, url)),
        links=tuple(shop_links(tree, url)),
        price=price,
        currency=currency,
        availability=listing.availability.value.value if listing and listing.availability else "",
        product_fields=_product_fields(nodes),
        reviews=_reviews(tree, nodes),
        text=page.text,
        signals=signals,
    )


def _canonical(metadata: HtmlMetadata, url: str) -> str:
    return (join(url, metadata.canonical) or metadata.canonical) if metadata.canonical else ""


def _price(listing: Listing | None, signals: ShopSignals) -> tuple[str, str]:
    """Return amount and currency from the listing, else from the signals."""
    if listing is None or listing.price is None:
        amount, _, currency = signals.price.partition(" ")
        return amount, currency
    money = listing.price.value
    return f"{money.amount:f}", money.currency or (listing.currency.value if listing.currency else "")


def _headings(tree: Document, tag: str) -> tuple[str, ...]:
    shown = (element for element in tree.iter_elements(tag) if is_html(element) and not _is_hidden(element))
    return tuple(text for element in shown if (text := _text(element)))[:MAX_HEADINGS]


def _ctas(tree: Document, url: str) -> Iterable[CallToAction]:
    """Return the controls with a label, each label once."""
    found: dict[str, CallToAction] = {}
    for element in tree.select(_CTAS):
        label = control_label(element)[:MAX_TEXT]
        if label and label not in found and not _is_hidden(element):
            href = element.attr("href") if element.tag == "a" else None
            found[label] = CallToAction(label, (join(url, href) or "") if href else "")
            if len(found) == MAX_CTAS:
                break
    return found.values()


def _is_hidden(element: Element) -> bool:
    return any(is_hidden(one) for one in (element, *parents_of(element, _ANCESTORS)))


def _text(element: Element) -> str:
    return " ".join(element.text.split())[:MAX_TEXT]


def _product_fields(nodes: Sequence[Node]) -> tuple[tuple[str, str], ...]:
    """Return the properties of the first product in structured data, including those of its first offer."""
    product = next((node for node in nodes if node.types & _PRODUCT and not node.is_aside), None)
    if product is None:
        return ()
    fields = {name: _value(product, name) for name in product.properties if not name.startswith("@")}
    for offer in product.nodes("offers")[:1]:
        fields |= {f"offers.{name}": _value(offer, name) for name in offer.properties if not name.startswith("@")}
    return tuple(sorted((name[:MAX_TEXT], text) for name, text in fields.items() if text))[:_MAX_FIELDS]


def _value(node: Node, name: str) -> str:
    return node.text(name)[:MAX_TEXT]


def _reviews(tree: Document, nodes: Sequence[Node]) -> ReviewSignals:
    rating = next((node for node in nodes if "aggregaterating" in node.types), None)
    return ReviewSignals(
        rating=rating.text("ratingvalue")[:MAX_TEXT] if rating else "",
        best_rating=rating.text("bestrating")[:MAX_TEXT] if rating else "",
        count=rating.text("reviewcount", "ratingcount")[:MAX_TEXT] if rating else "",
        review_elements=_count(tree, _REVIEWS),
        rating_elements=_count(tree, _RATINGS),
    )


def _count(tree: Document, selector: str) -> int:
    """Return the number of matching elements that are not inside another matching element."""
    found = tree.select(selector)[:_MAX_COUNTED]
    inside = frozenset(found)
    return sum(1 for element in found if names_of(element) and inside.isdisjoint(parents_of(element, _ANCESTORS)))
