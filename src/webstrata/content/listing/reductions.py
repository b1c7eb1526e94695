"""Recognises reduced prices that no word marks: two adjacent amounts, of which the lower one is the price.

A pair is confirmed by a percentage or a saving that is shown with it, or by having nothing between the amounts.
"""

import re
from collections.abc import Sequence
from decimal import Decimal

from webstrata.content.listing.money import MoneyHints, MoneySpan, find_money, tidy_text
from webstrata.content.listing.scan import parents_of, price_text
from webstrata.content.tree import Element

_MOST_AROUND = 4
_LONGEST_TEXT = 200
_MOST_REDUCED = 20
_ROUNDED = Decimal("1.01")
"""The largest difference, in percentage points, between a shown percentage and that of the two amounts."""

_PERCENT = re.compile(r"(?<![\d.,])(\d{1,2})(?:[.,]\d)? ?[%％]")
_TOPS = frozenset({"body", "html", "main"})


def is_reduced_pair(low: Element, high: Element, amounts: tuple[Decimal, Decimal], hints: MoneyHints) -> bool:
    """Return whether two elements show a price and the one before its reduction; `amounts` begin with the lower."""
    if not 0 < amounts[0] < amounts[1] <= amounts[0] * _MOST_REDUCED:
        return False
    for around in _around_both(low, high):
        text = tidy_text(price_text(around))
        if not 0 < len(text) <= _LONGEST_TEXT:
            return False
        spans = list(find_money(text, hints))
        if _is_confirmed(text, spans, amounts) or _are_adjacent(text, spans, amounts):
            return True
    return False


def _around_both(first: Element, second: Element) -> list[Element]:
    """Return the nearest common ancestors of two elements, the innermost first."""
    around = list(parents_of(second, _MOST_AROUND))
    return [one for one in parents_of(first, _MOST_AROUND) if one in around and one.tag not in _TOPS]


def _is_confirmed(text: str, spans: Sequence[MoneySpan], amounts: tuple[Decimal, Decimal]) -> bool:
    """Return whether a text shows the saving or the percentage of the reduction."""
    low, high = amounts
    part = (1 - low / high) * 100
    if any(abs(Decimal(found[1]) - part) < _ROUNDED for found in _PERCENT.finditer(text)):
        return True
    return {low, high, high - low} <= {span.money.amount for span in spans} and high != 2 * low


def _are_adjacent(text: str, spans: Sequence[MoneySpan], amounts: tuple[Decimal, Decimal]) -> bool:
    """Return whether a text shows two amounts with nothing between them, and no third one."""
    if len(spans) != len(amounts) or {span.money.amount for span in spans} != set(amounts):
        return False
    return not text[spans[0].end : spans[1].start].strip()
