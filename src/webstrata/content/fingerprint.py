"""Fingerprint (SimHash) of a text: 64 bits, nearly all equal for similar texts, about half equal for different ones."""

from functools import cache

import xxhash

_FEWEST_WORDS = 16
"""In shorter texts, a single change flips too many bits."""

_MOST_WORDS = 1_024
"""About three pages of a book: more words hardly change the fingerprint."""

_LANE = 64
_ALL = (1 << _LANE) - 1
_SECOND, _THIRD = 23, 46
"""By how many bits the hashes of the second and the third word of a shingle are rotated, so that their order
matters."""

_LETTERS_A_WORD = 16
"""If words are longer on average, the text is in a script without spaces, and each character counts as a word."""


def fingerprint(text: str) -> int | None:
    """Return the fingerprint of a text, as a signed number of 64 bits, or None when it is too short for one."""
    first = _first_words(text)
    words = first.encode().split()
    bits, count = _bits_of(words)
    if len(first) > _LETTERS_A_WORD * count:
        bits, count = _bits_of(_characters(b"".join(words)))
    if count < _FEWEST_WORDS:
        return None
    return bits - (1 << _LANE) if bits >> (_LANE - 1) else bits


def distance(one: int, other: int) -> int:
    """Return the number of bits that differ, of 64: 0 for the same words, around 32 for unrelated texts."""
    return ((one ^ other) & _ALL).bit_count()


def _bits_of(words: list[bytes]) -> tuple[int, int]:
    """Return the bits that are set in most shingles (runs of three words), and the number of words."""
    return _majority(_shingles(words), len(words) - 2) if len(words) >= _FEWEST_WORDS else 0, len(words)


def _first_words(text: str) -> str:
    """Return the first words of a text, folded, with single spaces."""
    # Only the words that count are folded: folding is slow and does not change white space.
    first = text.encode("utf-8", "replace").split(None, _MOST_WORDS)[:_MOST_WORDS]
    return b" ".join(first).decode().casefold()


def _characters(text: bytes) -> list[bytes]:
    return [character.encode() for character in text.decode()[:_MOST_WORDS]]


def _shingles(words: list[bytes]) -> int:
    """Return the hashes of all shingles as one long number with lanes of 64 bits."""
    # Operations on one long number run in C; a loop over thousands of hashes would take ten times as long. Hashing a
    # word again is twice as fast as looking its hash up in a large dict.
    lanes = int.from_bytes(b"".join(map(xxhash.xxh3_64_digest, words)), "little")
    shingles = lanes ^ _turned(lanes >> _LANE, _SECOND) ^ _turned(lanes >> 2 * _LANE, _THIRD)
    return shingles & ((1 << (len(words) - 2) * _LANE) - 1)


def _turned(lanes: int, by: int) -> int:
    """Return every lane with its bits rotated by a number of places."""
    return ((lanes << by) & _repeated(_ALL ^ ((1 << by) - 1))) | ((lanes >> (_LANE - by)) & _repeated((1 << by) - 1))


@cache
def _repeated(lane: int) -> int:
    """Return a lane repeated for the largest number of words; cached, as making it takes longer than using it."""
    return int.from_bytes(lane.to_bytes(_LANE // 8, "little") * _MOST_WORDS, "little")


def _majority(lanes: int, count: int) -> int:
    """Return, for each of the 64 bits, whether it is set in more than half of the lanes."""
    half, more, as_many = count // 2, 0, _ALL
    for place, plane in reversed(list(enumerate(_sums(lanes, count)))):
        if half >> place & 1:
            as_many &= plane
        else:
            more |= as_many & plane
            as_many &= ~plane
    return more


def _sums(lanes: int, count: int) -> list[int]:
    """Return how often each of the 64 bits is set, as bit planes: first the lowest binary digits of all counts, then
    the next."""
    planes = [lanes]
    while count > 1:
        count = (count + 1) // 2
        size = count * _LANE
        low = (1 << size) - 1
        planes = _added([plane & low for plane in planes], [plane >> size for plane in planes])
    return planes


def _added(one: list[int], other: list[int]) -> list[int]:
    total, carry = [], 0
    for a, b in zip(one, other, strict=True):
        differing = a ^ b
        total.append(differing ^ carry)
        carry = (a & b) | (carry & differing)
    return [*total, carry]
