"""The blocks of a text: one a line, and for every line a letter that says what kind of block it is.

Letters in lower case, and the digits of headings, stand for what a page is about; letters in upper case for what its
site puts around every page. So `blocks.isupper()` tells, of any line, whether it is boilerplate.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import compress

PARAGRAPH, ITEM, ROW, QUOTE, CODE, OTHER = "p", "l", "t", "q", "c", "o"
HEADINGS = "123456"

BOILERPLATE = {PARAGRAPH: "P", ITEM: "L", ROW: "T", QUOTE: "Q", CODE: "C", OTHER: "O"} | dict(
    zip(HEADINGS, "UVWXYZ", strict=True)
)
_KINDS = {letter: kind for kind, letter in BOILERPLATE.items()}
_KEEPING_LINES = (CODE, BOILERPLATE[CODE])
_OF_CONTENT = bytes(not chr(letter).isupper() for letter in range(256))
"""For every letter, 1 when it stands for what a page is about and 0 when for what is around it."""

_SOFT_HYPHEN = "\xad"


@dataclass(frozen=True)
class Block:
    """One line of a text, and what it is."""

    text: str
    kind: str
    """A heading's level as a digit, or one of the letters above."""
    is_main: bool
    """False for navigation, page headers and footers, and the like."""

    @property
    def level(self) -> int | None:
        """Return the level of a heading, None for other blocks."""
        return int(self.kind) if self.kind in HEADINGS else None


def lines_with_blocks(text: str, blocks: str) -> Iterator[Block]:
    """Yield the lines of a text as the blocks they are; a text that was cut has letters to spare."""
    for line, letter in zip(text.split("\n"), blocks, strict=False):
        yield Block(line, _KINDS.get(letter, letter), not letter.isupper())


def main_text(text: str, blocks: str) -> str:
    """Return the lines that a page is about; all of them when it consists of nothing else."""
    lines = compress(text.split("\n"), blocks.encode().translate(_OF_CONTENT))
    return "\n".join(lines) or text


def letter_of(kind: str, *, is_main: bool) -> str:
    """Return the letter that stands for a kind of block."""
    return kind if is_main else BOILERPLATE[kind]


def blocks_of(blocks: Iterable[Block]) -> tuple[str, str]:
    """Return a text, a block a line, and the letters of its lines."""
    return lines_of((block.text, letter_of(block.kind, is_main=block.is_main)) for block in blocks)


def lines_of(parts: Iterable[tuple[str, str]]) -> tuple[str, str]:
    """Return a text and the letters of its lines from parts and their letters: a line each, or those that code has.

    What is blank is no line.
    """
    lines: list[str] = []
    letters: list[str] = []
    for text, letter in parts:
        line = text.strip()
        if not line:
            continue
        if letter in _KEEPING_LINES:
            kept = [line for whole in text.replace(_SOFT_HYPHEN, "").splitlines() if (line := whole.rstrip())]
            lines += kept
            letters += letter * len(kept)
            continue
        # Neither a soft hyphen nor any space but the usual one is printable: most lines are fine as they are.
        if not line.isprintable() or "  " in line:
            line = " ".join(line.replace(_SOFT_HYPHEN, "").split())
        if line:
            lines.append(line)
            letters.append(letter)
    return "\n".join(lines), "".join(letters)
