"""Stems of words by language, with the Snowball algorithms: `vaccine` and `vaccinated` share the stem `vaccin`."""

import threading
from functools import lru_cache

import Stemmer

from webstrata.content.tokens import fold

LANGUAGES = {
    "en": "english",
    "fr": "french",
    "de": "german",
    "es": "spanish",
    "it": "italian",
    "pt": "portuguese",
    "nl": "dutch",
}
"""Languages whose words are stemmed, with their names in Snowball."""

UNKNOWN_LANGUAGE = "en"
"""Texts that are too short to detect their language are mostly titles and labels; they are stemmed as English."""

SHORTEST_WORD = 3
_STEMS_CACHED = 50_000


class _Stemmers(threading.local):
    """The stemmers of one thread: they are not safe to share."""

    def __init__(self) -> None:
        self._made: dict[str, Stemmer.Stemmer] = {}

    def stem(self, word: str, language: str) -> str:
        if language not in self._made:
            self._made[language] = Stemmer.Stemmer(LANGUAGES[language])
        stem: str = self._made[language].stemWord(word)
        return stem


_STEMMERS = _Stemmers()


def stem_language(language: str | None) -> str | None:
    """Return the language in which the words of a text are stemmed; None when there is no stemmer for it."""
    known = language or UNKNOWN_LANGUAGE
    return known if known in LANGUAGES else None


@lru_cache(_STEMS_CACHED)
def stems_of(word: str, language: str) -> frozenset[str]:
    """Return the stems of a word, folded: of the word as written, and of the word as typed without accents."""
    if word.isascii() and word.isalpha() and word.islower():
        return frozenset([_STEMMERS.stem(word, language)]) if len(word) >= SHORTEST_WORD else frozenset()
    plain = fold(word)
    if len(plain) < SHORTEST_WORD or not plain.isalpha():
        return frozenset()
    found = {fold(_STEMMERS.stem(word, language)), _STEMMERS.stem(plain, language)}
    return frozenset(stem for stem in found if stem.isalpha())
