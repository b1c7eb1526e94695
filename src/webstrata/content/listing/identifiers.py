"""Identifiers of products: GTINs with their check digit, article numbers and manufacturers' numbers."""

import re

_GTIN_LENGTHS = frozenset({8, 12, 13, 14})
_SEPARATORS = re.compile(r"[\s\-\u2010-\u2015]+")
_ISBN_10 = re.compile(r"\d{9}[\dXx]")
_MAX_CODE = 100
_PLACEHOLDERS = frozenset(
    {"n/a", "na", "none", "null", "undefined", "unknown", "false", "true", "0", "-", "does not apply"}
)


def gtin_of(text: str) -> str | None:
    """Return the GTIN that a text is: 8, 12, 13 or 14 digits with a correct check digit, not all of them zeros."""
    digits = _SEPARATORS.sub("", text)
    if _ISBN_10.fullmatch(digits):
        return _isbn_13(digits)
    if not (digits.isascii() and digits.isdigit() and len(digits) in _GTIN_LENGTHS) or not digits.strip("0"):
        return None
    return digits if _check_digit(digits[:-1]) == int(digits[-1]) else None


def code_of(text: str) -> str | None:
    """Return the text as an identifier; None for placeholders and for texts that are too long."""
    code = " ".join(text.split())
    if not 0 < len(code) <= _MAX_CODE or code.lower() in _PLACEHOLDERS:
        return None
    return code


def _check_digit(digits: str) -> int:
    weighted = sum(int(digit) * (3 if place % 2 == 0 else 1) for place, digit in enumerate(reversed(digits)))
    return -weighted % 10


def _isbn_13(isbn: str) -> str | None:
    """Return the GTIN of a book whose old ISBN has ten digits."""
    values = [10 if digit in "Xx" else int(digit) for digit in isbn]
    if sum(value * weight for value, weight in zip(values, range(10, 0, -1), strict=True)) % 11:
        return None
    digits = f"978{isbn[:9]}"
    return f"{digits}{_check_digit(digits)}"
