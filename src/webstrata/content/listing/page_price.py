"""The price that a page shows: the amount with the best score, which is near the title and the buy button.

Prices of other products, crossed-out prices, instalments, delivery costs and prices per unit are recognised by the
names of the elements around them and by the words beside them (`price_words.py`).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from math import exp
from typing import NamedTuple

from webstrata.content.listing.money import MAX_TEXT, MoneyHints, find_money, money_of, tidy_text
from webstrata.content.listing.price_labels import (
    is_in_sentence,
    label_of,
    range_around,
    repeated_elements,
    roles_of_lone,
    roles_of_spans,
)
from webstrata.content.listing.price_words import CURRENT_NAME, TAX_INCLUDED, PriceRole
from webstrata.content.listing.reductions import is_reduced_pair
from webstrata.content.listing.scan import Mark, PageScan, is_price_named, names_of, parents_of, price_text
from webstrata.content.listing.surroundings import Around, Surroundings, own_roles
from webstrata.content.tree import Element
from webstrata.model.collections.listing import Money

ACCEPTED = 3.3
"""The lowest score of a reported price: that of an amount with a currency, named a price, near title or button."""

_NEAR_TITLE = 125
_NEAR_BUTTON = 75
_BEFORE_TITLE = 30
_NEAR_START = 500
"""The distance, in elements, at which the weight of a title or a button falls to about a third."""

_GRID = 3
"""From this number on, prices in elements of the same names are a list of products."""

_IN_LIST = 4.0
"""The penalty of a price in a list, whose elements and their parents have the same names as those of other prices."""

_IN_SENTENCE = 2.5
_NEARBY = 60
"""The largest distance, in elements, between a price and the price before its reduction."""

_RIVAL = 2.0
"""The largest difference in score of two adjacent prices of a reduction: only one may be named a price."""

_BESIDE = 12
_MOST_INSIDE = 40
_MOST_REDUCED = 20
_RANGE_WORDS = frozenset({"-", "to", "bis", "à", "a", "~", "al", "do", "až", "until", "til", "til og med", "〜", "～"})
_ROLE_COSTS = {
    PriceRole.OLD: 3.0,
    PriceRole.SAVING: 5.0,
    PriceRole.UNIT: 5.0,
    PriceRole.INSTALMENT: 5.0,
    PriceRole.DELIVERY: 5.0,
    PriceRole.TAX: 3.0,
    PriceRole.OTHER_PRODUCT: 4.0,
    PriceRole.CART: 5.0,
    PriceRole.USED: 3.0,
    PriceRole.FILTER: 4.0,
    PriceRole.CONVERTED: 3.0,
}


_UNKNOWN = Around()


class ShownPrice(NamedTuple):
    """An amount that a page shows, and how likely it is to be the product's price."""

    money: Money
    text: str
    element: Element
    place: int
    score: float
    roles: frozenset[PriceRole]
    has_currency: bool
    signature: str
    """The names of its element, which the prices of a list share."""
    names: str
    """The names of its element and of the two around it."""
    around: Around
    before: Money | None = None
    """The price before the reduction, if the same text shows it."""


@dataclass(frozen=True)
class PagePrices:
    """The price of a page, the price before its reduction, and the highest of a range."""

    price: ShownPrice | None = None
    regular: ShownPrice | None = None
    high: Money | None = None


def page_prices(scan: PageScan, hints: MoneyHints) -> PagePrices:
    """Return the prices that a page shows for its product."""
    surroundings = Surroundings()
    amounts = _without_outer([one for mark in scan.prices if (one := _amount(mark, hints)) is not None])
    if not amounts:
        return PagePrices()
    shown = [_shown(one, surroundings) for one in amounts]
    scored = [_labelled(one, hints) for one in _scored(shown, scan)]
    best = max(scored, key=lambda one: (one.score, -one.place))
    if best.score < ACCEPTED or not best.money.amount:
        return PagePrices()
    best, old = _reduced(scored, best, hints)
    low, high = _range(best, hints)
    regular = _regular(scored, best) or old or _before(best)
    return PagePrices(best._replace(money=low), regular, high)


def _before(best: ShownPrice) -> ShownPrice | None:
    if best.before is None or not best.money.amount < best.before.amount <= best.money.amount * _MOST_REDUCED:
        return None
    return best._replace(money=best.before)


