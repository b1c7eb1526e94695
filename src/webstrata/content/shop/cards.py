"""Repeated cards: neighbouring elements with the same structure, such as the products of a list."""

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import islice, pairwise, takewhile
from urllib.parse import urljoin

from webstrata.content.tree import Element

LEAST_CARDS = 3
"""From this number on, neighbouring elements of the same structure are a list."""

_THINGS = "a[href], img, h2, h3, h4"
_HIGHEST = 14
"""How many ancestors of a mark are checked."""

_CARD_HEIGHT = 5
_MOST_LINKS = 6
"""The most links of one card: image, name, brand, ratings."""

_HEADINGS = ("h2", "h3", "h4", "h5")
_NAMING = 'h2, h3, h4, h5, [itemprop~="name"]'
_CALLED_NAME = re.compile("title|name", re.IGNORECASE)
_NO_CARD = re.compile(
    r"^(?:javascript|data|mailto|tel):|\.(?:jpe?g|png|webp|gif|avif)(?:\?|$)"
    r"|/(?:brands?|manufacturers?|vendors?|sellers?|marken?|marques?|marcas?|hersteller)(?:[/?._-]|$)",
    re.IGNORECASE,
)
"""Addresses that are not product pages: scripts, full-size images, brands."""


def elements_in_cards(elements: Iterable[Element], title: Element | None = None) -> frozenset[Element]:
    """Return the elements that are in cards: neighbouring elements with the same structure, each with such an element.

    A card also has a link, an image or a heading, unlike the rows of a price table. An element with the page's title is
    not a card.
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


def elements_in_linked_cards(elements: Iterable[Element], title: Element | None, url: str) -> frozenset[Element]:
    """Return those elements that are in a card of another page: a block whose image and name both lead there.

    So a list with one or two entries is recognised. An element with the page's title is not a card.
    """
    if title is None:
        return frozenset()
    around_title = frozenset(_chain(title))
    known: dict[Element, bool] = {}
    return frozenset(element for element in elements if _is_in_linked_card(element, around_title, url, known))


def _is_in_linked_card(
    element: Element, around_title: frozenset[Element], url: str, known: dict[Element, bool]
) -> bool:
    for block in _chain(element, around_title)[: _CARD_HEIGHT + 1]:
        if block in around_title:
            return False
        if block not in known:
            known[block] = _leads_elsewhere(block, url)
        if known[block]:
            return True
    return False


def _leads_elsewhere(block: Element, url: str) -> bool:
    """Return whether an image and a name in a block link to the same other page, or the block itself is such a link."""
    if block.tag == "a" and next(block.iter_elements("img"), None) is not None:
        return _page(block, url) not in {"", _path(url)}
    links = list(islice(block.iter_elements("a"), _MOST_LINKS + 1))
    if not 0 < len(links) <= _MOST_LINKS:
        return False
    shown = {_page(link, url) for link in links if next(link.iter_elements("img"), None) is not None}
    named = {_page(link, url) for link in links if _is_name(link, block)}
    return bool((shown & named) - {"", _path(url)})


def _is_name(link: Element, block: Element) -> bool:
    """Return whether a link is the name of a card: it is in a heading, or its class names it so."""
    if not link.text.strip():
        return False
    if link.select_one(_NAMING) is not None:
        return True
    around = islice(takewhile(lambda one: one is not block, _chain(link)), 3)
    return any(one.tag in _HEADINGS or _CALLED_NAME.search((one.attr("class") or "")[:200]) for one in around)


def _page(link: Element, url: str) -> str:
    """Return the path that a link leads to; empty for scripts, image files and fragments."""
    href = (link.attr("href") or "").strip()[:500]
    if not href or href.startswith("#") or _NO_CARD.search(href):
        return ""
    try:
        return _path(urljoin(url, href))
    except ValueError:  # such as http://[
        return ""


def _path(address: str) -> str:
    return address.partition("#")[0].partition("?")[0].rstrip("/")


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
    """Return the key that elements of the same structure share: the tag and the first class without its numbers."""
    return _plain_build(element.tag, (element.attr("class") or "")[:200])


@lru_cache(maxsize=8_192)
def _plain_build(tag: str, classes: str) -> str:
    first = next(iter(classes.split()), "")
    return f"{tag}.{''.join(letter for letter in first if not letter.isdigit())}"


def _has_thing(card: Element) -> bool:
    """Return whether a card has a link, an image or a heading."""
    return (card.tag == "a" and card.attr("href") is not None) or card.select_one(_THINGS) is not None
