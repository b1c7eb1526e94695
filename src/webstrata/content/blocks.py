"""The lines of a page's text: each has a letter for its kind of block and a letter for its region of the page.

Kinds in lower case, and the digits of headings, are content; kinds in upper case are what a site repeats around every
page. So `blocks.isupper()` shows, for any line, whether it is boilerplate.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import compress

PARAGRAPH, ITEM, ROW, QUOTE, CODE, OTHER = "p", "l", "t", "q", "c", "o"
HEADINGS = "123456"

BOILERPLATE = {PARAGRAPH: "P", ITEM: "L", ROW: "T", QUOTE: "Q", CODE: "C", OTHER: "O"} | dict(
    zip(HEADINGS, "UVWXYZ", strict=True)
)
_KINDS = str.maketrans({letter: kind for kind, letter in BOILERPLATE.items()})
_CONTENT_LETTERS = bytes(not chr(letter).isupper() for letter in range(256))
"""Translation table: 1 for letters of content, 0 for letters of boilerplate."""

CELL = "\x1f"
"""Between the cells of a table's row, and after the last one of a row of column headers: the ASCII unit separator. It
is white space to `str.split` and to searching."""

HEADER_CELL = "\x1d"
"""Before a header cell while a page is read; what is stored has `CELL` only."""

_SOFT_HYPHEN = "\xad"


class Region(StrEnum):
    """The part of a page that a line is in."""

    UNSTATED = "o"
    CONTENT = "m"
    ALERT = "a"
    HEADER = "h"
    NAVIGATION = "n"
    EDGE = "e"
    """Footers and sidebars."""
    CONSENT = "c"
    """Questions about cookies."""


_BOILERPLATE_REGIONS = frozenset({Region.NAVIGATION, Region.EDGE, Region.CONSENT})


class Line:
    """The kind of block and the region of a line."""

    __slots__ = ("keeps_spaces", "letter", "region")

    def __init__(self, kind: str, region: Region = Region.UNSTATED) -> None:
        # A page's own first heading is often in the site's header.
        is_main = region not in _BOILERPLATE_REGIONS and (region is not Region.HEADER or kind == "1")
        self.letter = kind if is_main else BOILERPLATE[kind]
        self.region = region.value
        self.keeps_spaces = kind == CODE


@dataclass(frozen=True)
class Block:
    """One line of a text, and what it is."""

    text: str
    kind: str
    """A heading's level as a digit, or one of the letters above."""
    is_main: bool
    """False for navigation, page headers and footers, and the like."""


def kinds_of(letters: str) -> str:
    """Return the kinds of block of lines, without the difference between content and boilerplate."""
    return letters.translate(_KINDS)


def without_cells(line: str) -> str:
    """Return a line for display, with spaces between the cells of a row."""
    return " ".join(line.split()) if CELL in line else line


def main_text(text: str, blocks: str) -> str:
    """Return the lines of content; the whole text when there are none."""
    return "\n".join(content_lines(text, blocks)) or text


def content_lines(text: str, blocks: str) -> Iterator[str]:
    """Return the lines that are content."""
    return compress(text.split("\n"), content_mask(blocks))


def content_mask(blocks: str) -> bytes:
    """Return for every line 1 when it is content and 0 when it is boilerplate."""
    return blocks.encode().translate(_CONTENT_LETTERS)


def blocks_of(blocks: Iterable[Block]) -> tuple[str, str]:
    """Return blocks as a text with one block per line, and the letters of its lines."""
    regions = {True: Region.UNSTATED, False: Region.EDGE}
    known = list(blocks)
    lines = [Line(block.kind, regions[block.is_main]) for block in known]
    text, letters, _ = lines_of([block.text for block in known], lines)
    return text, letters


def lines_of(texts: Sequence[str], kinds_of_lines: Iterable[Line]) -> tuple[str, str, str]:
    """Return a text with the kinds and regions of its lines, from parts: one line each, or the lines of code.

    Blank parts are left out.
    """
    lines: list[str] = []
    kinds: list[str] = []
    regions: list[str] = []
    # Most parts are white space between two tags: they are removed without a Python loop.
    stripped = list(map(str.strip, texts))
    shown = [*filter(None, stripped)]
    kinds_of_shown = [*compress(kinds_of_lines, stripped)]
    if not any(line_kind.keeps_spaces for line_kind in set(kinds_of_shown)) and _has_no_cells(texts):
        return _lines_without_cells(shown, kinds_of_shown)
    for line, text, line_kind in zip(shown, compress(texts, stripped), kinds_of_shown, strict=True):
        if line_kind.keeps_spaces and CELL not in text and HEADER_CELL not in text:
            kept = [line for whole in text.replace(_SOFT_HYPHEN, "").splitlines() if (line := whole.rstrip())]
            lines += kept
            kinds += line_kind.letter * len(kept)
            regions += line_kind.region * len(kept)
        elif tidy := _tidy_line(line, text):
            lines.append(tidy)
            kinds.append(line_kind.letter)
            regions.append(line_kind.region)
    return "\n".join(lines), "".join(kinds), "".join(regions)


def _has_no_cells(texts: Sequence[str]) -> bool:
    joined = "".join(texts)
    return CELL not in joined and HEADER_CELL not in joined


def _lines_without_cells(lines: Sequence[str], kinds_of_lines: Sequence[Line]) -> tuple[str, str, str]:
    """Return what `lines_of` does for lines without cells and code: a few steps for all of them together."""
    tidy = [line if line.isprintable() and "  " not in line else _single_spaced(line) for line in lines]
    kinds = "".join([one.letter for one in compress(kinds_of_lines, tidy)])
    regions = "".join([one.region for one in compress(kinds_of_lines, tidy)])
    return "\n".join(filter(None, tidy)), kinds, regions


def _tidy_line(line: str, text: str) -> str:
    """Return a line with single spaces, or the cells of a row. `text` is the part with its original white space."""
    if CELL in text or HEADER_CELL in text:
        return _row(text)
    # Soft hyphens and unusual spaces are not printable, so most lines pass this check and need no change.
    return line if line.isprintable() and "  " not in line else _single_spaced(line)


def _row(text: str) -> str:
    """Return the cells of a row; empty cells at its end are left out."""
    before, *cells = (_single_spaced(cell) for cell in text.replace(HEADER_CELL, CELL).split(CELL))
    row = CELL.join([before, *cells] if before else cells).rstrip(CELL)
    return f"{row}{CELL}" if CELL in row and CELL not in text else row


def _single_spaced(text: str) -> str:
    return " ".join(text.replace(_SOFT_HYPHEN, "").split())