def _shown(one: ShownPrice, surroundings: Surroundings) -> ShownPrice:
    """Return an amount with the facts from the elements around it."""
    around = surroundings.around(one.element)
    names = " ".join((one.names, *map(names_of, parents_of(one.element, 2))))
    return one._replace(roles=one.roles | around.roles, names=names, around=around)


def _amount(mark: Mark, hints: MoneyHints) -> ShownPrice | None:
    """Return the amount of an element; of several, the last one that its words do not mark as an old price."""
    text = tidy_text(mark.text)
    spans = list(find_money(text, hints))
    names = names_of(mark.element)
    if not spans:
        single = money_of(text, hints) if is_price_named(names) else None
        if single is None:
            return None
        spans = [single]
    roles = roles_of_spans(text, spans)
    if len(spans) > 1:
        inside = _roles_inside(mark.element, hints)
        roles = [found | inside.get(span.money.amount, frozenset()) for found, span in zip(roles, spans, strict=True)]
    plain = [place for place, found in enumerate(roles) if not found]
    chosen = plain[0] if plain else 0
    span = spans[chosen]
    beside = None if span.has_currency else _money_beside(mark, span.money, hints)
    return ShownPrice(
        money=beside or span.money,
        text=text,
        element=mark.element,
        place=mark.place,
        score=0.0,
        roles=roles[chosen],
        has_currency=span.has_currency or beside is not None,
        signature=names or mark.element.tag,
        names=names,
        around=_UNKNOWN,
        before=next((one.money for one, found in zip(spans, roles, strict=True) if PriceRole.OLD in found), None),
    )


def _roles_inside(element: Element, hints: MoneyHints) -> dict[Decimal, frozenset[PriceRole]]:
    """Return the roles of amounts by the elements inside an element, such as crossed-out ones."""
    found: dict[Decimal, frozenset[PriceRole]] = {}
    for inner in islice(element.iter_elements(), _MOST_INSIDE):
        roles = own_roles(inner)
        spans = list(find_money(tidy_text(price_text(inner)), hints)) if roles else []
        if len(spans) == 1:
            found[spans[0].money.amount] = found.get(spans[0].money.amount, frozenset()) | roles
    return found


def _money_beside(mark: Mark, money: Money, hints: MoneyHints) -> Money | None:
    """Return an amount with the currency that the element around it shows; None when it shows none."""
    for parent in parents_of(mark.element, 2):
        text = tidy_text(price_text(parent))
        if not text or len(text) > MAX_TEXT:
            return None
        for span in find_money(text, hints):
            if span.has_currency and span.money.amount == money.amount:
                return span.money
    return None


def _without_outer(shown: Sequence[ShownPrice]) -> list[ShownPrice]:
    """Return the prices without those that are parts of others, such as cents, and without those that only contain
    others.

    An element with its own amount beside the amounts inside it is not removed: `149 € <s>199 €</s>`.
    """
    by_element = {one.element: one for one in shown}
    whole = [
        one
        for one in shown
        if not any(_is_part(one, by_element[parent]) for parent in parents_of(one.element, 3) if parent in by_element)
    ]
    inside: dict[Element, set[Decimal]] = {}
    for one in whole:
        for parent in parents_of(one.element, 4):
            inside.setdefault(parent, set()).add(one.money.amount)
    return [one for one in whole if _is_own_amount(one, inside.get(one.element))] or whole


def _is_part(one: ShownPrice, outer: ShownPrice) -> bool:
    """Return whether an amount is only a part of that of an element around it, or the same without its currency."""
    if one.has_currency:
        return False
    if one.money.amount == outer.money.amount:
        return outer.has_currency
    return _digits(one.money.amount) in _digits(outer.money.amount)


def _digits(amount: Decimal) -> str:
    return str(amount).replace(".", "")


def _is_own_amount(one: ShownPrice, inside: set[Decimal] | None) -> bool:
    return inside is None or (one.has_currency and len(inside) == 1 and one.money.amount not in inside)


def _scored(shown: Sequence[ShownPrice], scan: PageScan) -> list[ShownPrice]:
    signatures = Counter(one.signature for one in shown)
    repeated = repeated_elements([(one.element, one.money.amount) for one in shown])
    amounts = Counter(one.money.amount for one in shown)
    buttons = _own_buttons(scan)
    scores = (
        _score(one, scan.title, buttons, signatures[one.signature], amounts[one.money.amount])
        - _IN_LIST * (one.element in repeated)
        for one in shown
    )
    return [one._replace(score=round(score, 2)) for one, score in zip(shown, scores, strict=True)]


