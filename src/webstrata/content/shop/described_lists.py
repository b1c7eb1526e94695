"""Recognises lists of products in structured data: a stated list, or several products of which none is the page's
own."""

from collections.abc import Sequence

from rapidfuzz import fuzz

from webstrata.content.listing.products import PageAnchors, path_of
from webstrata.content.listing.structured import Node
from webstrata.content.shop.cards import LEAST_CARDS

PRODUCTS = frozenset(
    {
        *("product", "individualproduct", "productmodel", "productgroup", "someproducts", "productcollection"),
        *("vehicle", "car", "motorcycle", "motorizedbicycle", "busorcoach", "drug", "dietarysupplement"),
    }
)
"""Schema.org's Product and the types below it."""

_LISTS = frozenset({"itemlist", "collectionpage", "searchresultspage", "offercatalog"})
_SEVERAL = 2
_OTHER_NAME = 50
"""The similarity in percent below which two names have nearly nothing in common."""

_LEAST_NAME = 4
_SAME_NAME = 90
"""The similarity in percent above which two names are the same product: shops write names in several ways."""


def described_list(nodes: Sequence[Node]) -> str:
    """Return how structured data describes a page as a list of products; empty when it does not."""
    return next((kind for node in nodes if not node.is_aside and (kind := _list_type(node))), "")


def is_one_of_many(node: Node, nodes: Sequence[Node], anchors: PageAnchors) -> bool:
    """Return whether a product is one of several that a page describes in the same way, and not the page's own."""
    names = {name for one in nodes if one.source is node.source and (name := _offered_name(one))}
    if len(names) < _SEVERAL:
        return False
    if any(path_of(address) in anchors.paths for one in (node, *node.nodes("offers")) if (address := one.text("url"))):
        return False
    name = _offered_name(node)
    if len(names) < LEAST_CARDS:
        return max((fuzz.token_set_ratio(name, title) for title in anchors.titles), default=100) < _OTHER_NAME
    return not any(_is_same(name, title) for title in anchors.titles)


def _offered_name(node: Node) -> str:
    if node.is_aside or not node.types & PRODUCTS or not node.nodes("offers"):
        return ""
    return node.text("name")[:300].casefold()


def _is_same(name: str, title: str) -> bool:
    """Return whether a title begins with a name, or a name with the title, as those of variants do."""
    if min(len(name), len(title)) >= _LEAST_NAME and (title.startswith(name) or name.startswith(title)):
        return True
    return fuzz.ratio(name, title) >= _SAME_NAME


def _list_type(node: Node) -> str:
    kinds = node.types & _LISTS
    if not kinds:
        return ""
    entries = node.nodes("itemlistelement")
    entries = [inner for entry in entries for inner in (entry.nodes("item") or [entry])]
    products = sum(bool(one.types & PRODUCTS or one.nodes("offers")) for one in entries)
    is_list = products >= LEAST_CARDS or "itemlist" not in kinds
    return f"structured data describes the page as {min(kinds)}" if is_list else ""
