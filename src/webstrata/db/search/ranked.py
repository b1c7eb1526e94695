"""Results with the best first: some documents are ranked, the others follow in order of time."""

import json
import math
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

from sqlalchemy.orm import Session

from webstrata.db.search.cache import cached_result
from webstrata.db.search.candidate_texts import read_scores
from webstrata.db.search.candidates import Few, Many, candidates
from webstrata.db.search.question import Hit, Question, SearchHits
from webstrata.db.search.result_rows import BEST_FIRST, GOOD_FIRST, NEWEST_FIRST, fetch_hits
from webstrata.db.search.scope import SearchScope
from webstrata.db.search.scores import MOST_JUDGED, Judged, judged
from webstrata.db.search.term_counts import term_weights
from webstrata.db.search.time_order import MOST_COUNTED, Count, counted, ordered
from webstrata.db.sql.value_lists import as_array
from webstrata.model.search.query import needs_positions
from webstrata.model.search.ranking import Ranking, Score, best_scored, scores, scores_after, url_cost
from webstrata.model.search.relevance import TermMatcher
from webstrata.model.search.terms import FEW_TERMS
from webstrata.model.search.values import View

MOST_KNOWN = 20_000
"""The most documents that a statement lists by id."""

MOST_READ, MOST_READ_OF_LONG = 120, 250
"""How many texts are read to rank pages with some of the words, for short and for long questions: the number of words
alone is not a good order."""

_SPARE = 2
"""To find a page of results, the captures of so many documents per result are read first, and then those of all."""


