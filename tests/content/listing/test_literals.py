"""Sets of literal texts: they find what a search for each of them finds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.content.listing.literals import LiteralSet

_LITERALS = ("in stock", "not in stock", "stock", "€", "р.", ",-", "en stock", "a|b", ".", "en rupture")
_SEARCH = LiteralSet(_LITERALS)


@pytest.mark.parametrize(
    "text", ["", "not in stock", "12 € en stock.", "a|b,-", "\ud800 € stock", "x" * 100_000 + "р."]
)
def test_a_set_finds_every_literal_of_a_text(text: str) -> None:
    assert _SEARCH.found_in(text) == {literal for literal in _LITERALS if literal in text}


@given(st.lists(st.sampled_from([*_LITERALS, " ", "n", "not ", "\0", "é"]), max_size=12).map("".join))
def test_no_text_has_other_literals(text: str) -> None:
    assert _SEARCH.found_in(text) == {literal for literal in _LITERALS if literal in text}
