"""Finds which currencies a page's text contains, so that only these are searched beside amounts."""

import re
from collections.abc import Callable, Sequence

from webstrata.content.listing.currencies import SIGNS
from webstrata.content.listing.literals import LiteralSet

_BEGINNING = 20_000
_LEAST_TITLE = 8
_LINES_TO_PRICE = 8
_LONGEST_PRICE = 18
_MOST_LETTERS = 5
"""The most letters of a currency's name beside an amount."""

_OCCURRENCES = 200
_SEARCHED = 60_000

_SIGNS = "".join(dict.fromkeys(f"$€£¥￥₽₹₴₺₪₩₫฿₱₸₾₦₡₲円元원{SIGNS}"))
"""The common ones come first."""

_WORDS = (
    *("EUR", "USD", "GBP", "CHF", "AUD", "CAD", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "RON", "BRL", "AED"),
    *("SAR", "SGD"),
    *("ZAR", "QAR", "KWD", "INR", "PKR", "kr", "Kr", "KR", "Kč", "KČ", "zł", "Ft", "lei", "Lei", "LEI", "руб"),
    *("грн", "лв"),
    *("р.", "Rs", "RS", "TL", "Rp", "RM", "Fr.", "din", "DIN", "ден", "kn", "ر.س", "ريال", "درهم", "د.إ", "บาท", "đ"),
    *(",-", ",–", ".-", ".–"),
)
_ANY_SIGN = re.compile("|".join(map(re.escape, (*_SIGNS, *_WORDS))))
_CODES = ("EUR", "USD", "GBP")
_LITERALS = LiteralSet((*_SIGNS, *_WORDS))
_DIGIT = re.compile(r"\d")
_RAND = re.compile(r"(?<![^\W_])R ?\d{1,3}(?:[ ,\u00a0]?\d{3})*(?:[.,]\d\d)?(?![\w.,])")
"""The letter `R` of South African prices: it is a currency only if it precedes several numbers."""

_WORDS_OF_LANGUAGES = {
    **dict.fromkeys(("sv", "nb", "nn", "no", "da", "is"), ("kr", "Kr", ",-", ",–")),
    "cs": ("Kč",),
    "pl": ("zł",),
    "hu": ("Ft",),
    "ro": ("lei", "Lei"),
    "bg": ("лв",),
    "uk": ("грн",),
    "tr": ("TL",),
    "ru": ("руб", "р."),
    "sr": ("din", "DIN"),
    "mk": ("ден",),
    "id": ("Rp",),
    "ms": ("RM",),
    "th": ("บาท",),
    "de": ("EUR", "CHF", "Fr.", ",-", ",–"),
    "fr": ("EUR", "CHF"),
    "it": ("EUR", "CHF"),
    "nl": ("EUR", ",-"),
    "ar": ("ر.س", "ريال", "درهم", "د.إ"),
    "en": ("Rs", "AED", "CHF"),
}
"""Currency words that are also searched when the page has another currency's sign, such as in a note about free
delivery."""


def currency_search(text: str, language: str | None) -> Callable[[str], object]:
    """Return a search function for the currencies that a page contains; most pages have one or two."""
    text = text[:_SEARCHED]
    shown = _LITERALS.found_in(text)
    found = [sign for sign in _SIGNS if sign in shown]
    is_signed = any(_is_beside_digit(sign, text) for sign in found)
    words = (*_CODES, *_WORDS_OF_LANGUAGES.get(language or "", ())) if is_signed else _WORDS
    found += [word for word in words if word in shown and _is_beside_digit(word, text)]
    if not found and len(_RAND.findall(text)) > 1:
        found.append("R")
    return re.compile("|".join(map(re.escape, found))).search if found else find_nothing


def _is_beside_digit(word: str, text: str) -> bool:
    """Return whether one of the first occurrences of a word is beside a number and not part of a longer word."""
    at = -1
    for _ in range(_OCCURRENCES):
        at = text.find(word, at + 1)
        if at < 0:
            return False
        if at and text[at - 1].isalpha():
            continue
        before, after = text[max(0, at - 2) : at], text[at + len(word) : at + len(word) + 2]
        if not after[:1].isalpha() and any(map(str.isdecimal, before + after)):
            return True
    return False


def shows_price(text: str, titles: Sequence[str]) -> bool:
    """Return whether a line after a title of the page shows only a price, as in classified ads."""
    lines = text[:_BEGINNING].split("\n")
    for place, line in enumerate(lines):
        if 0 < len(line) <= _LONGEST_PRICE and _is_amount(line):
            before = lines[max(0, place - _LINES_TO_PRICE) : place]
            if any(len(one) >= _LEAST_TITLE and _is_title(one, titles) for one in before):
                return True
    return False


def _is_title(line: str, titles: Sequence[str]) -> bool:
    folded = line.casefold()
    return any(folded in title for title in titles) and not _ANY_SIGN.search(line)


def _is_amount(line: str) -> bool:
    is_short = _DIGIT.search(line) is not None and sum(map(str.isalpha, line)) <= _MOST_LETTERS
    return is_short and _ANY_SIGN.search(line) is not None


def find_nothing(_text: str) -> None:
    """Find no currency: the search function of a page without currencies."""
    return
