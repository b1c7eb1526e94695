import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from webstrata.content.page_file import tidy

MARKS = "\u0315\u0300"
TEXTS = st.text(st.sampled_from("ae\u00e9 \u0301\u0327\u1100\u1161\u304b\u3099\U0001d165"), max_size=60)


@given(TEXTS)
def test_letters_and_their_marks_are_composed(text: str) -> None:
    assert tidy(text) == unicodedata.normalize("NFC", text).strip()


def test_marks_that_no_language_has_stay_as_they_are_and_cost_no_time() -> None:
    # Python would take hours to compose these.
    marks = MARKS * 500_000
    assert tidy(f"e\u0301 a{marks}e\u0301 ") == f"\u00e9 a{marks}\u00e9"


def test_as_many_marks_as_a_decorated_letter_has_are_ordered() -> None:
    assert tidy("a" + MARKS * 32) == "\u00e0" + "\u0300" * 31 + "\u0315" * 32
