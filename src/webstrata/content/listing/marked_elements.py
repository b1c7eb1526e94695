"""The elements of a page that may be prices, buttons, stock notes or brands by their names or tags, from one search."""

from dataclasses import dataclass, field

from webstrata.content.tree import Document, Element

_MARKED_LINK = ", ".join(
    (
        *(f'[class*="{part}" i]' for part in ("btn", "button", "cart", "buy")),
        *(f'[id*="{part}" i]' for part in ("cart", "buy", "byline")),
    )
)
# One selector for all kinds of links: the parser then looks at their tag once.
_SELECTED = ", ".join(
    (
        *(f'[class*="{part}" i]' for part in ("price", "stock", "availab", "brand")),
        *(f'[id*="{part}" i]' for part in ("price", "availab")),
        *(f"a:is({_MARKED_LINK})", '[itemprop~="price" i]', "button", '[role="button"]'),
        *(f'input[type="{kind}" i]' for kind in ("submit", "button", "image")),
    )
)
_BUTTON_CLASSES = ("btn", "button", "cart", "buy")
_BUTTON_TYPES = frozenset({"submit", "button", "image"})
_WITH_ROLE = frozenset({"a", "div", "span"})
_WITH_BRAND = frozenset({"a", "span", "div", "h2"})


@dataclass(frozen=True)
class MarkedElements:
    """The elements of each kind in the order of the page; an element may be of several kinds."""

    prices: list[Element] = field(default_factory=list)
    buttons: list[Element] = field(default_factory=list)
    stock: list[Element] = field(default_factory=list)
    brands: list[Element] = field(default_factory=list)


def marked_elements(tree: Document) -> MarkedElements:
    """Return the marked elements of a page."""
    found = MarkedElements()
    for element in tree.select(_SELECTED):
        tag, classes, identifier = element.tag, _lower(element, "class"), _lower(element, "id")
        if "price" in classes or "price" in identifier or "price" in _lower(element, "itemprop").split():
            found.prices.append(element)
        if _is_button(element, tag, classes, identifier):
            found.buttons.append(element)
        if "stock" in classes or "availab" in classes or "availab" in identifier:
            found.stock.append(element)
        if ("brand" in classes and tag in _WITH_BRAND) or (tag == "a" and "byline" in identifier):
            found.brands.append(element)
    return found


def _lower(element: Element, name: str) -> str:
    written = element.attr(name)
    return written.lower() if written else ""


def _is_button(element: Element, tag: str, classes: str, identifier: str) -> bool:
    if tag == "button":
        return True
    if tag == "input":
        return _lower(element, "type") in _BUTTON_TYPES
    if tag == "a" and (any(part in classes for part in _BUTTON_CLASSES) or "cart" in identifier or "buy" in identifier):
        return True
    return tag in _WITH_ROLE and element.attr("role") == "button"
