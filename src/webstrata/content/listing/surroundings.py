"""Facts about a price from its ancestors: roles by their names, whether it is in a link, whether it is hidden."""

from typing import NamedTuple

from webstrata.content.listing.price_words import PriceRole, roles_of_names
from webstrata.content.listing.scan import names_of, parents_of
from webstrata.content.tree import Element

_HIGHEST = 40
"""How many ancestors of a price are read; only generated markup is nested deeper."""

_STRUCK = frozenset({"del", "s", "strike"})
_EDGES = frozenset({"nav", "footer", "aside"})
_TOPS = frozenset({"body", "html", "main"})
_OUTER_ROLES = frozenset(
    {PriceRole.OTHER_PRODUCT, PriceRole.CART, PriceRole.FILTER, PriceRole.DELIVERY, PriceRole.INSTALMENT}
)
"""Roles that a price gets from any ancestor; other roles come only from its own element and the two nearest
ancestors."""

_NEAREST = 2
_HIDDEN = frozenset({"hidden", "hide", "d-none", "is-hidden", "u-hidden", "aok-hidden", "ng-hide", "no-display"})


class Around(NamedTuple):
    """Facts about the amounts in an element, from the element and those around it."""

    roles: frozenset[PriceRole] = frozenset()
    is_in_link: bool = False
    """Prices of other products are part of the links to them."""
    is_hidden: bool = False


_NOTHING = Around()


class Surroundings:
    """The surroundings of a page's elements; each element is read once."""

    def __init__(self) -> None:
        """Start without any."""
        self._own: dict[Element, Around] = {}
        self._outer: dict[Element, Around] = {}

    def around(self, element: Element) -> Around:
        """Return the facts from an element and all around it."""
        chain = self._chain(element)
        outer = self._outer_of(chain[-1]) if chain else _NOTHING
        # Looked up again, as the chain is empty when the element's surroundings were known already.
        nearest = (element, *parents_of(element, _NEAREST))
        near = [self._own_of(one) for one in nearest if one.tag not in _TOPS]
        above = self._fold(chain)
        roles = above.roles.union(outer.roles, *(one.roles for one in near))
        return Around(roles, above.is_in_link or outer.is_in_link, above.is_hidden or outer.is_hidden)

    def _chain(self, element: Element) -> list[Element]:
        """Return an element and those around it, up to the first whose surroundings are known or to the page's body."""
        chain: list[Element] = []
        current: object = element
        while isinstance(current, Element) and current.tag not in _TOPS and len(chain) < _HIGHEST:
            chain.append(current)
            if current in self._outer:
                break
            current = current.parent
        return chain

    def _outer_of(self, element: Element) -> Around:
        return self._outer.get(element, _NOTHING)

    def _fold(self, chain: list[Element]) -> Around:
        """Store the surroundings inside of each element of a chain; return those of the first."""
        result = _NOTHING
        for element in reversed(chain):
            known = self._outer.get(element)
            if known is None:
                known = self._outer[element] = _inside(result, self._own_of(element))
            result = known
        return result

    def _own_of(self, element: Element) -> Around:
        if element not in self._own:
            self._own[element] = _own(element)
        return self._own[element]


def _inside(outer: Around, own: Around) -> Around:
    """Return the surroundings of everything inside of an element."""
    if own is _NOTHING:
        return outer
    return Around(
        outer.roles | (own.roles & _OUTER_ROLES), outer.is_in_link or own.is_in_link, outer.is_hidden or own.is_hidden
    )


def _own(element: Element) -> Around:
    """Return the facts from one element alone."""
    tag = element.tag
    roles = own_roles(element)
    if tag in _EDGES:
        roles |= {PriceRole.OTHER_PRODUCT}
    is_in_link, hidden = tag == "a" and bool(element.attr("href")), is_hidden(element)
    return Around(roles, is_in_link, hidden) if roles or is_in_link or hidden else _NOTHING


def own_roles(element: Element) -> frozenset[PriceRole]:
    """Return the roles of an element by its names and by tags that cross out its content."""
    roles = roles_of_names(names_of(element))
    if element.tag in _STRUCK or "line-through" in (element.attr("style") or ""):
        return roles | {PriceRole.OLD}
    return roles


def is_hidden(element: Element) -> bool:
    """Return whether an element is hidden by its attributes, or by a class that common style sheets hide."""
    if element.attr("hidden") is not None:
        return True
    style, classes = element.attr("style"), element.attr("class")
    if style and "display:none" in style.replace(" ", "").lower():
        return True
    return classes is not None and not _HIDDEN.isdisjoint(classes.lower().split())