class RankedSearch:
    """A search with the best results first: some documents are ranked, the others follow, newest first."""

    def __init__(self, session: Session, question: Question, scope: SearchScope) -> None:
        assert question.expression is not None
        self._session = session
        self._question = question
        self._request = question.request
        self._expression = question.expression
        self._scope = scope

    def found(self) -> SearchHits:
        """Return the requested results."""
        if self._question.is_partial:
            return self._with_most_words()
        found = candidates(self._session, self._scope, self._expression)
        if isinstance(found, Many):
            return self._partly_ranked(found.documents, found.count)
        return self._all_ranked(found) if found.total else SearchHits((), 0)

    def _all_ranked(self, found: Few) -> SearchHits:
        ranked = self._scores(found.judged)
        head = _Head(self._session, self._question, self._scope.known(ranked))
        hits = head.page(ranked, self._question.offset)
        return SearchHits(hits, found.total, scores=ranked, documents=len(found.judged.relevance))

    def _with_most_words(self) -> SearchHits:
        """Return results with most of the words; their texts are known already, those with most words first."""
        shares = self._question.shares or {}
        count = counted(self._session, self._scope, MOST_COUNTED)
        if not count.total:
            return SearchHits((), 0)
        is_long = len(self._question.terms) > FEW_TERMS
        ranked = self._read(shares, MOST_READ_OF_LONG if is_long else MOST_READ)
        hits = _Head(self._session, self._question, self._scope).page(ranked, self._question.offset)
        return SearchHits(hits, count.total, count.capped, ranked, documents=len(shares))

    def _partly_ranked(self, documents: Sequence[int], count: Count) -> SearchHits:
        """Return results of which only the first are ranked."""
        offset, size = self._question.offset, self._request.page_size
        scope = self._where_known if self._request.view is View.PAGES else self._scope
        head = _Head(self._session, self._question, scope)
        # Ranked results are counted only when this page may be after their end.
        first = self._captures_of(head, documents) if offset >= len(documents) else None
        ranks = first is None or offset < first
        ranked = self._scores(judged(self._session, self._scope, documents)) if ranks else {}
        hits = head.page(ranked, offset) if ranked else ()
        if len(hits) == size:
            return SearchHits(hits, max(count.total, offset + size), count.capped, ranked, documents=count.documents)
        first = self._captures_of(head, documents) if first is None else first
        if self._within(count):
            others = self._where_known.without(documents)
            skip, requested = max(0, offset - first), size - len(hits)
            hits += ordered(self._session, self._question, others, count, skip=skip, requested=requested)
        is_past_ranked = offset + len(hits) > first
        total = max(count.total, first)
        return SearchHits(hits, total, count.capped, ranked, documents=count.documents, in_time_order=is_past_ranked)

    def _captures_of(self, head: "_Head", documents: Sequence[int]) -> int:
        what = "their captures", self._scope.asks(), tuple(documents)
        return cached_result(self._session, self._scope.state, what, lambda: head.count(documents))

    def _within(self, count: Count) -> bool:
        """Return whether the requested results can be reached: results after the counted ones only by a cursor."""
        return self._question.cursor is not None or not count.capped or self._question.offset < count.total

    @cached_property
    def _where_known(self) -> SearchScope:
        """Return the scope, with its texts already found if finding them again is expensive.

        PostgreSQL's index has no positions of words, so a phrase means reading every document with its words.
        """
        scope = self._scope
        if scope.dialect == "sqlite" or not needs_positions(self._expression):
            return scope
        rows = scope.execute(self._session, "SELECT document_id FROM matched LIMIT :most", most=MOST_KNOWN + 1)
        documents = rows.scalars().all()
        return scope.known(documents) if len(documents) <= MOST_KNOWN else scope

    def _scores(self, known: Judged) -> dict[int, Score]:
        if self._request.ranking is Ranking.V2 and self._question.terms:
            return self._read(known.relevance, MOST_JUDGED if len(self._question.terms) > 1 else MOST_JUDGED // 2)
        return scores(known.relevance, known.facts, self._question.phrases, self._request.ranking)

    def _read(self, relevance: Mapping[int, float], most: int) -> dict[int, Score]:
        """Return the scores of documents: of the best by reading their words; the others follow in the given order."""
        terms = self._question.terms
        best_first = sorted(relevance, key=lambda document: (-relevance[document], -document))
        matcher = TermMatcher(terms, term_weights(self._session, self._scope.state, terms))
        read = read_scores(self._session, self._scope.state, best_first[:most], matcher, self._question.phrases)
        return read | scores_after(read, {document: relevance[document] for document in best_first[most:]})


class _Head:
    """The captures of the ranked documents, the best first."""

    def __init__(self, session: Session, question: Question, scope: SearchScope) -> None:
        self._session = session
        self._question = question
        self._request = question.request
        self._scope = scope

    def count(self, documents: Collection[int]) -> int:
        """Return the number of captures of documents in the scope."""
        given = self._given(dict.fromkeys(documents, Score(0.0)))
        row = self._scope.execute(self._session, f"SELECT count(*) {self._from()}", **given).first()
        return row[0] if row else 0

    def page(self, ranked: Mapping[int, Score], offset: int) -> tuple[Hit, ...]:
        """Return the requested page of results."""
        documents, left_out = _promising(ranked, offset + self._request.page_size)
        # If error pages come last, even the capture of the best document may be the last result.
        if not self._request.include_non_2xx and len(documents) < len(ranked):
            hits = self._hits({document: ranked[document] for document in documents}, offset)
            if len(hits) == self._request.page_size and hits[-1].score > left_out:
                return hits
        return self._hits(ranked, offset)

    def _hits(self, ranked: Mapping[int, Score], offset: int) -> tuple[Hit, ...]:
        """Return captures of ranked documents, the best first."""
        costs = " ".join(f"WHEN {kind} THEN {url_cost(kind, self._request.ranking)}" for kind in (1, 2))
        order = (BEST_FIRST, *NEWEST_FIRST)
        return fetch_hits(
            self._session,
            self._question,
            self._scope,
            "SELECT e.snapshot_id, e.captured_at, e.status_rank,"
            f" r.score - CASE e.url_cost {costs} ELSE 0 END AS score {self._from()}",
            (GOOD_FIRST, *order) if self._request.include_non_2xx else order,
            most=self._request.page_size,
            skip=offset,
            **self._given(ranked),
        )

    def _from(self) -> str:
        return (
            f"FROM {_RANKED_ROWS[self._scope.dialect]} CROSS JOIN search_entries e"
            f" WHERE e.document_id = r.document_id AND {self._scope.condition()}"
        )

    def _given(self, ranked: Mapping[int, Score]) -> dict[str, object]:
        if self._scope.dialect == "sqlite":
            return {"ranked_rows": json.dumps([(key, score.total) for key, score in ranked.items()])}
        return {"ranked_ids": as_array(ranked), "ranked_scores": as_array([score.total for score in ranked.values()])}


def _promising(ranked: Mapping[int, Score], requested: int) -> tuple[list[int], float]:
    """Return the documents that probably have the requested captures, and a score that no other document exceeds."""
    documents, least = best_scored(ranked, _SPARE * requested)
    # Very many may share the last score, such as all texts that contain the word once: documents above it are used if
    # they are enough.
    above = [document for document in documents if ranked[document].total > least]
    return (above, least) if len(above) >= requested else (documents, math.nextafter(least, -math.inf))


_RANKED_ROWS = {
    "sqlite": (
        "(SELECT json_extract(value, '$[0]') AS document_id, json_extract(value, '$[1]') AS score"
        " FROM json_each(:ranked_rows)) r"
    ),
    "postgresql": "unnest(CAST(:ranked_ids AS bigint[]), CAST(:ranked_scores AS float8[])) AS r(document_id, score)",
}
