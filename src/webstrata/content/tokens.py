"""Words for the full-text indexes: case and accents are folded here, so that every database finds the same."""

import re
import unicodedata
from collections.abc import Collection, Iterator

_RUN = re.compile(r"\S+")
_ASCII = bytes(range(128))
_FEW = 100
"""Up to this many different non-ASCII characters are replaced one by one, as in French; a text with more is in another
alphabet."""


def fold(text: str) -> str:
    """Return a text in lower case, without accents, with single spaces between its words."""
    return " ".join(tokens(text))


def tokens(text: str) -> list[str]:
    """Return the words of a text, folded, in order."""
    return folded(text).split()


def folded(text: str) -> str:
    """Return a text with each character folded; only white space is left between its words."""
    strange = _strange_in(text)
    if len(strange) <= _FEW:
        for character in strange:
            text = text.replace(character, _FOLDING[ord(character)])
    return text.translate(_FOLDING)


def places(text: str, words: Collection[str]) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each occurrence of folded words in a text."""
    if not words:
        return
    if _keeps_places(text):
        # The character before a hit is checked last: a pattern that begins with letters is far quicker.
        asked, plain = "|".join(map(re.escape, words)), f" {folded(text)}"
        hits = (hit.span() for hit in re.finditer(rf"(?:{asked})(?!\S)", plain))
        yield from ((begin - 1, end - 1) for begin, end in hits if plain[begin - 1].isspace())
        return
    for run in _RUN.finditer(text):
        if any(token in words for token in tokens(run.group())):
            yield from ((begin, end) for begin, end in _words(text, *run.span()) if fold(text[begin:end]) in words)


def _keeps_places(text: str) -> bool:
    """Return whether each character of a text is folded into exactly one, so that the positions of words do not
    change."""
    return all(len(_FOLDING[ord(strange)]) == 1 for strange in _strange_in(text))


def _strange_in(text: str) -> set[str]:
    """Return the set of non-ASCII characters in a text."""
    if text.isascii():
        return set()
    # Deleting all other bytes is the fastest way to find them.
    beyond = text.encode("utf-8", "surrogatepass").translate(None, _ASCII)
    return set(beyond.decode("utf-8", "surrogatepass"))


def _words(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    begin = start
    for position in range(start, end):
        if " " in _FOLDING[ord(text[position])]:
            yield begin, position
            begin = position + 1
    yield begin, end


_SPELLED = {
    "æ": "ae",
    "œ": "oe",
    "ø": "o",
    "đ": "d",
    "ð": "d",
    "ħ": "h",
    "ı": "i",
    "ł": "l",
    "ŋ": "n",
    "ŧ": "t",
    "þ": "th",
}
"""Letters that Unicode does not decompose, with the replacement that people type."""


class _Folding(dict[int, str]):
    """The replacement of each character, computed when it is first seen; characters between words become a space."""

    def __missing__(self, code: int) -> str:
        folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", chr(code)).casefold())
        letters = "".join(_SPELLED.get(letter, letter) for letter in folded if not unicodedata.combining(letter))
        self[code] = plain = "".join(letter if letter.isalnum() else " " for letter in letters)
        return plain


_FOLDING = _Folding()
