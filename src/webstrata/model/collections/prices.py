"""Price changes of listings: whether a price changed, by how much, by which percentage and in which direction."""

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from webstrata.model.collections.listing import Money

_CENTS = Decimal("0.01")


class PriceDirection(StrEnum):
    """The direction of a price since the one before."""

    FIRST = "first"
    """There is no price before it."""
    UP = "up"
    DOWN = "down"
    CURRENCY = "currency"
    """It is in another currency, so that the two cannot be compared."""


@dataclass(frozen=True)
class PriceMove:
    """A price change: its direction, its amount, and its percentage of the previous price."""

    direction: PriceDirection
    amount: Decimal | None = None
    percent: Decimal | None = None
    """With two decimals; None after a price of zero."""


def current_price(before: Money | None, seen: Money | None) -> Money | None:
    """Return a listing's price after a capture: the previous one if the capture has none.

    If the capture shows no currency, the previous currency is used.
    """
    if seen is None or before is None:
        return seen or before
    return Money(seen.amount, seen.currency or before.currency)


def has_price_changed(before: Money | None, after: Money | None) -> bool:
    """Return whether two prices differ in amount or in known currencies."""
    if before is None or after is None:
        return after is not None
    is_other_currency = None not in (before.currency, after.currency) and before.currency != after.currency
    return is_other_currency or before.amount != after.amount


def price_move(before: Money | None, after: Money) -> PriceMove:
    """Return how a price differs from the one before."""
    if before is None:
        return PriceMove(PriceDirection.FIRST)
    if None not in (before.currency, after.currency) and before.currency != after.currency:
        return PriceMove(PriceDirection.CURRENCY)
    amount = after.amount - before.amount
    percent = (100 * amount / before.amount).quantize(_CENTS) if before.amount else None
    return PriceMove(PriceDirection.UP if amount >= 0 else PriceDirection.DOWN, amount, percent)


def shown_amount(amount: Decimal | None) -> str | None:
    """Return an exact amount for JSON and the database: digits without an exponent."""
    return None if amount is None else f"{amount:f}"