def _labelled(one: ShownPrice, hints: MoneyHints) -> ShownPrice:
    """Return a price with the roles from its label; these are read only for prices with a sufficient score."""
    if PriceRole.TAX in one.roles and TAX_INCLUDED.search(label_of(one.element)):
        one = one._replace(roles=one.roles - {PriceRole.TAX}, score=one.score + _ROLE_COSTS[PriceRole.TAX])
    if one.score < ACCEPTED:
        return one
    added = roles_of_lone(one.element, one.money.amount, hints) - one.roles
    costs = sum(_ROLE_COSTS[role] for role in added) + _IN_SENTENCE * is_in_sentence(one.element)
    return one._replace(roles=one.roles | added, score=one.score - costs)


def _own_buttons(scan: PageScan) -> list[int]:
    """Return the places of the buttons that may be the product's own: the first ones after the title."""
    places = [mark.place for mark in (*scan.buttons, *scan.waiting)]
    after = [place for place in places if scan.title is None or place > scan.title.place]
    return (after or places)[:3]


def _score(one: ShownPrice, title: Mark | None, buttons: Sequence[int], alike: int, same: int) -> float:
    names = one.names
    score = 2.0 * one.has_currency + 1.5 * is_price_named(names) + 1.0 * bool(CURRENT_NAME.search(names))
    is_one_of_many = alike >= _GRID and same < alike
    score += 1.5 * (one.element.attr("itemprop") == "price" and not is_one_of_many)
    score += min(same - 1, 3) * 0.4
    if title is not None:
        distance = one.place - title.place
        score += 3.0 * exp(-distance / _NEAR_TITLE) if distance >= 0 else -0.5 + 2.5 * exp(distance / _BEFORE_TITLE)
    else:
        score += exp(-one.place / _NEAR_START)
    if buttons:
        score += 2.5 * max(exp(-abs(one.place - place) / _NEAR_BUTTON) for place in buttons)
    score -= sum(_ROLE_COSTS[role] for role in one.roles)
    score -= 2.5 * is_one_of_many
    score -= 2.0 * one.around.is_in_link
    score -= 1.5 * one.around.is_hidden
    return score


def _reduced(scored: Sequence[ShownPrice], best: ShownPrice, hints: MoneyHints) -> tuple[ShownPrice, ShownPrice | None]:
    """Return the price, and the price before its reduction if both are adjacent without a word that explains them."""
    for one in sorted(scored, key=lambda one: abs(one.place - best.place)):
        if one.roles != best.roles or one.score < best.score - _RIVAL or abs(one.place - best.place) > _BESIDE:
            continue
        low, high = sorted((one, best), key=lambda either: either.money.amount)
        if is_reduced_pair(low.element, high.element, (low.money.amount, high.money.amount), hints):
            return low, high
    return best, None


def _regular(scored: Sequence[ShownPrice], best: ShownPrice) -> ShownPrice | None:
    """Return the price before the reduction: marked as such, near the price, and higher."""
    least, most = best.money.amount, best.money.amount * _MOST_REDUCED
    others = best.roles - {PriceRole.OLD}
    old = [
        one
        for one in scored
        if PriceRole.OLD in one.roles
        and least < one.money.amount <= most
        and abs(one.place - best.place) <= _NEARBY
        and one.roles - {PriceRole.OLD} <= others
    ]
    return min(old, key=lambda one: abs(one.place - best.place), default=None)


def _range(best: ShownPrice, hints: MoneyHints) -> tuple[Money, Money | None]:
    """Return both ends of a range such as `12 € - 15 €`, in one element or in two; without one, the price alone."""
    spans = list(find_money(best.text, hints))
    if len(spans) == 1:
        spans = range_around(best.element, hints, _is_joined)
    elif len(spans) == 2 and not _is_joined(best.text[spans[0].end : spans[1].start]):
        spans = []
    if len(spans) != 2:
        return best.money, None
    low, high = spans[0].money, spans[1].money
    return (low, high) if high.amount > low.amount else (best.money, None)


def _is_joined(between: str) -> bool:
    """Return whether the words between two amounts make a range of them."""
    return between.strip().casefold() in _RANGE_WORDS
