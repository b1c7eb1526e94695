"""Roles of an amount by the words around it: in its own text, and in elements that contain no other amount."""

from collections.abc import Callable, Sequence
from decimal import Decimal

from webstrata.content.listing.money import MoneyHints, MoneySpan, find_money, tidy_text
from webstrata.content.listing.price_words import PriceRole, roles_of_context, roles_of_names
from webstrata.content.listing.scan import names_of, parents_of, price_text
from webstrata.content.tree import Element

_CONTEXT = 40
"""How many characters before and after an amount are searched for labels."""

_MOST_AROUND = 4
_LIST = 4
"""From this number on, different amounts in elements of the same path are a list."""

_LONGEST_LABEL = 60
"""Characters of a price with its label, such as `Recommended retail price: € 1,299.00 incl. VAT`."""

_LONGEST_NOTE = 90
"""The longest paragraph with a price and its notes; longer ones are prose."""

_OF_LONE = frozenset(
    {PriceRole.OLD, PriceRole.SAVING, PriceRole.UNIT, PriceRole.INSTALMENT, PriceRole.TAX, PriceRole.DELIVERY}
)
_TOPS = frozenset({"body", "html", "main"})


def roles_of_spans(text: str, spans: Sequence[MoneySpan]) -> list[frozenset[PriceRole]]:
    """Return the roles of each amount of a text by the words between them.

    In a text that begins with an amount, words that label the amount before them do not label the next one as well.
    """
    labels_follow = not text[: spans[0].start].strip() if spans else False
    roles: list[frozenset[PriceRole]] = []
    start, is_taken = 0, False
    for place, span in enumerate(spans):
        end = spans[place + 1].start if place + 1 < len(spans) else len(text)
        before = "" if is_taken else text[max(start, span.start - _CONTEXT) : span.start]
        after = text[span.end : min(end, span.end + _CONTEXT)]
        roles.append(roles_of_context(before, after))
        is_taken = labels_follow and bool(roles_of_context("", after))
        start = span.end
    return roles


def roles_of_lone(element: Element, amount: Decimal, hints: MoneyHints) -> frozenset[PriceRole]:
    """Return the roles from the elements that contain only one amount and its label."""
    found: set[PriceRole] = set()
    known = "".join(element.text.split())
    for parent in parents_of(element, _MOST_AROUND):
        shown = "".join(parent.text.split()) if parent.tag not in _TOPS else ""
        if not 0 < len(shown) <= _LONGEST_LABEL:
            break
        if shown != known:
            roles = _roles_of_label(parent, amount, hints)
            if roles is None:
                break
            found |= roles
            known = shown
        found |= roles_of_names(names_of(parent))
    return frozenset(found & _OF_LONE)


def is_in_sentence(element: Element) -> bool:
    """Return whether an amount is part of a paragraph of prose rather than an element of its own."""
    for one in (element, *parents_of(element, 2)):
        if one.tag == "p":
            return len(one.text) > _LONGEST_NOTE and "price" not in names_of(one)
    return False


def label_of(element: Element) -> str:
    """Return the text of an element that shows an amount, with that of the element around it if it is short."""
    parent = element.parent
    around = parent.text if isinstance(parent, Element) and parent.tag not in _TOPS else ""
    return around if len(around) <= _LONGEST_LABEL else element.text[:_LONGEST_LABEL]


def _roles_of_label(parent: Element, amount: Decimal, hints: MoneyHints) -> frozenset[PriceRole] | None:
    """Return the roles that the words in an element give to its amount; None when it shows another amount, too."""
    text = tidy_text(price_text(parent))
    spans = list(find_money(text, hints))
    if not spans or any(span.money.amount != amount for span in spans):
        return None
    return roles_of_context(text[max(0, spans[0].start - _CONTEXT) : spans[0].start], text[spans[-1].end :])


def range_around(element: Element, hints: MoneyHints, is_joined: Callable[[str], bool]) -> list[MoneySpan]:
    """Return both ends of the range that the elements around an amount show; empty when they show none."""
    for parent in parents_of(element, _MOST_AROUND):
        if parent.tag in _TOPS or len(parent.text) > 4 * _LONGEST_LABEL:
            return []
        text = tidy_text(price_text(parent))
        spans = list(find_money(text, hints))
        if len(spans) > 2 or len(text) > 2 * _LONGEST_LABEL:
            return []
        if len(spans) == 2:
            return spans if is_joined(text[spans[0].end : spans[1].start]) else []
    return []


def repeated_elements(prices: Sequence[tuple[Element, Decimal]]) -> set[Element]:
    """Return the elements of different amounts that have the same path of names: a list of products, or a table."""
    by_path: dict[tuple[str, ...], list[tuple[Element, Decimal]]] = {}
    for element, amount in prices:
        by_path.setdefault(_path_of(element), []).append((element, amount))
    lists = (members for members in by_path.values() if len({amount for _, amount in members}) >= _LIST)
    return {element for members in lists for element, _ in members}


def _path_of(element: Element) -> tuple[str, ...]:
    """Return tags and names of an element and of those around it; without any name it is no path to compare."""
    chain = [one for one in (element, *parents_of(element, _MOST_AROUND)) if one.tag not in _TOPS]
    path = tuple(f"{one.tag} {one.attr('class') or ''}" for one in chain)
    return path if any(one.attr("class") for one in chain) else (str(id(element)),)
