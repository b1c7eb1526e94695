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


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Seasonal influenza is an infection of the nose, throat and lungs.", "en"),
        ("La grippe est une infection du nez et de la gorge.", "fr"),
        ("Die Grippe ist eine Infektion, die sich im Winter ausbreitet.", "de"),
        ("Lávese las manos con agua y jabón y quédese en casa si está enfermo.", "es"),
        ("インフルエンザはウイルスによる感染症です。", "ja"),
        ("독감은 바이러스에 의한 감염병입니다.", "ko"),
        ("Η γρίπη είναι μια λοίμωξη", "el"),
    ],
)
def test_a_short_text_has_a_language_where_that_is_sure(text: str, language: str) -> None:
    assert detect_language(text) == language


@pytest.mark.parametrize(
    "text",
    [
        *("", "Hello", "Contact us", "Menu Home News Contact", "La de un", "12345 67890 " * 200, "<" * 10_000),
        "De og det er en i på for til at som med",
    ],
)
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
        ("<p>The flu is an infection of the nose and the throat.", None, "en"),
        ('<html lang="fr"><p>The flu is an infection of the nose and the throat.', "en", "fr"),
        ('<html lang="fr"><p>short', "en", "fr"),
    ],
)
def test_a_page_states_its_language_then_the_server_then_its_text(
    html: str, header: str | None, language: str | None
) -> None:
    assert parse_page(html.encode()).language(header) == language


@given(st.text())
def test_no_tag_breaks_the_reading(tag: str) -> None:
    language = tag_to_language(tag)
    assert language is None or len(language) == 2
