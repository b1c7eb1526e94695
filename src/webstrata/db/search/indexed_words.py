"""The stored form and the indexed words of a document, computed without a database."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, chain, takewhile

import xxhash

from webstrata.content.tokens import folded, tokens
from webstrata.db.captures.packed_text import packed

MAX_STORED_CHARACTERS = 500_000
"""How much of one text is stored at most: far more than any page that people write."""

MAX_WORD_BYTES = 2_045
MAX_VECTOR_BYTES = 1_000_000
"""PostgreSQL refuses longer words with a mark, and longer lists of them than 1 MB. What it cannot index, SQLite does
not either."""

TITLE_MARK, ADDRESS_MARK = "=", "@"
"""On PostgreSQL a word of a title or an address is indexed a second time, after a sign that no word can
hold: the index then knows these words, and no document need be read.
"""

_MAX_LEXEME_BYTES = MAX_WORD_BYTES + 1
_MOST_BYTES_FOR_A_LETTER = 8
_MOST_BYTES_FOR_A_CHARACTER = 4
_LAST_POSITION = 16_383
_WEIGHTS = 3, 2, 0
"""A, B and D as PostgreSQL writes them: of a place in a title, in a page's name, in a text."""
_LAST_PLACES = tuple((weight << 14 | _LAST_POSITION).to_bytes(2) for weight in _WEIGHTS)
_MOST_PLACES_BYTES = 2 * 255


@dataclass(frozen=True)
class NewDocument:
    """A title and a text under a page's name."""

    normalized_url_group: str
    title: str
    text: str
    language: str | None = None
    """Whose forms of words it teaches; no part of its identity."""

    @property
    def text_hash(self) -> str:
        """Return the hash that distinguishes two texts of a page."""
        return xxhash.xxh3_128_hexdigest(f"{self.title}\0{self.text}".encode())

    @property
    def key(self) -> tuple[str, str]:
        """Return the document's identity."""
        return self.normalized_url_group, self.text_hash


@dataclass(frozen=True)
class PreparedDocument:
    """A document as a database stores it, with all that can be computed without the database."""

    normalized_url_group: str
    text_hash: str
    title: str
    text: str
    blocks: str | None
    regions: str | None
    fingerprint: int | None
    stored_text: str | bytes
    """The text as the database stores it."""
    words: tuple[str, ...]
    """What SQLite indexes: title, name and text, folded."""
    vector: bytes
    """What PostgreSQL indexes: the list of words in its own format."""
    language: str | None = None

    @property
    def key(self) -> tuple[str, str]:
        """Return the document's identity."""
        return self.normalized_url_group, self.text_hash


def prepared(
    document: NewDocument,
    *,
    for_sqlite: bool,
    blocks: str | None = None,
    regions: str | None = None,
    fingerprint: int | None = None,
) -> PreparedDocument:
    """Return a document with its words folded by the program, so that both databases find the same ones."""
    text = _stored_text(document.text)
    lines = text.count("\n") + 1
    return PreparedDocument(
        document.normalized_url_group,
        document.text_hash,
        document.title,
        text,
        blocks and blocks[:lines],
        regions and regions[:lines],
        fingerprint,
        packed(text) if for_sqlite else text,
        folded_parts(document) if for_sqlite else (),
        b"" if for_sqlite else _vector(document),
        document.language,
    )


