"""The passage of a text that answers a search, with the hits marked."""

import re
from collections.abc import Collection

from webstrata.content.tokens import fold
from webstrata.model.archive import TextRun

_WORD = re.compile(r"[^\W_]+")
_LENGTH = 260
_LEAD = 60
_SEARCHED = 200_000
"""Characters of a text that are looked through: a later hit is rare and not worth the wait."""


def passage(text: str, words: Collection[str]) -> tuple[TextRun, ...]:
    """Return about three lines around the densest place of the words, or nothing when they do not occur."""
    flat = " ".join(text[:_SEARCHED].split())
    hits = [(m.start(), m.end()) for m in _WORD.finditer(flat) if fold(m.group()) in words]
    if not hits:
        return ()
    begin, end = _window(flat, _densest(hits))
    return _runs(flat, begin, end, [hit for hit in hits if hit[0] >= begin and hit[1] <= end])


def _densest(hits: list[tuple[int, int]]) -> int:
    """Return where the window with the most hits begins."""
    best, best_count, last = hits[0][0], 0, 0
    for index, (start, _) in enumerate(hits):
        while last < len(hits) and hits[last][1] <= start + _LENGTH - _LEAD:
            last += 1
        if last - index > best_count:
            best, best_count = start, last - index
    return best


def _window(flat: str, hit: int) -> tuple[int, int]:
    """Return a piece around a hit that begins and ends between words."""
    begin = max(0, hit - _LEAD)
    if begin > 0:
        begin = min(hit, flat.find(" ", begin) + 1 or hit)
    end = min(len(flat), begin + _LENGTH)
    if end < len(flat):
        end = max(flat.rfind(" ", hit, end), hit + 1)
    return begin, max(end, _end_of_word(flat, hit))


def _end_of_word(flat: str, hit: int) -> int:
    match = _WORD.match(flat, hit)
    return match.end() if match else hit


def _runs(flat: str, begin: int, end: int, hits: list[tuple[int, int]]) -> tuple[TextRun, ...]:
    runs, position = ([TextRun("… ", False)] if begin > 0 else []), begin
    for start, stop in hits:
        runs += [TextRun(flat[position:start], False), TextRun(flat[start:stop], True)]
        position = stop
    runs.append(TextRun(flat[position:end] + (" …" if end < len(flat) else ""), False))
    return tuple(run for run in runs if run.text)
