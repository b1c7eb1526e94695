"""How alike two lines are: the measure by which changed and moved lines are paired."""

import re
import sys
from typing import NamedTuple

from rapidfuzz.distance import Indel

from webstrata.content.blocks import HEADINGS, OTHER, ROW
from webstrata.content.diff.words import plain_words
from webstrata.model.changes.values import PageLine

HEADING = HEADINGS
"""The family of all headings."""
CHANGED = 0.5
"""From here on two lines near each other are versions of one line. Sentences on different subjects share a third of
their words, in order, with each other."""
REPLACED = 0.25
"""The same for a line that alone took the place of another one."""
MOVED = 0.75
"""The same for lines in different places."""

_MAX_CHARACTERS = 2_000
"""A line is judged by its first characters: so each comparison takes about a microsecond."""
_MAX_CHARACTERS_IN_ALL, _MIN_CHARACTERS = 600_000, 30
"""By fewer, where many lines differ: to read a million characters takes a quarter of a second."""
_SHORT = 40
"""Up to here characters are compared as well: one misspelt word is half of a line of two words."""
_LETTERS = 0.6
"""Two short words on different subjects have half of their letters in common."""
_OTHER_KEY = 0.8
"""What a table row's similarity counts for when it begins with another word."""
_KEY_ENDS = ".,:;"
_NUMBER = re.compile(r"\d+")


class Profile(NamedTuple):
    """A line as it is compared with others."""

    line: PageLine
    family: str
    """Lines of one family may be versions of each other."""
    words: list[str]
    codes: str
    """A character for each word."""
    masked: str
    """The same with all numbers alike."""
    weight: float
    """How much it is worth to find the line again."""


class Profiles:
    """The profiles of so many lines of two pages, with one code for each of their words."""

    def __init__(self, lines: int) -> None:
        self._longest = min(_MAX_CHARACTERS, max(_MIN_CHARACTERS, _MAX_CHARACTERS_IN_ALL // max(1, lines)))
        self._codes = _Codes()
        self._profiles: dict[PageLine, Profile] = {}

    def profile(self, line: PageLine) -> Profile:
        """Return the profile of a line."""
        known = self._profiles.get(line)
        if known is None:
            known = self._profiles[line] = self._new_profile(line)
        return known

    def _new_profile(self, line: PageLine) -> Profile:
        text = line.text[: self._longest]
        words = plain_words(text)
        codes = masked = "".join(map(self._codes.__getitem__, words))
        if _NUMBER.search(text):
            masked = "".join([self._codes[word if word[0].isalpha() else _NUMBER.sub("0", word)] for word in words])
        return Profile(line, _family(line), words, codes, masked, 1 + min(len(text), 200) / 50)


class _Codes(dict[str, str]):
    """A character for each word, chosen when it is first seen."""

    def __missing__(self, word: str) -> str:
        self[word] = code = chr(len(self) % sys.maxunicode)
        return code


def similarity(old: Profile, new: Profile) -> float:
    """Return how alike two lines are: 1 for the same text, 0 for lines that are no versions of each other."""
    if old.line.text == new.line.text:
        return 1.0
    if not are_comparable(old, new):
        return 0.0
    alike = _words_alike(old, new)
    if old.family == ROW:
        return (1 + alike) / 2 if alike and _row_key(old) == _row_key(new) else alike * _OTHER_KEY
    if alike < CHANGED and max(len(old.line.text), len(new.line.text)) <= _SHORT:
        return Indel.normalized_similarity(old.line.text, new.line.text, score_cutoff=_LETTERS) or alike
    return alike


def _row_key(row: Profile) -> str:
    """Return what a table row begins with: up to the first space, since `4 213` are two cells, not a large number."""
    return row.line.text.partition(" ")[0].lower().strip(_KEY_ENDS)


def are_comparable(old: Profile, new: Profile) -> bool:
    """Return whether a line may be a version of another: both headings, rows or other text, both
    content or both not.
    """
    return old.family == new.family and old.line.is_main is new.line.is_main


def _words_alike(old: Profile, new: Profile) -> float:
    """Return the share of common words; a word that differs from another one only in numbers counts half."""
    exact = Indel.normalized_similarity(old.codes, new.codes) if old.codes or new.codes else 0.0
    if old.masked is old.codes and new.masked is new.codes:
        return exact
    return (exact + Indel.normalized_similarity(old.masked, new.masked)) / 2


def _family(line: PageLine) -> str:
    """Return the family of a line: headings, table rows, all others."""
    if line.kind in HEADINGS:
        return HEADING
    return ROW if line.kind == ROW else OTHER
