import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.content.tokens import fold, tokens
from webstrata.search.passage import passage


def shown(text: str, *words: str) -> str:
    return "".join(f"[{run.text}]" if run.marked else run.text for run in passage(text, set(words)))


@pytest.mark.parametrize(
    ("text", "words", "result"),
    [
        ("Flu is here.", ["flu"], "[Flu] is here."),
        ("L'ÉTÉ, l’été", ["ete"], "L'[ÉTÉ], l’[été]"),
        ("cafe\u0301s", ["cafes"], "[cafe\u0301s]"),
        ("flu  \n flu", ["flu"], "[flu] [flu]"),
        ("foo_bar-baz", ["bar"], "foo_[bar]-baz"),
        ("influenza flu", ["flu"], "influenza [flu]"),
        ("nothing", ["flu"], ""),
        ("", ["flu"], ""),
        ("anything", [], ""),
    ],
)
def test_the_words_that_were_searched_are_marked_as_written(text: str, words: list[str], result: str) -> None:
    assert shown(text, *words) == result


def test_the_passage_is_where_the_words_stand_closest() -> None:
    text = "one " + "x " * 300 + "one two one two " + "x " * 300 + "two"
    assert shown(text, "one", "two").count("[") == 4


def test_a_long_text_is_cut_between_words_and_reports_it() -> None:
    result = shown("word " * 200 + "needle " + "word " * 200, "needle")
    assert result.startswith("… word ")
    assert result.endswith(" word …")
    assert "[needle]" in result
    assert len(result) <= 280


def test_a_text_without_any_space_still_gives_a_passage() -> None:
    result = shown("x" * 1_000 + "-needle-" + "y" * 1_000, "needle")
    assert "[needle]" in result


def test_a_letter_with_thousands_of_marks_does_not_make_a_passage_long() -> None:
    result = shown("before a" + "\u0315\u0300" * 50_000 + " after", "a")
    assert result.startswith("before [a\u0315")
    assert len(result) <= 700


@given(st.text(max_size=500), st.data())
def test_a_passage_is_a_piece_of_the_text_with_only_the_words_marked(text: str, data: st.DataObject) -> None:
    words = data.draw(st.sets(st.sampled_from(tokens(text)))) if tokens(text) else set()
    runs = passage(text, words)
    assert all(fold(run.text) in words for run in runs if run.marked)
    whole = "".join(run.text for run in runs).removeprefix("… ").removesuffix(" …")
    assert whole in " ".join(text.split())
