"""Words that are written in several ways: `e-mail` and `email`, `U.S.A.` and `USA`, `500 mg` and `500mg`."""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from webstrata.content.tokens import tokens

_HYPHENATED = re.compile(r"(?<![\w-])[^\W_]{1,20}(?:[-\u2010\u2011][^\W_]{1,20}){1,2}(?![\w-])")
_ABBREVIATION = re.compile(r"(?<![\w.])(?:[^\W\d_]\.){2,6}[^\W\d_]?(?!\w)")
_NUMBER_AND_UNIT = re.compile(r"(\d{1,12})([a-z\u00b5\u03bc]{1,12})")
_NAME_AND_NUMBER = re.compile(r"([^\W\d_]{2,20})(\d{1,6})")
_LONGEST_UNIT = 5
_LONGEST_JOINED = 40


def compounds_in(pieces: Iterable[str]) -> dict[str, str]:
    """Return the compounds and abbreviations among the pieces of a text that are separated by spaces: for each, the
    joined spelling and its words."""
    found: dict[str, str] = {}
    for written in _written_in(pieces):
        words = tokens(written)
        joined = "".join(words)
        if len(words) > 1 and len(joined) <= _LONGEST_JOINED and not joined.isdigit():
            found[joined] = " ".join(words)
    return found


def _written_in(pieces: Iterable[str]) -> set[str]:
    """Return the pieces that are compounds or abbreviations."""
    # Few pieces can be one: filtering them first takes a tenth of the time.
    odd = (piece for piece in pieces if not piece.isalnum())
    likely = {piece for piece in odd if "-" in piece or "." in piece[1:-1] or not piece.isascii()}
    return {found for piece in likely for pattern in (_HYPHENATED, _ABBREVIATION) for found in pattern.findall(piece)}


def split_number(word: str) -> tuple[str, ...]:
    """Return the two parts of a word such as `500mg` or `covid19`; empty for other words."""
    match = _NUMBER_AND_UNIT.fullmatch(word) or _NAME_AND_NUMBER.fullmatch(word)
    return match.groups() if match else ()


def joined_pairs(written: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield consecutive words of a question with their joined spelling: compounds, abbreviations, numbers with a
    unit."""
    for pattern in (_HYPHENATED, _ABBREVIATION):
        for found in pattern.findall(written):
            words = tuple(tokens(found))
            if len(words) > 1 and not "".join(words).isdigit():
                yield words, "".join(words)
    words = tuple(tokens(written))
    for number, unit in pairwise(words):
        if number.isdigit() and unit.isalpha() and len(unit) <= _LONGEST_UNIT:
            yield (number, unit), number + unit
