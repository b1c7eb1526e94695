"""The stored form and the indexed words of a document, computed without a database."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, chain, takewhile

import xxhash

from webstrata.content.tokens import folded, tokens
from webstrata.db.captures.packed_text import packed

MAX_STORED_CHARACTERS = 500_000
"""The most characters of a text that are stored: far more than pages that people write have."""

MAX_WORD_BYTES = 2_045
MAX_VECTOR_BYTES = 1_000_000
"""Limits of PostgreSQL: longer words with a mark and vectors above 1 MB are refused. They also apply to SQLite, so that
both find the same."""

TITLE_MARK, ADDRESS_MARK = "=", "@"
"""On PostgreSQL, words of a title or an address are indexed a second time with a prefix that no word can contain: a
search in these fields then needs only the index."""

_MAX_LEXEME_BYTES = MAX_WORD_BYTES + 1
_MOST_BYTES_FOR_A_LETTER = 8
_MOST_BYTES_FOR_A_CHARACTER = 4
_LAST_POSITION = 16_383
_WEIGHTS = 3, 2, 0
"""The weights A, B and D in PostgreSQL's encoding, for positions in a title, in a page's name and in a text."""
_LAST_PLACES = tuple((weight << 14 | _LAST_POSITION).to_bytes(2) for weight in _WEIGHTS)
_MOST_PLACES_BYTES = 2 * 255


@dataclass(frozen=True)
class NewDocument:
    """A title and a text under a page's name."""

    normalized_url_group: str
    title: str
    text: str
    language: str | None = None
    """The language under which its word forms are stored; not a part of its identity."""

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
    """A document with everything that can be computed before it is stored."""

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
    """The words that SQLite indexes: title, page name and text, folded."""
    vector: bytes
    """The words that PostgreSQL indexes, in its binary format."""
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
    """Return a document ready to be stored. Its words are folded here and not by the database, so that both databases
    find the same."""
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
    """Return the folded words that SQLite indexes: of title, page name and text."""
    text = folded(_stored_text(document.text))
    # A word takes at least a letter and a space: only long texts must be split to know whether they fit.
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
    """Return as many words as fit into a PostgreSQL vector: each takes its own bytes and some for its positions."""
    # Texts rarely exceed the limit: first all words are measured together, and only if they are too long one by one.
    size = len("".join(words).encode()) + _MOST_BYTES_FOR_A_LETTER * len(words)
    if size <= MAX_VECTOR_BYTES:
        return words
    taken = accumulate(len(word.encode()) + _MOST_BYTES_FOR_A_LETTER for word in words)
    return words[: sum(1 for _ in takewhile(MAX_VECTOR_BYTES.__ge__, taken))]


def _vector(document: NewDocument) -> bytes:
    """Return a document's words as a binary tsvector: each with its positions and their weights.

    The server takes four times as long to parse the same as text.
    """
    title, address = tokens(document.title), tokens(document.normalized_url_group)
    text = _fitting(tokens(_stored_text(document.text)))
    # One position is left free after each part, so that no phrase matches across two parts.
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
    """Return the encoded positions of each word; positions above PostgreSQL's highest are replaced by the highest,
    once."""
    found: dict[str, bytes] = {}
    for word, place in zip(words, places, strict=True):
        # Bytes and not lists: most words are on a page once or twice, and a list for each would take twice as long.
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
    """Return words and positions in the server's format: a count, then for each word its name, the number of positions,
    and these."""
    if max(map(len, places), default=0) * _MOST_BYTES_FOR_A_CHARACTER > _MAX_LEXEME_BYTES:
        places = {word: found for word, found in places.items() if len(word.encode()) <= _MAX_LEXEME_BYTES}
    if not places:
        return bytes(4)
    found = [*places.values()]
    if len(max(found, key=len)) > _MOST_PLACES_BYTES:
        found = [some[:_MOST_PLACES_BYTES] for some in found]
    # All names are encoded at once, without a loop in Python: a page has about a thousand.
    names = "\n".join(places).encode().split(b"\n")
    numbers = map(_numbers_of_places().__getitem__, map(len, found))
    return len(names).to_bytes(4) + b"".join(chain.from_iterable(zip(names, numbers, found, strict=True)))


def _marked(words: list[str], mark: str) -> list[str]:
    return [mark + word for word in words]


@cache
def _places() -> tuple[list[bytes], ...]:
    """Return the encoding of each position: in a title, in a page's name, and in a text."""
    return tuple([(weight << 14 | place).to_bytes(2) for place in range(1, _LAST_POSITION + 1)] for weight in _WEIGHTS)


@cache
def _numbers_of_places() -> list[bytes]:
    """Return the end of a word's name and the number of its positions, encoded, by the length of these in bytes."""
    return [b"\0" + (size // 2).to_bytes(2) for size in range(_MOST_PLACES_BYTES + 1)]
