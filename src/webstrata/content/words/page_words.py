"""The words of a page by the part they are in: title, address, headings, main text, and what surrounds it."""

from itertools import compress

from webstrata.content.blocks import HEADINGS
from webstrata.content.tokens import folded, tokens
from webstrata.model.search.relevance import PageWords

MOST_CHARACTERS = 60_000
"""How much of a text is read to judge it: what a page is about is said before."""

_OF_HEADINGS = bytes(chr(letter) in HEADINGS for letter in range(256))
_OF_CONTENT = bytes(not chr(letter).isupper() for letter in range(256))
_OF_BOILERPLATE = bytes(chr(letter).isupper() for letter in range(256))
"""For every letter of a kind of line, 1 when the line is of that kind."""


def page_words(title: str, address: str, text: str, blocks: str | None) -> PageWords:
    """Return the words of a page; without known kinds of lines, all of its text is main text."""
    text = text[:MOST_CHARACTERS]
    if not blocks:
        return PageWords(tokens(title), tokens(address), (), tokens(text), ())
    lines, kinds = text.split("\n"), blocks.encode("ascii", "replace")
    # What has no kind is content: the kinds of a text that was cut short may end before it.
    kinds = kinds.ljust(len(lines), b"p")
    return PageWords(tokens(title), tokens(address), *(_words(lines, kinds, of) for of in _PARTS))


_PARTS = (_OF_HEADINGS, _OF_CONTENT, _OF_BOILERPLATE)


def _words(lines: list[str], kinds: bytes, of: bytes) -> list[str]:
    return folded("\n".join(compress(lines, kinds.translate(of)))).split()