def folded_parts(document: NewDocument) -> tuple[str, ...]:
    """Return what SQLite indexes of a document: title, name and text, their words folded."""
    text = folded(_stored_text(document.text))
    # Words are at least one letter and one space: only long texts have to be taken apart to know whether they fit.
    if len(text.encode()) + _MOST_BYTES_FOR_A_LETTER * (len(text) // 2 + 1) > MAX_VECTOR_BYTES:
        text = " ".join(_fitting(text.split()))
    return folded(document.title), folded(document.normalized_url_group), text


def _stored_text(text: str) -> str:
    """Return the part of a text that is stored: all, or as many whole lines as fit."""
    if len(text) <= MAX_STORED_CHARACTERS:
        return text
    end = text.rfind("\n", 0, MAX_STORED_CHARACTERS)
    return text[: end if end > 0 else MAX_STORED_CHARACTERS]


def _fitting(words: list[str]) -> list[str]:
    """Return as many words as PostgreSQL can list: each takes its bytes, and some for its place."""
    # Words are many and seldom too many: they are measured all at once, and one by one only when they are.
    size = len("".join(words).encode()) + _MOST_BYTES_FOR_A_LETTER * len(words)
    if size <= MAX_VECTOR_BYTES:
        return words
    taken = accumulate(len(word.encode()) + _MOST_BYTES_FOR_A_LETTER for word in words)
    return words[: sum(1 for _ in takewhile(MAX_VECTOR_BYTES.__ge__, taken))]


def _vector(document: NewDocument) -> bytes:
    """Return a document's words as PostgreSQL receives a tsvector: each with its places, and the weight of a place.

    Text of the same meaning takes the server four times as long to read.
    """
    title, address = tokens(document.title), tokens(document.normalized_url_group)
    text = _fitting(tokens(_stored_text(document.text)))
    # A place is left free behind each part: no phrase begins in one and ends in the next.
    after_title = len(title) + 1
    after_address = after_title + len(address) + 1
    in_title, in_address, in_text = _places()
    words: list[str] = []
    places: list[bytes] = []
    late: list[tuple[str, bytes]] = []
    for some, begin, standing in (
        (title, 0, in_title),
        (_marked(title, TITLE_MARK), 0, in_title),
        (address, after_title, in_address),
        (_marked(address, ADDRESS_MARK), after_title, in_address),
        (text, after_address, in_text),
    ):
        here = standing[begin : begin + len(some)]
        places += here
        words += some[: len(here)]
        late += [(word, standing[-1]) for word in some[len(here) :]]
    return _packed_vector(_gathered(words, places, late))


def _gathered(words: list[str], places: list[bytes], late: list[tuple[str, bytes]]) -> dict[str, bytes]:
    """Return the places of each word; those after the last one that PostgreSQL can name get that place, once."""
    found: dict[str, bytes] = {}
    for word, place in zip(words, places, strict=True):
        # A list for each word would take twice as long: most words are on a page once or twice.
        if word in found:
            found[word] += place
        else:
            found[word] = place
    for word, last in late:
        known = found.get(word, b"")
        if not known.endswith(_LAST_PLACES):
            found[word] = known + last
    return found


def _packed_vector(places: Mapping[str, bytes]) -> bytes:
    """Return words and their places as the server reads them: a count, then name, number of places and places each."""
    if max(map(len, places), default=0) * _MOST_BYTES_FOR_A_CHARACTER > _MAX_LEXEME_BYTES:
        places = {word: found for word, found in places.items() if len(word.encode()) <= _MAX_LEXEME_BYTES}
    if not places:
        return bytes(4)
    found = [*places.values()]
    if len(max(found, key=len)) > _MOST_PLACES_BYTES:
        found = [some[:_MOST_PLACES_BYTES] for some in found]
    # All names are encoded at once, and nothing is done for each in Python: there are a thousand to a page.
    names = "\n".join(places).encode().split(b"\n")
    numbers = map(_numbers_of_places().__getitem__, map(len, found))
    return len(names).to_bytes(4) + b"".join(chain.from_iterable(zip(names, numbers, found, strict=True)))


def _marked(words: list[str], mark: str) -> list[str]:
    return [mark + word for word in words]


@cache
def _places() -> tuple[list[bytes], ...]:
    """Return how a place is written: in a title, in a page's name, and in a text."""
    return tuple([(weight << 14 | place).to_bytes(2) for place in range(1, _LAST_POSITION + 1)] for weight in _WEIGHTS)


@cache
def _numbers_of_places() -> list[bytes]:
    """Return the end of a word's name and how many places follow, by the bytes that they take."""
    return [b"\0" + (size // 2).to_bytes(2) for size in range(_MOST_PLACES_BYTES + 1)]
