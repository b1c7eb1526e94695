"""Chooses the node of structured data that describes the page's own product or property."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from webstrata.content.listing.structured import Node
from webstrata.model.collections.listing import ListingKind

_PRODUCTS = frozenset(
    {
        *("product", "individualproduct", "productmodel", "productgroup", "someproducts", "vehicle", "car"),
        *("motorcycle",),
        *("book", "softwareapplication", "mobileapplication", "videogame", "drug", "hproduct"),
    }
)
PROPERTIES = frozenset(
    {
        *("realestatelisting", "apartment", "house", "singlefamilyresidence", "residence", "accommodation", "suite"),
        *("apartmentcomplex", "gatedresidencecommunity", "condominium"),
    }
)
_OTHERS = frozenset(
    {
        *("event", "musicevent", "course", "service", "organization", "localbusiness", "store", "hotel", "restaurant"),
        *("offercatalog", "menuitem", "person", "article", "newsarticle", "jobposting", "flight", "trip", "webpage"),
    }
)
"""Types that may have offers, but are neither a product nor a property."""

_OFFERS = frozenset({"offer", "aggregateoffer"})
_MAX_CANDIDATES = 200
_LIKE_TITLE = 0.6
_SURELY_TITLE = 0.85
_UNLIKE_TITLE = 0.45
_LIST_PAGE = 3
"""From this number on, priced products whose names differ from the page's title are a list of products."""


@dataclass(frozen=True)
class PageAnchors:
    """The page's titles and addresses, by which its own product is recognised among others."""

    titles: tuple[str, ...]
    paths: frozenset[str]


def main_nodes(nodes: Sequence[Node], anchors: PageAnchors) -> list[Node]:
    """Return the nodes of the page's own product: at most one of each form of structured data."""
    found = []
    for source in dict.fromkeys(node.source for node in nodes):
        node = _main_node([one for one in nodes if one.source is source], anchors)
        if node is not None:
            found.append(node)
    return found


def kind_of_node(node: Node) -> ListingKind:
    """Return whether a node describes a property or a product."""
    return ListingKind.PROPERTY if node.types & PROPERTIES else ListingKind.PRODUCT


def _main_node(nodes: Sequence[Node], anchors: PageAnchors) -> Node | None:
    eligible = [node for node in nodes if _is_offered(node)][:_MAX_CANDIDATES]
    if not eligible:
        return _lone_offer(nodes)
    best = max(eligible, key=lambda node: _score(node, anchors))
    likeness = _likeness(best, anchors)
    if likeness < _SURELY_TITLE and _are_elsewhere(eligible, anchors):
        return None
    if likeness < _LIKE_TITLE and not _is_at(best, anchors) and _is_another(best, eligible, anchors):
        return None
    if best.is_aside and (likeness < _SURELY_TITLE or not best.properties.get("offers")):
        return None
    whole = best if best.properties.get("offers") else _with_lone_offer(best, nodes)
    return _with_property(whole, eligible, anchors)


def _is_another(best: Node, eligible: Sequence[Node], anchors: PageAnchors) -> bool:
    """Return whether a node that is not named like the page is a related product, or one of a list."""
    if best.is_aside or sum(bool(node.nodes("offers")) for node in eligible) > _LIST_PAGE:
        return True
    if len({node.text("name").casefold() for node in eligible}) > 1 and anchors.titles:
        return True
    address = path_of(best.text("url", "@id"))
    return len(address) > 1 and address not in anchors.paths and _likeness(best, anchors) < _UNLIKE_TITLE


def _are_elsewhere(eligible: Sequence[Node], anchors: PageAnchors) -> bool:
    """Return whether the nodes are a list of products: several with offers, all with addresses of other pages."""
    addresses = [path_of(node.text("url", "@id")) for node in eligible if node.nodes("offers")]
    paths = set(addresses)
    return len(paths) > 1 and all(len(one) > 1 for one in addresses) and paths.isdisjoint(anchors.paths)


def _is_offered(node: Node) -> bool:
    if node.types & (_PRODUCTS | PROPERTIES):
        return True
    return bool(node.nodes("offers")) and not node.types & _OTHERS


def _score(node: Node, anchors: PageAnchors) -> float:
    score = 3 * _likeness(node, anchors) + 1.5 * _is_at(node, anchors) - 3 * node.is_aside
    return score + bool(node.properties.get("offers")) + 0.5 * bool(node.types & (_PRODUCTS | PROPERTIES))


def _likeness(node: Node, anchors: PageAnchors) -> float:
    """Return the similarity of a node's name and the page's title, from 0 to 1."""
    name = node.text("name")[:300].casefold()
    if not name:
        return 0.5
    if name.startswith(("/", "http:", "https:")):
        return 0.2
    return max((fuzz.token_set_ratio(name, title) / 100 for title in anchors.titles), default=0.5)


def _is_at(node: Node, anchors: PageAnchors) -> bool:
    stated = [node, *node.nodes("offers")[:20]]
    return any(path_of(address) in anchors.paths for one in stated if (address := one.text("url", "@id")))


def path_of(address: str) -> str:
    """Return the path of an address, to compare addresses that differ in scheme, host, query and final slash."""
    rest = address.partition("://")[2] or address
    path = rest[rest.find("/") :] if "/" in rest else ""
    return path.partition("#")[0].partition("?")[0].rstrip("/")


def _with_property(best: Node, eligible: Sequence[Node], anchors: PageAnchors) -> Node:
    """Return a product with the property that the page describes beside it under the same name."""
    if best.types & PROPERTIES:
        return best
    for node in eligible:
        if node.types & PROPERTIES and not node.is_aside and _likeness(node, anchors) >= _SURELY_TITLE:
            return Node(best.source, best.types | node.types, {**node.properties, **best.properties})
    return best


def _with_lone_offer(product: Node, nodes: Sequence[Node]) -> Node:
    """Return a product with the offer that the page describes beside it, as happens with sloppy microdata."""
    lone = _lone_offer(nodes)
    if lone is None or sum(_is_offered(node) for node in nodes) > 1:
        return product
    return Node(product.source, product.types, {**product.properties, "offers": lone.properties["offers"]})


def _lone_offer(nodes: Sequence[Node]) -> Node | None:
    """Return the offer of a page that belongs to no product, as a product; None when there are several."""
    owned = {id(offer) for node in nodes for offer in node.nodes("offers", "makesoffer", "itemoffered", "hasvariant")}
    lone = [node for node in nodes if node.types & _OFFERS and id(node) not in owned and not node.is_aside]
    if not 0 < len(lone) <= _LIST_PAGE:
        return None
    described = lone[0].nodes("itemoffered")
    properties = dict(described[0].properties if described else {})
    return Node(lone[0].source, frozenset({"product"}), {**properties, "offers": tuple(lone)})


def title_keys(titles: Iterable[str]) -> tuple[str, ...]:
    """Return the keys of titles, for comparison."""
    return tuple(dict.fromkeys(" ".join(title.split())[:300].casefold() for title in titles if title.strip()))
