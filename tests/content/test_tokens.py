import sqlite3
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.content.tokens import fold, places, tokens

SENTENCES = [
    "L'été à l’hôpital : 10 mg/jour, 2,5 °C — œuvre n° 3",
    "ÉLÈVE éleve e\u0301le\u0300ve ÉLÈVE",
    "COVID-19, covid19 & H1N1; foo_bar foo.bar foo@bar.example",
    "Straße STRASSE straẞe ΟΔΟΣ οδος οδοσ",
    "ﬁèvre ① m² H₂O ½ Ⅷ ﷺ",
    "中文字符 日本語テキスト 한국어 עברית العربية हिन्दी ไทย",
    "İstanbul ISTANBUL ıstanbul ĲSSEL ǅ ŉ",
    "\u202e right to left \u200b zero\u00adwidth\ufeff",
    "🙂 emoji👍🏽only\0nul\ud7ff",
]


@pytest.fixture
def fts5() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5(x, tokenize='unicode61 remove_diacritics 2')")
    connection.execute("CREATE VIRTUAL TABLE v USING fts5vocab(t, 'instance')")
    return connection


def words_in_fts5(connection: sqlite3.Connection, texts: list[str]) -> list[list[str]]:
    """Return the words that FTS5 takes from each text."""
    connection.executemany("INSERT INTO t(rowid, x) VALUES (?, ?)", enumerate(texts))
    words: list[list[str]] = [[] for _ in texts]
    for word, row, _ in connection.execute("SELECT term, doc, offset FROM v ORDER BY doc, offset"):
        words[row].append(word)
    return words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("L'été à l’hôpital", ["l", "ete", "a", "l", "hopital"]),
        ("10 mg/jour, 2,5 °C", ["10", "mg", "jour", "2", "5", "c"]),
        ("COVID-19 covid19 foo_bar", ["covid", "19", "covid19", "foo", "bar"]),
        ("e\u0301te\u0301", ["ete"]),
        ("Straße", ["strasse"]),
        ("ΟΔΟΣ οδος", ["οδοσ", "οδοσ"]),
        ("ﬁn m² ①", ["fin", "m2", "1"]),
        ("Cœur, œuf", ["coeur", "oeuf"]),
        ("ÆRØ Łódź smørrebrød Þór", ["aero", "lodz", "smorrebrod", "thor"]),
        ("東京 2020", ["東京", "2020"]),
        (" \t\n.,;", []),
        ("", []),
    ],
)
def test_words_are_folded_and_apart(text: str, words: list[str]) -> None:
    assert tokens(text) == words
    assert fold(text) == " ".join(words)


@given(st.text())
def test_folding_twice_changes_nothing(text: str) -> None:
    assert tokens(fold(text)) == tokens(text)


@given(st.text())
def test_composed_and_decomposed_letters_are_the_same_word(text: str) -> None:
    assert tokens(unicodedata.normalize("NFD", text)) == tokens(unicodedata.normalize("NFC", text))


def test_fts5_finds_the_same_words_in_folded_texts(fts5: sqlite3.Connection) -> None:
    assert words_in_fts5(fts5, [fold(text) for text in SENTENCES]) == [tokens(text) for text in SENTENCES]


def test_fts5_finds_the_same_words_for_all_but_a_few_rare_letters(fts5: sqlite3.Connection) -> None:
    characters = [chr(code) for code in range(0x20000) if not 0xD800 <= code <= 0xDFFF]
    expected = [tokens(f"a{character}b") for character in characters]
    found = words_in_fts5(fts5, [" ".join(words) for words in expected])
    different = {
        unicodedata.name(c) for c, ours, theirs in zip(characters, expected, found, strict=True) if ours != theirs
    }
    assert all(name.startswith(("NEW TAI LUE", "VEDIC SIGN")) for name in different), different


def test_a_word_is_found_at_its_place_in_the_text_as_written() -> None:
    text = "L'Élève, (cafe\u0301s) foo_bar; l'hôpital"
    found = [text[begin:end] for begin, end in places(text, {"eleve", "cafes", "bar", "hopital", "nowhere"})]
    assert found == ["Élève", "cafe\u0301s", "bar", "hôpital"]


@given(st.text())
def test_every_place_holds_a_word_that_was_asked_for(text: str) -> None:
    words = set(tokens(text))
    for begin, end in places(text, words):
        assert fold(text[begin:end]) in words
