import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.content.html import parse_page
from webstrata.content.language import detect_language, tag_to_language

ENGLISH = """
Seasonal influenza is an infection of the nose, throat and lungs. Most people recover within a week without any
treatment, but older adults, young children and people with a chronic illness can become seriously ill. The best way
to protect yourself is to be vaccinated every autumn, to wash your hands often and to stay at home while you are sick.
"""
FRENCH = """
La grippe saisonnière est une infection du nez, de la gorge et des poumons. La plupart des gens se rétablissent en une
semaine sans traitement, mais les personnes âgées, les jeunes enfants et les malades chroniques peuvent être gravement
atteints. La meilleure façon de se protéger est de se faire vacciner chaque automne et de se laver souvent les mains.
"""


@pytest.mark.parametrize(
    ("tag", "language"),
    [
        ("en", "en"),
        ("EN-ca", "en"),
        ("fr_CA", "fr"),
        (" fr , en", "fr"),
        ("zh-Hant-TW", "zh"),
        ("eng", "en"),
        ("fra-CA", "fr"),
        ("fre", "fr"),
        ("ger", "de"),
        ("cmn-Hans-CN", "zh"),
        ("zh-Hans", "zh"),
        ("iw", "he"),
        ("xx", None),
        ("jp", None),
        ("chr", None),
        ("mul", None),
        ("english", None),
        ("x-klingon", None),
        ("", None),
        (None, None),
        ("e\0n", None),
        ("日本", None),
    ],
)
def test_a_language_tag_gives_its_two_letters_or_nothing(tag: str | None, language: str | None) -> None:
    assert tag_to_language(tag) == language


def test_a_text_is_recognised_by_how_it_reads() -> None:
    assert (detect_language(ENGLISH), detect_language(FRENCH)) == ("en", "fr")


@pytest.mark.parametrize("text", ["", "Hello", ENGLISH[:200], "12345 67890 " * 200, "<" * 10_000])
def test_too_little_to_go_by_is_no_language(text: str) -> None:
    assert detect_language(text) is None


@pytest.mark.parametrize(
    ("html", "header", "language"),
    [
        (f'<html lang="fr-CA"><body>{ENGLISH}', "en", "fr"),
        (f"<html><body>{ENGLISH}", "fr-CA, en", "fr"),
        (f'<html lang=""><body>{ENGLISH}', "", "en"),
        (f'<html lang="nonsense"><body>{FRENCH}', None, "fr"),
        ("<p>short", None, None),
    ],
)
def test_a_page_says_its_language_then_the_server_then_its_text(
    html: str, header: str | None, language: str | None
) -> None:
    assert parse_page(html.encode()).language(header) == language


@given(st.text())
def test_no_tag_breaks_the_reading(tag: str) -> None:
    language = tag_to_language(tag)
    assert language is None or len(language) == 2
