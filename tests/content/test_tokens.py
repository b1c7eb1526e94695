import sqlite3
import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.content.native import FoldedTexts
from webstrata.content.tokens import fold, places, tokens

pytestmark = pytest.mark.usefixtures("both_ways")

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


class Spelled(dict[int, str]):
    """Spells every character out, and says how often it was asked."""

    asked = 0

    def __missing__(self, code: int) -> str:
        self.asked += 1
        return f"[{code:x}]"


@given(st.text(st.characters(exclude_categories=())))
def test_the_library_asks_what_a_character_becomes_and_puts_it_there(text: str) -> None:
    spelled = "".join(f"[{ord(character):x}]" for character in text)
    known = max(map(ord, text), default=0) < 0x20000
    assert FoldedTexts(Spelled()).folded(text) == (spelled if known else None)


def test_the_library_asks_once() -> None:
    spelled = Spelled()
    texts = FoldedTexts(spelled)
    for _ in range(3):
        assert texts.folded("éàé" * 1_000) == "[e9][e0][e9]" * 1_000
    assert texts.folded("ü") == "[fc]"
    assert spelled.asked == 3


def test_threads_that_learn_at_once_do_not_disturb_each_other() -> None:
    texts = FoldedTexts(Spelled())
    alphabets = ["".join(map(chr, range(start, start + 700))) for start in range(0x400, 0x9000, 500)]
    wanted = ["".join(f"[{ord(character):x}]" for character in text) for text in alphabets]
    with ThreadPoolExecutor(8) as threads:
        for _ in range(20):
            assert list(threads.map(texts.folded, alphabets)) == wanted
