"""Pairing of changed lines: which removed line became which added line."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence

from webstrata.content.blocks import ROW
from webstrata.content.diff.similarity import CHANGED, HEADING, REPLACED, Profile, are_comparable, similarity

Pair = tuple[int, int]
"""The place of an old line and of a new line."""

_MAX_OCCURRENCES = 8
"""Words in more lines than this are not used to find lines."""
_LEADING_WORDS = 8
"""How many words of a line are looked up, rarest first."""
_CANDIDATES = 3


def pairs_in_order(old: Sequence[Profile], new: Sequence[Profile]) -> list[Pair]:
    """Return the most similar pairs of lines in the order of both sides, by comparing all lines with each other."""
    if len(old) == len(new) == 1:
        return [(0, 0)] if _took_its_place(old[0], new[0]) else []
    return _best_in_order([[_gain(before, after) for after in new] for before in old])


def pairs_by_place(old: Sequence[Profile], new: Sequence[Profile]) -> list[Pair]:
    """Return the pairs of similar lines with the same number on both sides."""
    places = range(min(len(old), len(new)))
    return [(place, place) for place in places if similarity(old[place], new[place]) >= CHANGED]


def pairs_by_rare_words(old: Sequence[Profile], new: Sequence[Profile], least: float) -> list[Pair]:
    """Return the pairs of similar lines in any place, found by rare words."""
    lines_with = _index(old)
    taken: set[int] = set()
    pairs: list[Pair] = []
    for place, profile in enumerate(new):
        candidates = [found for found in _candidates(profile, lines_with) if found not in taken]
        likeness, best = max(((similarity(old[found], profile), -found) for found in candidates), default=(0.0, 0))
        if likeness >= least:
            taken.add(-best)
            pairs.append((-best, place))
    return pairs


def longest_in_order(pairs: Sequence[Pair]) -> list[Pair]:
    """Return the largest subset of pairs that is in order on both sides; `pairs` are in the order of the new side."""
    lasts: list[int] = []
    """The old line at the end of the best chain of each length."""
    ends: list[int] = []
    """The last pair of that chain."""
    before: list[int] = []
    for index, (place, _) in enumerate(pairs):
        length = bisect_left(lasts, place)
        before.append(ends[length - 1] if length else -1)
        lasts[length : length + 1] = [place]
        ends[length : length + 1] = [index]
    chain: list[Pair] = []
    index = ends[-1] if ends else -1
    while index >= 0:
        chain.append(pairs[index])
        index = before[index]
    return chain[::-1]


def _took_its_place(old: Profile, new: Profile) -> bool:
    """Return whether a line that replaced a single line is its new version; a heading in the same place always is."""
    if are_comparable(old, new) and new.family == HEADING:
        return True
    return similarity(old, new) >= (CHANGED if new.family == ROW else REPLACED)


def _gain(old: Profile, new: Profile) -> float:
    """Return the gain of a pair: a paragraph that changed a little counts more than another "Read more"."""
    likeness = similarity(old, new)
    if likeness < CHANGED:
        return 0.0
    return likeness * min(old.weight, new.weight) * (1 if old.line.is_main is new.line.is_main else 0.5)


def _best_in_order(gains: Sequence[Sequence[float]]) -> list[Pair]:
    """Return the pairs, in order on both sides, whose gains add up to the most."""
    best = _sums(gains)
    pairs: list[Pair] = []
    row, column = 0, 0
    while row < len(gains) and column < len(gains[0]):
        gain, here = gains[row][column], best[row][column]
        if gain and here == gain + best[row + 1][column + 1]:
            pairs.append((row, column))
            row, column = row + 1, column + 1
        elif here == best[row + 1][column]:
            row += 1
        else:
            column += 1
    return pairs


def _sums(gains: Sequence[Sequence[float]]) -> list[list[float]]:
    """Return, for each position, the highest sum of gains from there to the end."""
    width = len(gains[0])
    below = [0.0] * (width + 1)
    table = [below]
    for row in reversed(gains):
        sums = [0.0] * (width + 1)
        for column in range(width - 1, -1, -1):
            skipped = max(below[column], sums[column + 1])
            gain = row[column]
            sums[column] = max(skipped, gain + below[column + 1]) if gain else skipped
        table.append(sums)
        below = sums
    return table[::-1]


def _index(profiles: Sequence[Profile]) -> dict[str, list[int]]:
    """Return the places of the lines that contain each of the rarer words."""
    lines_with: dict[str, list[int]] = defaultdict(list)
    for place, profile in enumerate(profiles):
        for word in dict.fromkeys(profile.words):
            lines_with[word].append(place)
    return {word: places for word, places in lines_with.items() if len(places) <= _MAX_OCCURRENCES}


def _candidates(profile: Profile, lines_with: dict[str, list[int]]) -> list[int]:
    """Return the places of the lines that have the most of a line's rare words."""
    found = sorted((places for word in dict.fromkeys(profile.words) if (places := lines_with.get(word))), key=len)
    counts: dict[int, int] = {}
    for places in found[:_LEADING_WORDS]:
        for place in places:
            counts[place] = counts.get(place, 0) + 1
    return sorted(counts, key=counts.__getitem__, reverse=True)[:_CANDIDATES]
