"""Ranking of search results: one pure function over the facts that the database has about a document."""

import heapq
import math
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from webstrata.model.search.relevance import Relevance
from webstrata.model.search.terms import FEW_TERMS

WEIGHT_OF_TITLE = 0.6
WEIGHT_OF_NEARNESS = 0.05
WEIGHT_OF_ALL_WORDS = 3.0
"""More than all other parts together: pages with all words of a query in one passage come first."""

WEIGHT_OF_ALL_WORDS_OF_LONG = 0.05
"""The same for long questions, where it is smaller: a page in which nearly all words occur often is more relevant
than a page in which each word occurs once."""

WEIGHT_OF_AUTHORITY = 0.15
MANY_LINKS = 10_000
MUCH_RANK = 1_000.0
"""The PageRank, as `rank_mass`, at which a page gets the full weight; that of a page without inlinks is 1."""
COST_OF_A_LEVEL = 0.02
MOST_LEVELS = 6
URL_COSTS = (0.0, 0.03, 0.06)
"""Penalties of a URL: none, for a query string, for a query string with nothing but tracking parameters.

All are shares of the best text in a list of results, which counts 1. They were found by trying the queries of
tests/search/queries.yaml: run them again before changing one.
"""


class Ranking(StrEnum):
    """The ranking method: V1 uses the text alone, V2 all known facts of a page."""

    V1 = "v1"
    V2 = "v2"


class Facts(NamedTuple):
    """The facts of a document that was found; a tuple, as a search has thousands of them."""

    title: str
    """Its words folded, with a space before, between and after them."""
    inlinks: int
    depth: int
    rank_mass: float = 0.0


class Score(NamedTuple):
    """The parts of a document's score; the penalty of the URL is subtracted for each capture."""

    text: float
    title: float = 0.0
    authority: float = 0.0
    depth: float = 0.0
    nearness: float = 0.0
    all_words: float = 0.0

    @property
    def total(self) -> float:
        """Return the parts added up."""
        return self.text + self.title + self.authority + self.depth + self.nearness + self.all_words


def scores(
    relevance: Mapping[int, float],
    known: Mapping[int, Facts],
    phrases: Sequence[tuple[str, ...]],
    ranking: Ranking = Ranking.V2,
) -> dict[int, Score]:
    """Return the score of every document found, by its id; `phrases` are the phrases of the query, word by word.

    A document without facts is ranked by its relevance alone.
    """
    best = max(relevance.values(), default=0.0) or 1.0
    judged = known if ranking is Ranking.V2 else {}
    return {
        document: _score(text / best, judged[document], phrases) if document in judged else Score(text / best)
        for document, text in relevance.items()
    }


def match_scores(
    found: Mapping[int, Relevance], known: Mapping[int, Facts], phrases: Sequence[tuple[str, ...]], *, terms: int
) -> dict[int, Score]:
    """Return the scores of pages whose words were read, by document; `terms` are as many as the question has."""
    worth_of_all = WEIGHT_OF_ALL_WORDS if terms <= FEW_TERMS else WEIGHT_OF_ALL_WORDS_OF_LONG
    best = max((relevance.words for relevance in found.values()), default=0.0) or 1.0
    return {
        document: _score(relevance.words / best, known[document], phrases)._replace(
            nearness=WEIGHT_OF_NEARNESS * relevance.nearness,
            all_words=worth_of_all if relevance.is_whole else 0.0,
        )
        for document, relevance in found.items()
    }


def scores_after(read: Mapping[int, Score], others: Mapping[int, float]) -> dict[int, Score]:
    """Return scores that sort documents by relevance, after all documents whose words were read."""
    least = min((score.total for score in read.values()), default=0.0)
    best = max(others.values(), default=0.0) or 1.0
    return {document: Score(least - 2 + relevance / best) for document, relevance in others.items()}


def best_scored(ranked: Mapping[int, Score], most: int) -> tuple[list[int], float]:
    """Return about `most` of the best documents, and a score that no other document reaches."""
    if len(ranked) <= most:
        return list(ranked), -math.inf
    totals = [(score.total, document) for document, score in ranked.items()]
    least, _ = heapq.nlargest(most, totals)[-1]
    return [document for total, document in totals if total >= least], least


def url_cost(kind: int, ranking: Ranking = Ranking.V2) -> float:
    """Return what a capture loses for its address."""
    return URL_COSTS[kind] if ranking is Ranking.V2 else 0.0


def depth_of(url_group: str) -> int:
    """Return how many steps a page is below the front page of its site."""
    return max(0, url_group.partition("?")[0].rstrip("/").count("/") - _SLASHES_OF_A_SITE)


_SLASHES_OF_A_SITE = 2


def _score(text: float, facts: Facts, phrases: Sequence[tuple[str, ...]]) -> Score:
    return Score(
        text,
        WEIGHT_OF_TITLE * _title_match(facts.title, phrases),
        WEIGHT_OF_AUTHORITY * _authority(facts),
        -COST_OF_A_LEVEL * min(facts.depth, MOST_LEVELS),
    )


def _authority(facts: Facts) -> float:
    """Return the authority of a page: half from the number of its inlinks, half from its PageRank."""
    linked = math.log1p(facts.inlinks) / math.log1p(MANY_LINKS) if facts.inlinks > 0 else 0.0
    ranked = math.log(facts.rank_mass) / math.log(MUCH_RANK) if facts.rank_mass > 1 else 0.0
    return (min(1.0, linked) + min(1.0, ranked)) / 2


def _title_match(title: str, phrases: Sequence[tuple[str, ...]]) -> float:
    """Return how well a title matches: best with all words of the query, less well with a part of them."""
    held = [phrase for phrase in phrases if phrase and all(f" {word} " in title for word in phrase)]
    if not held:
        return 0.0
    longest = max(map(len, phrases))
    return max(_share_of_title(phrase, title) * len(phrase) / longest for phrase in held)


def _share_of_title(phrase: tuple[str, ...], title: str) -> float:
    """Return the share of a title that a phrase makes up, but at least 0.5; half of that if its words are scattered."""
    share = 0.5 + 0.5 * len(phrase) / max(title.count(" ") - 1, len(phrase))
    return share if f" {' '.join(phrase)} " in title else share / 2
