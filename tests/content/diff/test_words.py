import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.content.diff.words import word_marks
from webstrata.model.changes.values import EditKind, Limits

SHOWN = {EditKind.SAME: "{}", EditKind.REMOVED: "[-{}-]", EditKind.ADDED: "[+{}+]"}
TEXTS = st.text(alphabet="ab1 ,.-'€%/:\n\u00a0中字", max_size=40)


def marked(old: str, new: str) -> str:
    return "".join(SHOWN[word.kind].format(word.text) for word in word_marks(old, new, Limits()))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("Take 200 mg twice daily.", "Take 400 mg twice daily.", "Take [-200-][+400+] mg twice daily."),
        ("Take 200mg.", "Take 400mg.", "Take [-200mg-][+400mg+]."),
        ("Updated 2024-03-15, 10:30", "Updated 2024-03-16, 10:30", "Updated [-2024-03-15-][+2024-03-16+], 10:30"),
        ("March 3, 2024", "March 13, 2024", "March [-3-][+13+], 2024"),
        ("It is $1,234.56 now", "It is $1,334.56 now", "It is [-$1,234.56-][+$1,334.56+] now"),
        ("Prix : 1 234,56 €", "Prix : 1 334,56 €", "Prix : [-1 234,56-][+1 334,56+] €"),
        ("Call 1-800-555-1234", "Call 1-800-555-1235", "Call [-1-800-555-1234-][+1-800-555-1235+]"),
        ("at 5% or −5 °C", "at 6% or −15 °C", "at [-5%-][+6%+] or [-−5-][+−15+] °C"),
        ("a well-known drug", "a well-defined drug", "a [-well-known-][+well-defined+] drug"),
        ("see https://a.example/?d=1 now", "see https://a.example/?d=2 now",
         "see [-https://a.example/?d=1-][+https://a.example/?d=2+] now"),
        ("You should take it", "You should not take it", "You should[+ not+] take it"),
        ("Le patient doit boire l'eau", "Le patient ne doit pas boire l'eau",
         "Le patient[+ ne+] doit[+ pas+] boire l'eau"),
        ("10 mg, 20 mg and 30 mg", "10 mg, 25 mg and 35 mg", "10 mg, [-20-][+25+] mg and [-30-][+35+] mg"),
        ("价格是二百元", "价格是三百元", "价格是[-二-][+三+]百元"),
        ("हिन्दी भाषा", "हिन्दी देश", "हिन्दी [-भाषा-][+देश+]"),
        ("The fox jumps over the dog", "A sentence about the weather",
         "[-The fox jumps over the dog-][+A sentence about the weather+]"),
    ],
)  # fmt: skip
def test_words_are_marked_as_a_reader_would_mark_them(old: str, new: str, expected: str) -> None:
    assert marked(old, new) == expected


@given(TEXTS, TEXTS, st.sampled_from([0, 5, 1_000]))
def test_both_texts_can_be_rebuilt_from_the_words(old: str, new: str, longest: int) -> None:
    words = word_marks(old, new, Limits(max_line_characters=longest))
    assert "".join(word.text for word in words if word.kind is not EditKind.ADDED) == old
    assert "".join(word.text for word in words if word.kind is not EditKind.REMOVED) == new
    assert all(word.text for word in words)


def test_a_change_inside_a_very_long_line_is_found_and_an_endless_change_is_not_split() -> None:
    half = "lorem ipsum " * 200_000
    words = word_marks(f"{half}200 mg {half}", f"{half}400 mg {half}", Limits())
    assert [word.text for word in words if word.kind is not EditKind.SAME] == ["200", "400"]
    words = word_marks(half, half.upper(), Limits())
    assert [(word.kind, len(word.text)) for word in words][:2] == [
        (EditKind.REMOVED, len(half) - 1),
        (EditKind.ADDED, len(half) - 1),
    ]
