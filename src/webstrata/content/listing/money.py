"""Parser of money in pages: amounts in the formats of many languages, as exact decimals with a currency."""

import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import NamedTuple

from price_parser import Price

from webstrata.content.listing.currencies import (
    AMBIGUOUS_SIGNS,
    CODES,
    CURRENCY_PATTERN,
    WITH_THREE_DECIMALS,
    WITHOUT_DECIMALS,
    currency_of,
)
from webstrata.content.listing.lower_case import AnyCase
from webstrata.model.collections.listing import Money

MAX_AMOUNT = Decimal(10) ** 13
"""Larger numbers are identifiers or garbage: the dearest homes cost less in any currency."""

_MOST_DECIMALS = 3
MAX_TEXT = 300
"""Characters of a text that are searched for money."""

_SPACES = re.compile(r"[\s\u00a0\u2007\u2009\u202f\u2060\u200e\u200f]+")
_ODD_MARKS = str.maketrans(
    {"’": "'", "‘": "'", "`": "'", "´": "'", "٫": ".", "٬": ",", "，": ",", "．": ".", "–": "-", "—": "-", "−": "-"}
)
_AMOUNT = r"(?:\d{1,3}(?:[ .,']\d{2,3})+(?:[.,]\d{1,2})?|\d+(?:[.,]\d{1,4})?)(?!\d)"
_DASH = r"(?:[.,] ?(?:-{1,2}|-))"
_NOT_INSIDE = r"(?<![.,])(?<![^\W\u2e80-\ud7ff\uf900-\ufaff])"
"""No part of a longer number or word may be before the first digit, except Chinese, Japanese and Korean characters."""

_MONEY = AnyCase(
    rf"(?P<before>{CURRENCY_PATTERN})[ :]{{0,2}}(?P<first>(?<![\d.,])[.]?{_AMOUNT})(?P<dash>{_DASH})?"
    rf"|(?P<second>{_NOT_INSIDE}{_AMOUNT})(?P<dash2>{_DASH})? ?(?P<after>{CURRENCY_PATTERN})(?P<cents>\d\d(?!\d))?"
    rf"|(?P<third>{_NOT_INSIDE}{_AMOUNT})(?P<only_dash>{_DASH})(?![\d\w])"
)
_CODE_AFTER = re.compile(r" ?([A-Z]{3})(?![A-Za-z])")
_CODE_BEFORE = re.compile(r"(?<![A-Za-z])([A-Z]{3}) ?$")
_PENCE = re.compile(r"(?<![\d.,\w])(\d{1,2})p(?!\w)")
_OTHER_DIGIT = re.compile(r"(?![0-9])\d")
_NUMBER = re.compile(rf"(?<![\w.,])[.]?{_AMOUNT}(?![\w%])")
_PLAIN = re.compile(r"\d{1,18}(?:\.\d{1,20})?")
_RANGE = re.compile(rf"({_AMOUNT}) ?(?:-|to|bis|à|~) ?{_AMOUNT}")
_MIXED_PAIR = re.compile(r"(\d{1,3}) (\d{2})")

_ANY_DIGIT = re.compile(r"\d")
_WITH_CENTS = re.compile(r"[0-9]{1,6}[.,][0-9]{2}")
_SPANS_CACHED = 1_024
"""A cache, as texts of a page are parsed several times: by themselves, as the text around a price, and for price
ranges."""


class MoneyHints(NamedTuple):
    """What a page states about its currency and number format."""

    country: str | None = None
    language: str | None = None
    currency: str | None = None
    """The currency that the page states elsewhere."""


class MoneySpan(NamedTuple):
    """Money in a text, and where it is."""

    money: Money
    start: int
    end: int
    has_currency: bool


def tidy_text(text: str) -> str:
    """Return a text with single spaces, plain digits and plain punctuation."""
    plain = _SPACES.sub(" ", text).strip().translate(_ODD_MARKS)
    return plain if plain.isascii() else _OTHER_DIGIT.sub(lambda found: str(int(found[0])), plain)


def find_money(text: str, hints: MoneyHints) -> Iterator[MoneySpan]:
    """Yield the amounts with a currency in a tidy text, from left to right."""
    return iter(_spans(text[:MAX_TEXT], hints))


@lru_cache(_SPANS_CACHED)
def _spans(text: str, hints: MoneyHints) -> tuple[MoneySpan, ...]:
    return tuple(_found(text, hints)) if _ANY_DIGIT.search(text) else ()


