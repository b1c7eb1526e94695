"""BM25 as the textbooks have it, to compare with: every word counts, with or without stems."""

import math
from collections import Counter

from bench.relevance.collection import Collection, Question
from webstrata.content.tokens import tokens
from webstrata.content.words.stemming import stems_of

_SATURATION, _LENGTH_SHARE = 1.2, 0.75


class Bm25:
    """Searches titles and texts of a collection."""

    def __init__(self, collection: Collection, *, stems: bool) -> None:
        self._stems = stems
        self._texts = {
            page.name: Counter(self._words(f"{page.title} {page.text}", page.language)) for page in collection.pages
        }
        self._holding = Counter(word for words in self._texts.values() for word in words)
        self._usual = sum(words.total() for words in self._texts.values()) / len(self._texts)

    def search(self, question: Question) -> list[str]:
        """Return the pages with one of the words at least, the best first."""
        asked = set(self._words(question.text, question.language))
        scores = {name: self._score(words, asked) for name, words in self._texts.items()}
        return sorted((name for name, score in scores.items() if score), key=lambda name: (-scores[name], name))

    def _words(self, text: str, language: str) -> list[str]:
        words = tokens(text)
        return [min(stems_of(word, language), default=word) for word in words] if self._stems else words

    def _score(self, words: Counter[str], asked: set[str]) -> float:
        norm = _SATURATION * (1 - _LENGTH_SHARE + _LENGTH_SHARE * words.total() / self._usual)
        return sum(
            self._rarity(word) * words[word] * (_SATURATION + 1) / (words[word] + norm)
            for word in asked
            if word in words
        )

    def _rarity(self, word: str) -> float:
        count = self._holding[word]
        return math.log1p((len(self._texts) - count + 0.5) / (count + 0.5))
