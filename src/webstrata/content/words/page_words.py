"""The words of a page by the part they are in: title, address, headings, main text, and what surrounds it."""

from itertools import compress

from webstrata.content.blocks import HEADINGS
from webstrata.content.tokens import folded, tokens
from webstrata.model.search.relevance import PageWords

MOST_CHARACTERS = 60_000
"""How many characters of a text are read for ranking: a page's subject is clear before that."""

_OF_HEADINGS = bytes(chr(letter) in HEADINGS for letter in range(256))
_OF_CONTENT = bytes(not chr(letter).isupper() for letter in range(256))
_OF_BOILERPLATE = bytes(chr(letter).isupper() for letter in range(256))
"""Translation tables: 1 for letters of that kind of line, else 0."""


def page_words(title: str, address: str, text: str, blocks: str | None) -> PageWords:
    """Return the words of a page; if the kinds of its lines are unknown, its whole text is main text."""
    text = text[:MOST_CHARACTERS]
    if not blocks:
        return PageWords(tokens(title), tokens(address), (), tokens(text), ())
    lines, kinds = text.split("\n"), blocks.encode("ascii", "replace")
    # Lines without a kind count as content: the list of kinds may be shorter than the text.
    kinds = kinds.ljust(len(lines), b"p")
    return PageWords(tokens(title), tokens(address), *(_words(lines, kinds, of) for of in _PARTS))


_PARTS = (_OF_HEADINGS, _OF_CONTENT, _OF_BOILERPLATE)


def _words(lines: list[str], kinds: bytes, of: bytes) -> list[str]:
    return folded("\n".join(compress(lines, kinds.translate(of)))).split()