def _found(text: str, hints: MoneyHints) -> Iterator[MoneySpan]:
    for match in _MONEY.apply(text, re.Pattern.finditer):
        written = match["first"] or match["second"] or match["third"]
        symbol = match["before"] or match["after"]
        currency = _code_beside(text, match) or currency_of(symbol or ",-", hints.country, hints.language)
        if symbol is None:
            currency = hints.currency or currency
        if match["cents"]:
            written = f"{written}.{match['cents']}"
        amount = parse_amount(written, currency)
        if amount is not None:
            yield MoneySpan(Money(amount, currency), match.start(), match.end(), has_currency=symbol is not None)


def _code_beside(text: str, match: re.Match[str]) -> str | None:
    """Return the currency code beside an ambiguous sign, as in `$1,299.00 CAD`."""
    if (match["before"] or match["after"] or "").lower() not in AMBIGUOUS_SIGNS:
        return None
    before, after = _CODE_BEFORE.search(text, 0, match.start()), _CODE_AFTER.match(text, match.end())
    found = after or before
    return found[1] if found and found[1] in CODES else None


def money_of(text: str, hints: MoneyHints) -> MoneySpan | None:
    """Return the first money of a text, else its only number as an amount in the page's currency."""
    tidy = tidy_text(text[: 2 * MAX_TEXT])
    found = next(find_money(tidy, hints), None)
    if found is not None:
        return found
    if hints.country in {"gb", "uk"} and (pence := _PENCE.search(tidy[:MAX_TEXT])):
        return MoneySpan(Money(Decimal(pence[1]) / 100, "GBP"), *pence.span(), has_currency=True)
    numbers = list(_NUMBER.finditer(tidy[:MAX_TEXT]))
    if len(numbers) != 1:
        return None
    amount = parse_amount(numbers[0][0], hints.currency)
    if amount is None:
        return None
    return MoneySpan(Money(amount, hints.currency), *numbers[0].span(), has_currency=False)


def parse_amount(written: str, currency: str | None = None) -> Decimal | None:
    """Return the amount that a text such as `1.234,56` writes; three digits after a point are thousands."""
    plain = _WITH_CENTS.fullmatch(written)
    if plain is not None:
        # Fast path for most prices; the library takes thirty times as long.
        return bounded_amount(Decimal(written.replace(",", ".")))
    text = _MIXED_PAIR.sub(r"\1.\2", written) if _MIXED_PAIR.fullmatch(written) else written
    separator = "." if currency in WITH_THREE_DECIMALS and text.count(".") == 1 else None
    try:
        amount = Price.fromstring(text, decimal_separator=separator).amount
    except (InvalidOperation, ValueError):
        return None
    return bounded_amount(amount)


def parse_stated_amount(value: object, currency: str | None, hints: MoneyHints) -> Decimal | None:
    """Return an amount of structured data, where a point separates decimals unless the currency has none."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    if not isinstance(value, str):
        return bounded_amount(Decimal(repr(value)))
    text = tidy_text(value[:MAX_TEXT])
    if text.startswith("-"):
        return None
    if not _PLAIN.fullmatch(text):
        return _lowest_amount(text, currency, hints)
    whole, _, decimals = text.partition(".")
    if len(decimals) == 3 and len(whole) <= 3 and currency in WITHOUT_DECIMALS:
        return bounded_amount(Decimal(whole + decimals))
    return bounded_amount(Decimal(text))


def _lowest_amount(text: str, currency: str | None, hints: MoneyHints) -> Decimal | None:
    """Return the lowest amount: the start of a range, or the reduced price."""
    if ends := _RANGE.fullmatch(text):
        return parse_amount(ends[1], currency)
    amounts = [span.money.amount for span in find_money(text, hints)]
    found = money_of(text, hints)
    return min(amounts, default=found.money.amount if found else None)


def bounded_amount(amount: Decimal | None) -> Decimal | None:
    """Return an amount with a few decimals; None when it is no number or none that a price can be."""
    if amount is None or not amount.is_finite() or not 0 <= amount < MAX_AMOUNT:
        return None
    exponent = amount.as_tuple().exponent
    if isinstance(exponent, int) and -_MOST_DECIMALS <= exponent <= 0:
        return amount
    short = round(amount, 2)
    return short if short == round(amount, _MOST_DECIMALS) else round(amount, _MOST_DECIMALS).normalize()
