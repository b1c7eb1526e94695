"""Spelling correction: chooses the known word for a misspelt one, in the same way on every database."""

from collections.abc import Iterable, Mapping
from string import ascii_lowercase

MIN_LENGTH = 4
MAX_LENGTH = 40
"""Shorter words are similar by chance; longer ones are not words that people mistype."""

_VERY_FEW_LETTERS, _FEW_LETTERS = 4, 5
_ONE_SLIP, _TWO_SLIPS = 7, 11
"""Longest words in which one letter, or two, may be wrong. With two wrong letters a word of seven is often another, as
`hazard` and `harvard`."""

_MOST_JUDGED_CLOSELY = 8


def trigrams(word: str) -> set[str]:
    """Return all sequences of three letters in a word."""
    return {word[start : start + 3] for start in range(len(word) - 2)}


def near_spellings(word: str) -> set[str]:
    """Return spellings with one error corrected that may share no trigram with the word: `child` for `chlid`."""
    cuts = [(word[:place], word[place:]) for place in range(len(word) + 1)]
    found = {before + after[1] + after[0] + after[2:] for before, after in cuts if len(after) > 1}
    if len(word) <= _FEW_LETTERS:
        found |= {before + after[1:] for before, after in cuts if after}
        found |= {before + letter + after for before, after in cuts for letter in ascii_lowercase}
        found |= {before + letter + after[1:] for before, after in cuts if after for letter in ascii_lowercase}
    return found - {word}


def slips_forgiven(word: str) -> int:
    """Return how many letters of a word may be wrong: from one in a short word to three in a long one."""
    if len(word) < MIN_LENGTH or len(word) > MAX_LENGTH:
        return 0
    return 1 if len(word) <= _ONE_SLIP else 2 if len(word) <= _TWO_SLIPS else 3


def likely_meant(word: str, known: Iterable[str]) -> list[str]:
    """Return the known words that a word may be a misspelling of, the likeliest first, at most a handful."""
    most = slips_forgiven(word)
    judged = ((distance(word, other, most), other) for other in set(known) if abs(len(word) - len(other)) <= most)
    close = sorted((slips, other) for slips, other in judged if 0 < slips <= most and _may_be_meant(word, other))
    return [other for _, other in close[:_MOST_JUDGED_CLOSELY]]


def _may_be_meant(word: str, other: str) -> bool:
    """Return whether a slip can have made a word of another: people nearly always get the first letter right, and a
    word of four letters with one of them replaced is another word (`trie`, `tree`).
    """
    if len(word) == len(other) <= _VERY_FEW_LETTERS and sorted(word) != sorted(other):
        return False
    return word[0] == other[0] or word[:2] == other[1::-1]


def best_meant(word: str, found_by: Mapping[str, int]) -> str | None:
    """Return the likeliest candidate, given the number of documents with each word; None when no document has any."""
    most = slips_forgiven(word)
    held = [(distance(word, other, most), -count, other) for other, count in found_by.items() if count]
    return min(held)[-1] if held else None


def distance(one: str, other: str, most: int) -> int:
    """Return the edit distance of two words, swapped letters counting one; `most` + 1 for anything larger."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        row, last = [i] + [0] * len(other), row
        for j, another in enumerate(other, 1):
            row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != another))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == another:
                row[j] = min(row[j], before[j - 2] + 1)
        if min(row) > most:
            return most + 1
        before = last
    return row[-1]
