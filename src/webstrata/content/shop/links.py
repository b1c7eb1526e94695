"""The links of a shop's page in the order of the page, and which of them belong to product cards."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from webstrata.content.listing.scan import parents_of, scan_offer
from webstrata.content.listing.surroundings import is_hidden
from webstrata.content.tree import Document, Element
from webstrata.model.urls import join

MAX_LINKS = 3_000
MAX_TEXT = 200
_CARDS = ", ".join(
    (
        '[class*="product-card" i]',
        '[class*="product_card" i]',
        '[class*="productcard" i]',
        '[class*="product-item" i]',
        '[class*="product_item" i]',
        '[class*="product-tile" i]',
        '[class*="producttile" i]',
        '[class*="product-teaser" i]',
        "li.product",
        "article.product",
        "[data-product-id]",
        '[itemtype*="schema.org/Product" i]',
    )
)
_CARD_HEIGHT = 8
"""How many ancestors of a price are searched for the link of its card."""

_MAX_CARDS = 500
_ANCESTORS = 30


class LinkRegion(StrEnum):
    """The part of a page that a link is in."""

    NAVIGATION = "navigation"
    FOOTER = "footer"
    CONTENT = "content"


@dataclass(frozen=True)
class ShopLink:
    """A link of a page."""

    url: str
    text: str
    region: LinkRegion
    is_card: bool = False
    """Whether it is the link of a product card."""


def shop_links(tree: Document, url: str) -> list[ShopLink]:
    """Return the visible links of a page that can be followed, in the order of the page."""
    base = _base(tree, url)
    cards = _card_links(tree)
    links = []
    for element in tree.select("a[href]")[:MAX_LINKS]:
        address = join(base, (element.attr("href") or "").strip())
        if address is not None:
            links.append(ShopLink(address, _text(element), _region(element), element in cards))
    return links


def _base(tree: Document, url: str) -> str:
    stated = tree.select_one("base[href]")
    return (join(url, stated.attr("href") or "") if stated is not None else None) or url


def _text(element: Element) -> str:
    text = " ".join(element.text.split())
    return (text or element.attr("aria-label") or element.attr("title") or "")[:MAX_TEXT]


def _region(element: Element) -> LinkRegion:
    for parent in parents_of(element, _ANCESTORS):
        role = parent.attr("role")
        if parent.tag == "footer" or role == "contentinfo":
            return LinkRegion.FOOTER
        if parent.tag in {"nav", "header"} or role == "navigation":
            return LinkRegion.NAVIGATION
    return LinkRegion.CONTENT


def _card_links(tree: Document) -> frozenset[Element]:
    """Return the links of product cards: elements named as cards, and the elements around prices."""
    named = tree.select(_CARDS)[:_MAX_CARDS]
    links = {link for card in named if not is_hidden(card) for link in _links_in(card)[:1]}
    for mark in scan_offer(tree, ()).prices:
        links.update(_links_around(mark.element))
    return frozenset(links)


def _links_around(price: Element) -> Iterator[Element]:
    """Yield the link of the card that a price is in: the first of the nearest element that has one."""
    for element in (price, *parents_of(price, _CARD_HEIGHT)):
        if element.tag == "a" and element.attr("href") is not None:
            yield element
            return
        if found := _links_in(element):
            yield found[0]
            return


def _links_in(element: Element) -> Sequence[Element]:
    own = [element] if element.tag == "a" and element.attr("href") is not None else []
    return own or element.select("a[href]")
