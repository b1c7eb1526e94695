"""Patterns in lower case: the same matches at the same places as a pattern that ignores case."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.content.listing.lower_case import AnyCase

_PATTERN = r"(?P<code>eur|kr\.|руб|ευρώς?|s/)\s?(?P<amount>\d+)"
_LETTERS = "eurEURkrKR.рубРУБευρώςΕΥΡΏΣsSſıİKµ/ 12ß"


@pytest.mark.parametrize("text", ["12 EUR 30", "Kr. 5", "РУБ 7", "ΕΥΡΏΣ 4", "ſ/ 9", "İ EUR 3", "ß kr. 1", ""])
def test_a_text_in_any_case_has_the_matches_of_a_pattern_that_ignores_case(text: str) -> None:
    assert _places(text) == [found.span() for found in re.finditer(_PATTERN, text, re.IGNORECASE)]


@given(st.text(_LETTERS, max_size=30))
def test_no_text_has_other_matches(text: str) -> None:
    assert _places(text) == [found.span() for found in re.finditer(_PATTERN, text, re.IGNORECASE)]


def _places(text: str) -> list[tuple[int, int]]:
    return [found.span() for found in AnyCase(_PATTERN).apply(text, re.Pattern.finditer)]
