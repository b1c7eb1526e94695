"""Separates lines that were moved, divided or joined; their texts are compared as one text."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from webstrata.model.changes.values import PageLine
from webstrata.model.changes.wording import words_of

_SHINGLE = 3
"""Length in words of the runs that are searched on the other page."""
_ENOUGH_FOUND = 0.6
"""The share of a line's runs of words that must be elsewhere for the line to count as moved."""
_MOST_CHARACTERS = 60_000
"""Characters that are compared as one text."""
_LINE_CHARACTERS = 6_000

T = TypeVar("T")
Words = tuple[str, ...]
Pair = tuple[PageLine, PageLine]


@dataclass(frozen=True)
class Reflow:
    """Edited lines, without those that were moved, divided or joined."""

    removed: tuple[PageLine, ...]
    added: tuple[PageLine, ...]
    changed: tuple[Pair, ...]
    moved: int = 0
    """The number of lines that are elsewhere."""
    joined: Pair | None = None
    """The old and the new text of the lines left out; None when one side has none."""


def separate_reflowed(removed: Sequence[PageLine], added: Sequence[PageLine], changed: Sequence[Pair]) -> Reflow:
    """Return the edits without lines whose text is elsewhere, and the text of those on both sides."""
    unseparated = Reflow(tuple(removed), tuple(added), tuple(changed))
    if (not removed and not added) or (not changed and not (removed and added)):
        return unseparated
    gone, come = [_words(line) for line in removed], [_words(line) for line in added]
    olds, news = [_words(old) for old, _ in changed], [_words(new) for _, new in changed]
    lost = _found_in(gone, _pieces_of((*come, *news)))
    won = _found_in(come, _pieces_of((*gone, *olds)))
    if not lost and not won:
        return unseparated
    pieces = _pieces_of((*(gone[place] for place in lost), *(come[place] for place in won)))
    touched = {place for place in range(len(changed)) if _shares(olds[place], news[place], pieces)}
    old = _join_lines((*_at(lost, removed), *(pair[0] for pair in _at(touched, changed))))
    new = _join_lines((*_at(won, added), *(pair[1] for pair in _at(touched, changed))))
    if max(len(old.text), len(new.text)) > _MOST_CHARACTERS:
        return unseparated
    return Reflow(
        tuple(_except(lost, removed)),
        tuple(_except(won, added)),
        tuple(_except(touched, changed)),
        len(lost) + len(won),
        (old, new) if old.text and new.text else None,
    )


def _at(places: set[int], values: Sequence[T]) -> list[T]:
    return [values[place] for place in sorted(places)]


def _except(places: set[int], values: Sequence[T]) -> list[T]:
    return [value for place, value in enumerate(values) if place not in places]


def _words(line: PageLine) -> Words:
    return words_of(line.text[:_LINE_CHARACTERS])


def _runs(words: Words) -> list[Words]:
    """Return the runs of words in a text; a short text is one run."""
    if len(words) < _SHINGLE:
        return [words] if words else []
    return [words[place : place + _SHINGLE] for place in range(len(words) - _SHINGLE + 1)]


def _pieces_of(texts: Iterable[Words]) -> set[Words]:
    return {run for words in texts for run in _runs(words)}


def _found_in(texts: Sequence[Words], pieces: set[Words]) -> set[int]:
    """Return the indexes of the texts whose runs of words are nearly all among some pieces."""
    found = set()
    for place, words in enumerate(texts):
        runs = _runs(words)
        if runs and sum(run in pieces for run in runs) >= _ENOUGH_FOUND * len(runs):
            found.add(place)
    return found


def _shares(old: Words, new: Words, pieces: set[Words]) -> bool:
    """Return whether a changed line lost or gained pieces of moved lines."""
    before, after = set(_runs(old)), set(_runs(new))
    return not (before ^ after).isdisjoint(pieces)


def _join_lines(lines: Iterable[PageLine]) -> PageLine:
    return PageLine(" ".join(line.text for line in lines), "p")
