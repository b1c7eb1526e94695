"""The passage of a text that best matches a search, with the hits marked and the heading that it is under."""

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from webstrata.content.blocks import HEADINGS, kinds_of
from webstrata.content.tokens import fold, places
from webstrata.model.archive import TextRun

_LENGTH = 260
_LEAD = 60
_SEARCHED = 200_000
"""Characters of a text that are searched for hits: later hits are rare and not worth the time."""

_MOST_HITS = 2_000
_LONGEST_HEADING = 160
_LONGEST_HIT = 600
"""Characters of a hit that are shown: a letter may carry thousands of combining marks."""

_WORTH_OF_REPEATED = 0.1
_MOST_REPEATED = 5
_WORTH_OF_NUMBER = 0.6
"""The value of a repeated word, and of a number if the query asks for one; each new word of the passage counts 1."""

_ASCII_SPACES = ("  ", *(chr(code) for code in range(128) if chr(code).isspace() and code != ord(" ")))
_ALL_SPACES = (*_ASCII_SPACES, *(chr(code) for code in range(128, 0x3001) if chr(code).isspace()))
"""White space that must be replaced by a single space; U+3000 is the highest white-space character."""

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
    page = _content(text[:_SEARCHED], blocks)
    hits = list(places(page.flat, words))[:_MOST_HITS]
    if not hits:
        return Passage()
    numbers = [words.get(fold(page.flat[begin:end]), -1) for begin, end in hits]
    hits = [(begin, min(end, begin + _LONGEST_HIT)) for begin, end in hits]
    section, hit = _best(page, hits, numbers, prefers_numbers)
    begin, end = _window(page.flat, section, hit)
    runs = _runs(page.flat, section, (begin, end), [hit for hit in hits if hit[0] >= begin and hit[1] <= end])
    return Passage(runs, section.heading or None)


@dataclass(frozen=True)
class _Section:
    """A heading, and the start and end of the text under it."""

    heading: str
    place: int
    begin: int
    end: int


@dataclass(frozen=True)
class _Content:
    """A page's own text (without menus) on one line, and its sections in order."""

    flat: str
    sections: list[_Section]


def passage(text: str, words: Collection[str]) -> tuple[TextRun, ...]:
    """Return about three lines of the text around most of the words; empty when none of them occurs."""
    return answering_passage(text, {word: number for number, word in enumerate(words)}).runs


def _content(text: str, blocks: str | None) -> _Content:
    """Return a page's own text, without menus and footers."""
    if not blocks:
        flat = _on_one_line(text)
        return _Content(flat, [_Section("", 0, 0, len(flat))])
    lines = text.split("\n")
    shown: list[str] = []
    starts: list[tuple[int, str]] = [(0, "")]
    place = 0
    for line, letter in zip(lines, blocks.ljust(len(lines), "p"), strict=False):
        words = "" if letter.isupper() else _on_one_line(line)
        if words:
            starts += [(place, words)] if kinds_of(letter) in HEADINGS else []
            shown.append(words)
            place += len(words) + 1
    flat = " ".join(shown)
    ends = [start for start, _ in starts[1:]] + [len(flat) + 1]
    return _Content(flat, [_section(*start, end - 1) for start, end in zip(starts, ends, strict=True)])


def _section(place: int, heading: str, end: int) -> _Section:
    """Return a section; a heading without text under it is shown as text."""
    begin = place + len(heading) + 1 if heading else place
    if begin > end:
        return _Section("", place, place, max(end, place))
    return _Section(heading[:_LONGEST_HEADING], place, begin, end)


def _on_one_line(text: str) -> str:
    """Return a text with single spaces instead of any white space."""
    line = text.replace("\n", " ").strip()
    others = _ASCII_SPACES if line.isascii() else _ALL_SPACES
    return " ".join(line.split()) if any(space in line for space in others) else line


def _best(page: _Content, hits: list[_Span], numbers: list[int], prefers_numbers: bool) -> tuple[_Section, _Span]:
    """Return the best window: the one with most of the words, including those in the heading of its section."""
    starts = [begin for begin, _ in hits]
    windows = (
        (worth, -begin, section, (begin, max(begin, hits[index][1])))
        for section in page.sections
        for index, begin, worth in _windows(page.flat, section, starts, numbers, prefers_numbers)
    )
    *_, section, hit = max(windows, key=lambda window: window[:2])
    return section, hit


def _windows(
    flat: str, section: _Section, starts: list[int], numbers: list[int], prefers_numbers: bool
) -> Iterator[tuple[int, int, float]]:
    """Yield the windows of a section: first hit, start and value of each."""
    first, last = bisect_left(starts, section.place), bisect_left(starts, section.end)
    above = set(numbers[first : bisect_left(starts, section.begin, first, last)])
    for index in range(first, last):
        begin = max(starts[index], section.begin)
        far = min(begin + _LENGTH - _LEAD, section.end)
        inside = numbers[index : bisect_left(starts, far, index, last)]
        repeated = min(len(inside) - len(set(inside)), _MOST_REPEATED)
        has_number = prefers_numbers and any(map(str.isdigit, flat[begin:far]))
        yield (
            index,
            begin,
            len(above.union(inside)) + _WORTH_OF_REPEATED * repeated + (_WORTH_OF_NUMBER if has_number else 0),
        )


def _window(flat: str, section: _Section, hit: _Span) -> _Span:
    """Return a piece around a hit, cut between words; it begins with the hit's sentence if that starts just before."""
    begin = max(section.begin, hit[0] - _LEAD)
    if begin > section.begin:
        sentence = flat.rfind(". ", begin, hit[0])
        begin = sentence + 2 if sentence >= 0 else min(hit[0], flat.find(" ", begin) + 1 or hit[0])
    end = min(section.end, begin + _LENGTH)
    if end < section.end:
        end = max(flat.rfind(" ", hit[0], end), hit[0] + 1)
    return begin, max(end, hit[1])


def _runs(flat: str, section: _Section, window: _Span, hits: list[_Span]) -> tuple[TextRun, ...]:
    begin, end = window
    runs, position = ([TextRun("… ", False)] if begin > section.begin else []), begin
    for start, stop in hits:
        runs += [TextRun(flat[position:start], False), TextRun(flat[start:stop], True)]
        position = stop
    runs.append(TextRun(flat[position:end] + (" …" if end < section.end else ""), False))
    return tuple(run for run in runs if run.text)
