"""How well a page's words match a question: BM25 over the parts of a page, and how near the words are."""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from webstrata.model.search.terms import Term

SATURATION = 2.0
LENGTH_SHARE = 0.75
"""The constants of BM25, usually called k1 and b."""

PASSAGE_WORDS = 100
"""A text matches the whole question when all words of the question are within so many words. If they are scattered, it
matches only some of the words: a long text contains the words of nearly every question."""

_MOST_SCATTERED = 2
"""Questions with at most so many terms are matched anywhere on a page."""

WEIGHT_OF_OTHER_FORM = 0.75
"""The weight of another form of a word; the word as written counts 1."""

WEIGHTS = {"title": 1.5, "address": 0.6, "headings": 1.0, "main": 1.0, "other": 0.2}
"""The weight of a hit by the part of the page. A heading is also part of the main text, so it counts twice. Menus and
footers describe the site, not the page. `python -m bench relevance` measures the weights: run it before changing
one."""

_FARTHEST = 12
"""Words further apart than this are not near."""


class PageWords(NamedTuple):
    """The words of a page, folded, by the part of the page that they are in."""

    title: Sequence[str]
    address: Sequence[str]
    headings: Sequence[str]
    main: Sequence[str]
    other: Sequence[str]

    @property
    def length(self) -> int:
        """Return the length of the page's own text, without menus and footers."""
        return len(self.title) + len(self.main)


class Relevance(NamedTuple):
    """How well a page's words match a question."""

    words: float
    """BM25, as a share of the highest possible value."""
    nearness: float
    """1 when neighbouring words of the question are neighbours on the page, too."""
    held: frozenset[int]
    """The numbers of the terms that the page contains."""
    is_whole: bool = False
    """Whether all terms are together in one passage or in the title."""


def rarity(documents: int, of_all: int) -> float:
    """Return the weight of a term that is in some of all documents: the rarer, the higher."""
    return math.log1p((max(of_all, documents) - documents + 0.5) / (documents + 0.5))


def per_length(length: float, usual_length: float) -> float:
    """Return what a hit counts in a text: 1 in one that is as long as texts usually are, and less in a longer one."""
    return 1 / (1 - LENGTH_SHARE + LENGTH_SHARE * length / max(usual_length, 1.0))


def bm25(weights: Sequence[float], counts: Mapping[int, float]) -> float:
    """Return how well a text matches terms; `counts` is how often it has each term, by the term's number."""
    found = sum(weights[number] * count / (count + SATURATION) for number, count in counts.items())
    return found * (1 + SATURATION) / (sum(weights) or 1.0)


def bm25_of_all(
    weights: Sequence[float], counts: Mapping[int, Mapping[int, float]], shares: Mapping[int, float]
) -> dict[int, float]:
    """Return `bm25` by document, from the hits by term and document, and what a hit counts in each (`per_length`)."""
    found = dict.fromkeys(shares, 0.0)
    for number, by_document in counts.items():
        weight = weights[number] * (1 + SATURATION) / (sum(weights) or 1.0)
        for document, count in by_document.items():
            hits = count * shares[document]
            found[document] += weight * hits / (hits + SATURATION)
    return found


