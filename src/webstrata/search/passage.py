"""The passage of a text that answers a search, with the hits marked."""

from collections.abc import Collection

from webstrata.content.tokens import places
from webstrata.model.archive import TextRun

_LENGTH = 260
_LEAD = 60
_SEARCHED = 200_000
"""Characters of a text that are looked through: a later hit is rare and not worth the wait."""

_ASCII_SPACES = ("  ", *(chr(code) for code in range(128) if chr(code).isspace() and code != ord(" ")))
_ALL_SPACES = (*_ASCII_SPACES, *(chr(code) for code in range(128, 0x3001) if chr(code).isspace()))
"""What is not a single space between words: U+3000 is the last white space there is."""


def passage(text: str, words: Collection[str]) -> tuple[TextRun, ...]:
    """Return about three lines around the densest place of the words, or nothing when they do not occur."""
    flat = _on_one_line(text[:_SEARCHED])
    hits = list(places(flat, words))
    if not hits:
        return ()
    begin, end = _window(flat, *_densest(hits))
    return _runs(flat, begin, end, [hit for hit in hits if hit[0] >= begin and hit[1] <= end])


def _on_one_line(text: str) -> str:
    """Return a text with single spaces for all its white space; most texts have little but their line ends."""
    line = text.replace("\n", " ").strip()
    others = _ASCII_SPACES if line.isascii() else _ALL_SPACES
    return " ".join(line.split()) if any(space in line for space in others) else line


def _densest(hits: list[tuple[int, int]]) -> tuple[int, int]:
    """Return the first hit of the window with the most hits."""
    best, best_count, last = hits[0], 0, 0
    for index, hit in enumerate(hits):
        while last < len(hits) and hits[last][1] <= hit[0] + _LENGTH - _LEAD:
            last += 1
        if last - index > best_count:
            best, best_count = hit, last - index
    return best


def _window(flat: str, hit: int, hit_end: int) -> tuple[int, int]:
    """Return a piece around a hit that begins and ends between words."""
    begin = max(0, hit - _LEAD)
    if begin > 0:
        begin = min(hit, flat.find(" ", begin) + 1 or hit)
    end = min(len(flat), begin + _LENGTH)
    if end < len(flat):
        end = max(flat.rfind(" ", hit, end), hit + 1)
    return begin, max(end, hit_end)


def _runs(flat: str, begin: int, end: int, hits: list[tuple[int, int]]) -> tuple[TextRun, ...]:
    runs, position = ([TextRun("… ", False)] if begin > 0 else []), begin
    for start, stop in hits:
        runs += [TextRun(flat[position:start], False), TextRun(flat[start:stop], True)]
        position = stop
    runs.append(TextRun(flat[position:end] + (" …" if end < len(flat) else ""), False))
    return tuple(run for run in runs if run.text)
