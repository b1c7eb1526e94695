"""Search hits for display: the best passage, its heading, and the words of the query that are missing."""

from collections.abc import Iterator
from dataclasses import replace

from webstrata.content.tokens import tokens
from webstrata.content.words.page_words import page_words
from webstrata.db.search.question import Hit
from webstrata.model.archive import SnapshotView
from webstrata.model.search.query import wanted_words
from webstrata.model.search.relevance import TermMatcher, missing_words
from webstrata.model.search.stop_words import QUANTITY_WORDS
from webstrata.model.search.values import Fallback
from webstrata.search.attempts import SearchAttempt
from webstrata.search.passage import answering_passage

_SHORTEST_MARKED = 2
"""The shortest part of a compound that is marked: the `e` of `e mail` would be marked everywhere."""


_LONGEST_MARKED = 100
"""Letters of a word that is marked for its beginning; a hostile page has words of hundreds of thousands."""


class HitPresenter:
    """Prepares the hits of one search attempt for display."""

    def __init__(self, attempt: SearchAttempt, written: str) -> None:
        """Prepare for a search attempt and the query as the reader wrote it."""
        self._attempt = attempt
        self._asks_for_number = not QUANTITY_WORDS.isdisjoint(tokens(written))

    def present(self, hit: Hit) -> SnapshotView:
        """Return a result with its best passage, in which the hits are marked."""
        attempt = self._attempt
        if attempt.expression is None:
            return hit.view
        words = dict(self._marked_words(hit.text))
        found = answering_passage(hit.text, words, hit.blocks, prefers_numbers=self._asks_for_number)
        return replace(
            hit.view,
            marked_snippet=found.runs,
            passage_heading=found.heading,
            missing_words=self._missing(hit) if attempt.is_partial else (),
        )

    def _marked_words(self, text: str) -> Iterator[tuple[str, int]]:
        """Yield the words to be marked with the number of their term; for prefixes, the words that begin with them."""
        if self._attempt.terms:
            for number, term in enumerate(self._attempt.terms):
                parts = (
                    part for form in term.forms for part in form if len(form) == 1 or len(part) >= _SHORTEST_MARKED
                )
                yield from ((word, number) for word in (*parts, term.word))
            return
        requested = [*wanted_words(self._attempt.expression)]
        for number, part in enumerate(requested):
            yield from ((word, number) for word in part.words)
        if self._attempt.fallback is Fallback.PREFIX:
            beginnings = {part.words[-1]: number for number, part in enumerate(requested) if part.prefix}
            for word in {word for word in tokens(text) if len(word) <= _LONGEST_MARKED}:
                yield from ((word, number) for start, number in beginnings.items() if word.startswith(start))

    def _missing(self, hit: Hit) -> tuple[str, ...]:
        terms, view = self._attempt.terms, hit.view
        matcher = TermMatcher(terms, [1.0] * len(terms))
        page = page_words(view.title or "", view.normalized_url_group, hit.text, hit.blocks)
        return missing_words(terms, matcher.relevance(page, 1.0).held)