class TermMatcher:
    """Finds the terms of a question among the words of pages."""

    def __init__(self, terms: Sequence[Term], weights: Sequence[float]) -> None:
        """Use these terms and the weight of each."""
        self.terms = terms
        self.weights = weights
        self._whole = sum(weights) or 1.0
        self._single: dict[str, list[tuple[int, float]]] = {}
        self._several: dict[str, list[tuple[int, tuple[str, ...]]]] = {}
        for number, term in enumerate(terms):
            self._single.setdefault(term.word, []).append((number, 1.0))
            for form in term.forms:
                if len(form) == 1:
                    self._single.setdefault(form[0], []).append((number, WEIGHT_OF_OTHER_FORM))
                else:
                    self._several.setdefault(form[0], []).append((number, form))
        self._first_words = self._single.keys() | self._several.keys()

    def hits(self, words: Sequence[str]) -> list[tuple[int, int, float]]:
        """Return the hits in a list of words: position, number of the term, and weight of the form."""
        first_words = self._first_words
        found: list[tuple[int, int, float]] = []
        # A page has thousands of words, and few of them are hits.
        for place in [place for place, word in enumerate(words) if word in first_words]:
            word = words[place]
            found += [(place, number, exactness) for number, exactness in self._single.get(word, ())]
            for number, form in self._several.get(word, ()):
                if tuple(words[place : place + len(form)]) == form:
                    found.append((place, number, WEIGHT_OF_OTHER_FORM))
        return found

    def as_asked(self, words: Sequence[str]) -> list[str]:
        """Return the words of a page, with other forms replaced by the form in the question."""
        return [self.terms[self._single[word][0][0]].word if word in self._single else word for word in words]

    def relevance(self, page: PageWords, usual_length: float) -> Relevance:
        """Return how well a page matches, given the usual length of pages."""
        counts = [0.0] * len(self.terms)
        in_this_text = per_length(page.length, usual_length)
        hits = {name: self.hits(getattr(page, name)) for name in WEIGHTS}
        for name, weight in WEIGHTS.items():
            share = weight * in_this_text if name in {"main", "headings", "other"} else weight
            for _, number, exactness in hits[name]:
                counts[number] += share * exactness
        return Relevance(
            bm25(self.weights, {number: count for number, count in enumerate(counts) if count}),
            max(self._nearness(hits["main"]), self._nearness(hits["title"])),
            frozenset(number for number, count in enumerate(counts) if count),
            all(counts) and self._are_together(hits["title"], hits["main"]),
        )

    def _are_together(self, in_title: Sequence[tuple[int, int, float]], hits: Sequence[tuple[int, int, float]]) -> bool:
        """Return whether one passage contains all terms that are not in the title; a pair of terms may be anywhere."""
        titled = {number for _, number, _ in in_title}
        wanted = len(self.terms) - len(titled)
        if len(self.terms) <= _MOST_SCATTERED or not wanted:
            return True
        last: dict[int, int] = {}
        for place, number, _ in hits:
            if number not in titled:
                last[number] = place
                if len(last) == wanted and place - min(last.values()) < PASSAGE_WORDS:
                    return True
        return False

    def share(self, held: frozenset[int]) -> float:
        """Return the share of some terms in the total weight of a question."""
        return sum(self.weights[number] for number in held) / self._whole

    def _nearness(self, hits: Sequence[tuple[int, int, float]]) -> float:
        """Return the proximity of neighbouring terms of the question, from 0 to 1."""
        if len(self.terms) < 2:
            return 0.0
        best: dict[tuple[int, int], float] = {}
        for (place, one, _), (after, other, _) in pairwise(hits):
            gap = after - place
            if one != other and gap <= _FARTHEST:
                # In the order of the question they count more.
                closeness = (1.0 if other > one else 0.6) / max(gap, 1)
                pair = min(one, other), max(one, other)
                best[pair] = max(best.get(pair, 0.0), closeness)
        whole = sum(min(pair) for pair in pairwise(self.weights)) or 1.0
        found = sum(
            closeness * min(self.weights[one], self.weights[other]) / (other - one)
            for (one, other), closeness in best.items()
        )
        return min(1.0, found / whole)


def missing_words(terms: Sequence[Term], held: frozenset[int]) -> tuple[str, ...]:
    """Return the words of terms that a page does not have."""
    return tuple(term.word for number, term in enumerate(terms) if number not in held)


def usual_length(pages: Sequence[PageWords]) -> float:
    """Return the average length of pages; 0 when there are none."""
    return sum(page.length for page in pages) / len(pages) if pages else 0.0
