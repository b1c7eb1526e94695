"""The passage of a text that answers a search, with the hits marked and the heading that it is under."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from webstrata.content.blocks import HEADINGS, kinds_of
from webstrata.content.tokens import fold, places
from webstrata.model.archive import TextRun

_LENGTH = 260
_LEAD = 60
_SEARCHED = 200_000
"""Characters of a text that are looked through: a later hit is rare and not worth the wait."""

_MOST_HITS = 2_000
_LONGEST_HEADING = 160
_WORTH_OF_REPEATED = 0.1
_WORTH_OF_NUMBER = 0.6
"""What a hit of a word that is in the passage already counts, and a number where one is asked for; a new word is 1."""

_ASCII_SPACES = ("  ", *(chr(code) for code in range(128) if chr(code).isspace() and code != ord(" ")))
_ALL_SPACES = (*_ASCII_SPACES, *(chr(code) for code in range(128, 0x3001) if chr(code).isspace()))
"""What is not a single space between words: U+3000 is the last white space there is."""

_Span = tuple[int, int]


@dataclass(frozen=True)
class Passage:
    """A piece of a text, and the heading above it."""

    runs: tuple[TextRun, ...] = ()
    heading: str | None = None


def answering_passage(
    text: str, words: Mapping[str, int], blocks: str | None = None, *, prefers_numbers: bool = False
) -> Passage:
    """Return the passage with most of the words, and its heading; menus and footers are never shown.

    `words` are folded, each with the number of the term that it is a form of.
    """
    flat, headings = _content(text[:_SEARCHED], blocks)
    hits = list(places(flat, words))[:_MOST_HITS]
    if not hits:
        return Passage()
    begin, end = _window(flat, *_best(flat, hits, words, prefers_numbers))
    runs = _runs(flat, begin, end, [hit for hit in hits if hit[0] >= begin and hit[1] <= end])
    return Passage(runs, _heading_above(headings, begin))


def passage(text: str, words: Collection[str]) -> tuple[TextRun, ...]:
    """Return about three lines around the best place of the words, or nothing when they do not occur."""
    return answering_passage(text, {word: number for number, word in enumerate(words)}).runs


def _content(text: str, blocks: str | None) -> tuple[str, list[tuple[int, str]]]:
    """Return the text of a page's own lines on one line, and where its headings begin."""
    if not blocks:
        return _on_one_line(text), []
    lines = text.split("\n")
    flat: list[str] = []
    headings, place = [], 0
    for line, letter in zip(lines, blocks.ljust(len(lines), "p"), strict=False):
        shown = "" if letter.isupper() else _on_one_line(line)
        if not shown:
            continue
        if kinds_of(letter) in HEADINGS:
            headings.append((place, shown))
        flat.append(shown)
        place += len(shown) + 1
    return " ".join(flat), headings


def _heading_above(headings: list[tuple[int, str]], begin: int) -> str | None:
    """Return the last heading that ends before a passage begins; none when the passage begins with a heading."""
    above = [(place, heading) for place, heading in headings if place <= begin]
    if not above or above[-1][0] + len(above[-1][1]) > begin:
        return None
    return above[-1][1][:_LONGEST_HEADING]


def _on_one_line(text: str) -> str:
    """Return a text with single spaces for all its white space; most texts have little but their line ends."""
    line = text.replace("\n", " ").strip()
    others = _ASCII_SPACES if line.isascii() else _ALL_SPACES
    return " ".join(line.split()) if any(space in line for space in others) else line


def _best(flat: str, hits: list[_Span], words: Mapping[str, int], prefers_numbers: bool) -> _Span:
    """Return the first hit of the window that has most of the words."""
    terms = [words.get(fold(flat[begin:end]), -1) for begin, end in hits]
    best, best_worth, last = hits[0], 0.0, 0
    for index, hit in enumerate(hits):
        far = hit[0] + _LENGTH - _LEAD
        while last < len(hits) and hits[last][1] <= far:
            last += 1
        distinct = len(set(terms[index:last]))
        worth = distinct + _WORTH_OF_REPEATED * (last - index - distinct)
        if prefers_numbers and any(map(str.isdigit, flat[hit[0] : far])):
            worth += _WORTH_OF_NUMBER
        if worth > best_worth:
            best, best_worth = hit, worth
    return best


def _window(flat: str, hit: int, hit_end: int) -> _Span:
    """Return a piece around a hit that begins and ends between words, with its sentence if that begins just before."""
    begin = max(0, hit - _LEAD)
    if begin > 0:
        sentence = flat.rfind(". ", begin, hit)
        begin = sentence + 2 if sentence >= 0 else min(hit, flat.find(" ", begin) + 1 or hit)
    end = min(len(flat), begin + _LENGTH)
    if end < len(flat):
        end = max(flat.rfind(" ", hit, end), hit + 1)
    return begin, max(end, hit_end)


def _runs(flat: str, begin: int, end: int, hits: list[_Span]) -> tuple[TextRun, ...]:
    runs, position = ([TextRun("… ", False)] if begin > 0 else []), begin
    for start, stop in hits:
        runs += [TextRun(flat[position:start], False), TextRun(flat[start:stop], True)]
        position = stop
    runs.append(TextRun(flat[position:end] + (" …" if end < len(flat) else ""), False))
    return tuple(run for run in runs if run.text)
