"""Forms of words: which words of some texts share a stem, so that a question in one form finds the others."""

import re
from collections.abc import Iterable, Mapping

from webstrata.content.tokens import fold
from webstrata.content.words.compounds import compounds_in
from webstrata.content.words.stemming import SHORTEST_WORD, stems_of

_LETTERS = re.compile(r"[^\W\d_]+")
_LONGEST_WORD = 40


def words_with_forms(words: Iterable[str]) -> set[str]:
    """Return those of some folded words that may have other forms."""
    return {word for word in words if SHORTEST_WORD <= len(word) <= _LONGEST_WORD and word.isalpha()}


def accented_words(pieces: Iterable[str]) -> dict[str, str]:
    """Return the words with accents in pieces of text, by their form without accents."""
    accented = (piece for piece in pieces if not piece.isascii())
    return {fold(word): word for piece in accented for word in _LETTERS.findall(piece.lower())}


def stemmed(words: Iterable[str], accented: Mapping[str, str], language: str) -> list[tuple[str, str]]:
    """Return sorted pairs of stem and form for folded words of a language."""
    pairs = {
        (stem, word)
        for word in words
        for stem in (
            stems_of(accented[word], language) | stems_of(word, language)
            if word in accented
            else stems_of(word, language)
        )
    }
    return sorted(pairs)


def compound_forms(pieces: Iterable[str], language: str) -> list[tuple[str, str]]:
    """Return pairs of stem and form for compounds and abbreviations: the form is their words with spaces."""
    pairs = {
        (stem, words)
        for joined, words in compounds_in(pieces).items()
        for stem in {joined, *stems_of(joined, language)}
    }
    return sorted(pairs)
