"""The product title and the product image of a page: a heading or named element, and an image that is no icon."""

import re
from collections.abc import Iterator

from webstrata.content.listing.scan import names_of
from webstrata.content.listing.surroundings import is_hidden
from webstrata.content.tree import Document, Element, is_html

MAX_TITLE = 500
_MAX_CANDIDATES = 40
_MAX_IMAGES = 400
_LEAST_PIXELS = 64
"""The least width and height of a product image, where they are stated: icons are smaller."""

_NAMED_TITLES = (
    '[class*="product-title" i], [class*="product_title" i], [class*="producttitle" i], [id*="producttitle" i], '
    '[class*="product-name" i], [class*="product_name" i], [class*="productname" i], [class*="pdp-title" i], '
    '[class*="product__title" i], [class*="product__name" i], [id*="product-title" i], [id*="product-name" i]'
)
_ITEM_NAMES = '[itemprop~="name"]'
_NO_PRODUCT = re.compile(r"breadcrumb|listitem|organization|person|brand|website|review|rating", re.IGNORECASE)
_IMAGES = "img, amp-img"
_SOURCES = ("src", "data-src", "data-original", "data-lazy", "data-lazy-src", "data-srcset", "srcset", "data-old-hires")
_PLACEHOLDER = re.compile(
    r"^data:image/(?:gif|svg)|(?<![a-z])(?:1x1|blank|spacer|transparent|pixel|placeholder|loading|loader|spinner)"
    r"(?![a-z])"
)
_ICON = re.compile(
    r"(?<![a-z])(?:icons?|ico|logos?|sprites?|favicon|pixel|spacer|avatars?|flags?|badges?|payments?|visa|mastercard"
    r"|paypal|klarna|trustpilot|emoji|arrow|chevron|captcha|tracking|analytics|rating|stars?|social|facebook|twitter"
    r"|instagram|pinterest|youtube|banner|button|btn)(?![a-z])|\.ico(?:\?|$)"
)
_ICON_FILE = re.compile(r"\.svgz?(?:\?|$)")
_EDGES = frozenset({"nav", "footer"})
_ANCESTORS = 6
_PIXELS = re.compile(r"\s*(\d{1,5})(?:\.\d+)?\s*(?:px)?\s*$")


def product_title(tree: Document) -> str:
    """Return the title of what a page offers: its h1, an element that is named a product title, or an item's name."""
    for element in _title_candidates(tree):
        text = " ".join((element.attr("content") or element.text).split()) if element.tag == "meta" else _text(element)
        if text:
            return text[:MAX_TITLE]
    return ""


def product_image(tree: Document) -> str:
    """Return the address of the first image that may show a product, as it is written; empty when there is none."""
    for image in tree.select(_IMAGES)[:_MAX_IMAGES]:
        source = _source(image)
        if source and not _is_icon(image, source) and not _is_at_edge(image):
            return source
    return ""


def _title_candidates(tree: Document) -> Iterator[Element]:
    yield from (heading for heading in tree.select("h1")[:_MAX_CANDIDATES] if is_html(heading))
    yield from tree.select(_NAMED_TITLES)[:_MAX_CANDIDATES]
    yield from (element for element in tree.select(_ITEM_NAMES)[:_MAX_CANDIDATES] if _is_of_product(element))


def _text(element: Element) -> str:
    if is_hidden(element):
        return ""
    return " ".join(element.text.split())


def _is_of_product(element: Element) -> bool:
    """Return whether the item that an element names may be a product: no breadcrumb, brand or review."""
    parent = element.parent
    while isinstance(parent, Element):
        if parent.attr("itemscope") is not None:
            return not _NO_PRODUCT.search(f"{parent.attr('itemtype') or ''} {parent.attr('itemprop') or ''}")
        parent = parent.parent
    return False


def _source(image: Element) -> str:
    """Return the address of an image: of one that is loaded later, the one that it will have."""
    written = (image.attr(name) for name in _SOURCES)
    found = [one.strip() for one in written if one and one.strip()]
    real = [one for one in found if not _PLACEHOLDER.search(one[:300].lower())]
    return real[0] if real else ""


def _is_icon(image: Element, source: str) -> bool:
    sizes = [size for name in ("width", "height") if (size := _pixels(image.attr(name))) is not None]
    if sizes and min(sizes) < _LEAST_PIXELS:
        return True
    if source.startswith("data:"):
        return False
    path = source[:500].lower().partition("?")[0]
    if _ICON_FILE.search(path):
        return True
    names = f"{path.rpartition('/')[2]} {names_of(image)} {(image.attr('alt') or '')[:100].lower()}"
    return _ICON.search(names) is not None


def _pixels(written: str | None) -> int | None:
    match = _PIXELS.match(written) if written else None
    return int(match[1]) if match else None


def _is_at_edge(image: Element) -> bool:
    """Return whether an image is part of a menu or the page's footer."""
    parent = image.parent
    for _ in range(_ANCESTORS):
        if not isinstance(parent, Element):
            return False
        if parent.tag in _EDGES:
            return True
        parent = parent.parent
    return False
