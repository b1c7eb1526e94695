import random

import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st

from webstrata.content.fingerprint import distance, fingerprint

WORDS = [f"word{number}" for number in range(3_000)]
CHINESE = "季节性流感是鼻子喉咙和肺部的感染大多数人无需治疗即可在一周内康复"


def some_text(seed: int, length: int = 500) -> str:
    return " ".join(random.Random(seed).choices(WORDS, k=length))


def known(text: str) -> int:
    found = fingerprint(text)
    assert found is not None
    return found


def by_the_book(words: list[str]) -> int:
    """Return a simhash of runs of three words, counted bit by bit."""
    hashes = [int.from_bytes(xxhash.xxh3_64_digest(word.encode()), "little") for word in words]

    def turned(number: int, by: int) -> int:
        return (number << by | number >> (64 - by)) & (2**64 - 1)

    runs = [a ^ turned(b, 23) ^ turned(c, 46) for a, b, c in zip(hashes, hashes[1:], hashes[2:], strict=False)]
    bits = sum(1 << bit for bit in range(64) if 2 * sum(run >> bit & 1 for run in runs) > len(runs))
    return bits - 2**64 if bits >= 2**63 else bits


@given(st.lists(st.sampled_from(["a", "bb", "ccc", "été", "4"]), min_size=16, max_size=70))
def test_a_fingerprint_is_what_counting_bit_by_bit_gives(words: list[str]) -> None:
    assert fingerprint(" ".join(words)) == by_the_book(words)


@pytest.mark.parametrize("seed", range(10))
def test_a_few_changed_words_turn_a_few_bits(seed: int) -> None:
    words = some_text(seed).split()
    words[100], words[300:303] = "changed", ["another", "three", "words"]
    assert distance(known(some_text(seed)), known(" ".join(words))) <= 10


@pytest.mark.parametrize("seed", range(10))
def test_different_texts_differ_in_about_half_the_bits(seed: int) -> None:
    assert 16 <= distance(known(some_text(seed)), known(some_text(seed + 100))) <= 48


def test_case_and_spaces_make_no_difference() -> None:
    text = some_text(1)
    assert fingerprint(text) == fingerprint(text.upper().replace(" ", "\n  "))


def test_the_order_of_the_words_counts() -> None:
    words = some_text(2).split()
    assert distance(known(" ".join(words)), known(" ".join(reversed(words)))) > 10


@pytest.mark.parametrize("text", ["", "short", "word " * 15])
def test_a_text_too_short_to_say_anything_has_none(text: str) -> None:
    assert fingerprint(text) is None


def test_a_text_without_spaces_is_compared_by_its_characters() -> None:
    text = CHINESE * 3
    assert distance(known(text), known(text.replace("喉咙", "咽喉", 1))) <= 12
    assert distance(known(text), known("".join(sorted(text)))) > 12


def test_a_fingerprint_fits_a_signed_column_of_64_bits() -> None:
    found = [known(some_text(seed, 50)) for seed in range(40)]
    assert all(-(2**63) <= number < 2**63 for number in found)
    assert any(number < 0 for number in found)
    assert distance(-1, 0) == 64


def test_a_long_text_has_one_too() -> None:
    assert distance(known(some_text(3, 200_000)), known(some_text(3, 200_000) + " more words")) <= 2


def test_of_a_long_text_more_counts_than_its_beginning() -> None:
    beginning = some_text(1, 200)
    one, other = (f"{beginning} {some_text(seed, 5_000)}" for seed in (2, 3))
    assert distance(known(one), known(other)) > 14
