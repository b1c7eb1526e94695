import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.model.search.similarity import (
    best_meant,
    distance,
    likely_meant,
    near_spellings,
    slips_forgiven,
    trigrams,
)

KNOWN = [
    "coronavirus",
    "vaccine",
    "vaccines",
    "racine",
    "measles",
    "hepatitis",
    "influenza",
    "radon",
    "random",
    "tree",
    "hazard",
    "revere",
]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("coronovirus", "coronavirus"),
        ("cornavirus", "coronavirus"),
        ("vacine", "vaccine"),
        ("measels", "measles"),
        ("hepattitis", "hepatitis"),
        ("infuenza", "influenza"),
        ("radn", "radon"),
        ("trie", None),
        ("tere", "tree"),
        ("harvard", None),
        ("severe", None),
        ("ocronavirus", "coronavirus"),
        ("flu", None),
        ("xylophone", None),
        ("zzzz", None),
    ],
)
def test_a_misspelt_word_means_the_known_one_that_is_nearest(written: str, meant: str | None) -> None:
    likely = likely_meant(written, KNOWN)
    assert best_meant(written, dict.fromkeys(likely, 1)) == meant


def test_of_words_equally_near_the_more_common_one_is_chosen_and_none_that_begins_otherwise() -> None:
    assert likely_meant("vacine", ["racine", "vaccine"]) == ["vaccine"]
    assert best_meant("dise", {"dose": 5, "dike": 50, "dime": 0}) == "dike"
    assert best_meant("dise", {"dose": 0}) is None


@pytest.mark.parametrize(
    ("written", "meant"), [("chlid", "child"), ("shuold", "should"), ("chld", "child"), ("doese", "dose")]
)
def test_one_slip_that_leaves_no_trigram_is_among_the_near_spellings(written: str, meant: str) -> None:
    assert not trigrams(written) & trigrams(meant)
    assert meant in near_spellings(written)
    assert written not in near_spellings(written)


@pytest.mark.parametrize(
    ("one", "other", "slips"),
    [("flu", "flu", 0), ("flu", "flue", 1), ("flu", "fly", 1), ("flu", "ful", 1), ("flu", "lf", 2), ("abcdef", "", 4)],
)
def test_slips_are_letters_left_out_put_in_replaced_or_swapped(one: str, other: str, slips: int) -> None:
    assert distance(one, other, 3) == slips


@given(st.text("abc", max_size=8), st.text("abc", max_size=8))
def test_distance_is_the_same_both_ways_and_nought_only_between_equals(one: str, other: str) -> None:
    assert distance(one, other, 99) == distance(other, one, 99)
    assert (distance(one, other, 99) == 0) == (one == other)


def test_short_words_are_never_taken_for_others() -> None:
    assert [slips_forgiven("x" * length) for length in (0, 3, 4, 7, 8, 11, 12, 40, 41)] == [0, 0, 1, 1, 2, 2, 3, 3, 0]
    assert trigrams("radon") == {"rad", "ado", "don"}
