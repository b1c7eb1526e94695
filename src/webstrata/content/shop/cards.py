"""Repeated cards: elements side by side that are built alike, as the products of a list are."""

from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

from webstrata.content.tree import Element

LEAST_CARDS = 3
"""So many neighbours that are built alike are a list."""

_THINGS = "a[href], img, h2, h3, h4"
_HIGHEST = 14
"""Elements around a mark that are looked at."""


def elements_in_cards(elements: Iterable[Element], title: Element | None = None) -> frozenset[Element]:
    """Return those elements that are in cards: neighbours that are built alike, each with such an element.

    A card also has a link, an image or a heading: rows of a price table have none of these. What holds the title of
    the page is no card.
    """
    around_title = frozenset(_chain(title)) if title is not None else frozenset()
    chains = {element: _chain(element, around_title) for element in elements}
    branches: dict[tuple[Element, str], set[Element]] = {}
    for chain in chains.values():
        for inner, outer in pairwise(chain):
            branches.setdefault((outer, _build(inner)), set()).add(inner)
    lists = {
        key: cards
        for key, cards in branches.items()
        if len(cards) >= LEAST_CARDS and sum(map(_has_thing, cards)) >= LEAST_CARDS
    }
    if not lists:
        return frozenset()
    return frozenset(
        element
        for element, chain in chains.items()
        if any((outer, _build(inner)) in lists for inner, outer in pairwise(chain))
    )


def _chain(element: Element, last: frozenset[Element] = frozenset()) -> list[Element]:
    """Return an element and those around it, up to the first of some last elements or the page's body."""
    chain = [element]
    parent = element.parent
    while isinstance(parent, Element) and parent.tag != "html" and len(chain) <= _HIGHEST:
        chain.append(parent)
        if parent in last:
            break
        parent = parent.parent
    return chain


def _build(element: Element) -> str:
    """Return what elements that are built alike share: the tag and the first class, without its numbers."""
    return _plain_build(element.tag, (element.attr("class") or "")[:200])


@lru_cache(maxsize=8_192)
def _plain_build(tag: str, classes: str) -> str:
    first = next(iter(classes.split()), "")
    return f"{tag}.{''.join(letter for letter in first if not letter.isdigit())}"


def _has_thing(card: Element) -> bool:
    """Return whether a card shows or leads to something of its own."""
    return (card.tag == "a" and card.attr("href") is not None) or card.select_one(_THINGS) is not None
