"""Correction of common mistakes in structured data, by comparison with what the page shows."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from webstrata.content.listing.candidates import Candidate
from webstrata.content.listing.currencies import WITHOUT_DECIMALS
from webstrata.model.collections.listing import Money

_HUNDRED = Decimal(100)
_THOUSAND = Decimal(1_000)
_STRUCK = 0.4
"""The factor for the confidence of a stated price that the page shows as the price before a reduction."""


def correct_stated_prices(stated: Sequence[Candidate], shown: Money | None, regular: Money | None) -> list[Candidate]:
    """Return candidates whose prices are in the unit of the shown price.

    A price of a hundred times the shown one is in cents; in one of a thousandth, a point separates thousands.
    """
    if shown is None:
        return list(stated)
    return [_lowered(_corrected(one, shown), shown, regular) for one in stated]


def _corrected(one: Candidate, shown: Money) -> Candidate:
    value = one.value
    if one.field != "price" or not isinstance(value, Money):
        return one
    is_in_cents = value.amount == shown.amount * _HUNDRED and shown.currency not in WITHOUT_DECIMALS
    is_in_thousands = value.amount * _THOUSAND == shown.amount and value.amount != value.amount.to_integral_value()
    return replace(one, value=replace(value, amount=shown.amount)) if is_in_cents or is_in_thousands else one


def _lowered(one: Candidate, shown: Money, regular: Money | None) -> Candidate:
    """Return a candidate with less confidence if its price is crossed out on the page: the shop forgot to update it."""
    value = one.value
    if one.field != "price" or regular is None or not isinstance(value, Money) or value.amount != regular.amount:
        return one
    return replace(one, confidence=round(one.confidence * _STRUCK, 2)) if shown.amount < regular.amount else one
