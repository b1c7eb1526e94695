"""Corrections of what shops state by mistake, by what the page shows."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from webstrata.content.listing.candidates import Candidate
from webstrata.content.listing.currencies import WITHOUT_DECIMALS
from webstrata.model.collections.listing import Money

_HUNDRED = Decimal(100)


def correct_hundredths(stated: Sequence[Candidate], shown: Money | None) -> list[Candidate]:
    """Return candidates whose prices are in the unit of the shown price: one that is a hundred times it is in cents."""
    if shown is None or shown.currency in WITHOUT_DECIMALS:
        return list(stated)
    return [_corrected(one, shown) for one in stated]


def _corrected(one: Candidate, shown: Money) -> Candidate:
    value = one.value
    if one.field != "price" or not isinstance(value, Money) or value.amount != shown.amount * _HUNDRED:
        return one
    return replace(one, value=replace(value, amount=value.amount / _HUNDRED))
