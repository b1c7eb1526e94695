"""Finds the product title (a heading or named element) and the product image of a page."""

import re
from collections.abc import Sequence

from rapidfuzz import fuzz

from webstrata.content.listing.scan import names_of, parents_of
from webstrata.content.listing.surroundings import is_hidden
from webstrata.content.tree import Document, Element, is_html

MAX_TITLE = 500
_MAX_CANDIDATES = 60
_MAX_IMAGES = 400
_LEAST_PIXELS = 64
"""The least width and height of a product image, where they are stated: icons are smaller."""

_NAMED_TITLES = (
    '[class*="product-title" i], [class*="product_title" i], [class*="producttitle" i], [id*="producttitle" i], '
    '[class*="product-name" i], [class*="product_name" i], [class*="productname" i], [class*="pdp-title" i], '
    '[class*="product__title" i], [class*="product__name" i], [id*="product-title" i], [id*="product-name" i]'
)
_PLAIN_TITLES = 'h2, [class*="title" i], [class*="name" i]'
_LEAST_TITLE = 4
_SHOP_NAME = re.compile(r"\s*[|–—•·»:-]\s")
_ITEM_NAMES = '[itemprop~="name"]'
_NO_PRODUCT = re.compile(r"breadcrumb|listitem|organization|person|brand|website|review|rating", re.IGNORECASE)
_SHOWN = frozenset({"h1", "img", "amp-img"})
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


def product_title(tree: Document, elements: Sequence[Element], titles: Sequence[str] = ()) -> str:
    """Return the product title of a page: its h1, an element that is named a product title, or an item's name.

    `titles` are the page's other titles in lower case: an element that is named only `title` or `name` counts if its
    text is one of them.
    """
    texts = [text for element in _title_candidates(tree, elements) if (text := _text(element))]
    if texts:
        return max(texts, key=lambda text: _likeness(text, titles))[:MAX_TITLE]
    named = (_text(element) for element in tree.select(_PLAIN_TITLES)[:_MAX_CANDIDATES])
    return next((text[:MAX_TITLE] for text in named if _is_title(text.casefold(), titles)), "")


def product_image(elements: Sequence[Element]) -> str:
    """Return the address of an image that may show a product, as it is written; empty when there is none.

    The first image after the first h1 is taken, else the last one before it.
    """
    shown = [element for element in elements if element.tag in _SHOWN][:_MAX_IMAGES]
    title = next((place for place, element in enumerate(shown) if element.tag == "h1"), len(shown))
    # Nearest to the title first, so that few images are checked.
    candidates = (element for element in (*shown[title:], *reversed(shown[:title])) if element.tag != "h1")
    return next((source for element in candidates if (source := _product_source(element))), "")


def _likeness(text: str, titles: Sequence[str]) -> float:
    """Return the similarity of a text and the page's title: pages also have headings of menus and notices."""
    return max((fuzz.token_set_ratio(text[:MAX_TITLE].casefold(), title) for title in titles), default=0.0)


def _is_title(text: str, titles: Sequence[str]) -> bool:
    """Return whether a text is one of the page's titles, alone or followed by the shop's name."""
    if len(text) < _LEAST_TITLE:
        return False
    return any(
        title == text or _SHOP_NAME.match(title.removeprefix(text)) for title in titles if title.startswith(text)
    )


def _product_source(image: Element) -> str:
    source = _source(image)
    return source if source and not _is_icon(image, source) and not _is_aside(image) else ""


def _title_candidates(tree: Document, elements: Sequence[Element]) -> Sequence[Element]:
    """Return the headings; without any, elements that are named a product title; without these, the names of items."""
    headings = [one for one in elements if one.tag == "h1" and is_html(one)][:_MAX_CANDIDATES]
    named = [heading for heading in headings if _text(heading)]
    named = named or [element for element in tree.select(_NAMED_TITLES)[:_MAX_CANDIDATES] if _text(element)]
    return named or [element for element in tree.select(_ITEM_NAMES)[:_MAX_CANDIDATES] if _is_of_product(element)]


def _text(element: Element) -> str:
    if is_hidden(element):
        return ""
    return " ".join(((element.attr("content") or "") if element.tag == "meta" else element.text).split())


def _is_of_product(element: Element) -> bool:
    """Return whether the item that an element names may be a product, and not a breadcrumb, brand or review."""
    parent = element.parent
    while isinstance(parent, Element):
        if parent.attr("itemscope") is not None:
            return not _NO_PRODUCT.search(f"{parent.attr('itemtype') or ''} {parent.attr('itemprop') or ''}")
        parent = parent.parent
    return False


def _source(image: Element) -> str:
    """Return the address of an image, even if a script loads it later."""
    for name in _SOURCES:
        written = (image.attr(name) or "").strip()
        if written and not _PLACEHOLDER.search(written[:300].lower()):
            return written
    return ""


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


def _is_aside(image: Element) -> bool:
    """Return whether an image is hidden, or in a menu or the page's footer."""
    if is_hidden(image):
        return True
    return any(parent.tag in _EDGES for parent in parents_of(image, _ANCESTORS))
