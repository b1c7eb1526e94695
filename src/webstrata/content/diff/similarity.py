"""Similarity of two lines, by which changed and moved lines are paired."""

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
"""From this similarity on, two lines near each other are versions of one line. Sentences on different subjects share a
third of their words, in order."""
REPLACED = 0.25
"""The same for a single line that replaced a single line."""
MOVED = 0.75
"""The same for lines in different places."""

_MAX_CHARACTERS = 2_000
"""Only so many characters of a line are compared: a comparison takes about a microsecond."""
_MAX_CHARACTERS_IN_ALL, _MIN_CHARACTERS = 600_000, 30
"""Fewer characters when many lines differ: reading a million takes a quarter of a second."""
_SHORT = 40
"""In lines of up to so many words, characters are compared, too: one misspelt word is half of a line of two words."""
_LETTERS = 0.6
"""The similarity of letters that is required: two unrelated short words have half of their letters in common."""
_OTHER_KEY = 0.8
"""The factor for the similarity of table rows that begin with different words."""
_KEY_ENDS = ".,:;"
_NUMBER = re.compile(r"\d+")


class Profile(NamedTuple):
    """A line prepared for comparison with others."""

    line: PageLine
    family: str
    """Lines of one family may be versions of each other."""
    words: list[str]
    codes: str
    """A character for each word."""
    masked: str
    """The same with one character for all numbers."""
    weight: float
    """The weight of finding the line's partner."""


class Profiles:
    """Profiles of the lines of two pages, with one code for each word."""

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
    """Return the similarity of two lines: 1 for the same text, 0 for lines that cannot be versions of each other."""
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
    """Return the start of a table row up to the first space: `4 213` are two cells, not a large number."""
    return row.line.text.partition(" ")[0].lower().strip(_KEY_ENDS)


def are_comparable(old: Profile, new: Profile) -> bool:
    """Return whether a line may be a version of another: both headings, rows or other text, both content or both
    not."""
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
