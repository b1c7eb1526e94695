"""Results with the best first: some documents are ranked, the rest follows in order of time."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from functools import partial

from sqlalchemy import Row
from sqlalchemy.orm import Session

from webstrata.content.tokens import fold
from webstrata.db import fulltext
from webstrata.db.fulltext import matching
from webstrata.db.lists import Among, as_array
from webstrata.db.search_memory import Remembered, worked_out_once
from webstrata.db.search_order import MOST_COUNTED, Count, count_of, counting, ordered
from webstrata.db.search_question import Found, Hit, Question
from webstrata.db.search_scope import Scope
from webstrata.model.query import All, Expression, asks_for_places, in_title
from webstrata.model.ranking import Facts, Score, best_by_text, best_scored, depth_of, scores, url_cost
from webstrata.model.search import View

# ruff: noqa: S608 - the parts of a statement are all ours; what readers write comes as parameters

MOST_RANKED = 2_000
"""Documents whose relevance the database is asked for; more would cost more than they add to the first pages."""

MOST_JUDGED = 80
"""Those of them, the best by their text, of which title, links and address count as well."""

MOST_CHOSEN, MOST_TITLES, MOST_AUTHORITIES = 200, 100, 40
"""How many are chosen when there are too many: in all, for their title, and for how well they are linked."""

MOST_KNOWN = 20_000
"""Documents that are named one by one."""

_SPARE = 2
"""A page of results is looked for among the captures of so many documents for each result, and then among all."""


class RankedSearch:
    """A search whose best results come first: some documents are ranked, the rest follows, newest first."""

    def __init__(self, session: Session, question: Question, scope: Scope) -> None:
        assert question.expression is not None
        self._session = session
        self._question = question
        self._request = question.request
        self._expression = question.expression
        self._scope = _known_where_dear(session, scope, question.expression)

    def found(self) -> Found:
        """Return the results that were asked for."""
        captured = self._few()
        if captured is None:
            return self._partly_ranked()
        if not captured:
            return Found((), 0)
        documents = dict.fromkeys(row[0] for row in captured)
        pages = {row[1] for row in captured}
        total = len(pages) if self._request.view is View.PAGES else sum(row[2] for row in captured)
        ranked = self._scores(documents)
        hits = _Head(self._session, self._question, self._scope.known(documents)).page(ranked, self._question.offset)
        return Found(hits, total, scores=ranked)

    def _partly_ranked(self) -> Found:
        """Return results of which only some are ranked: these, and what follows them."""
        offset, size = self._question.offset, self._request.page_size
        documents, count = self._once("candidates", self._candidates)
        head = _Head(self._session, self._question, self._scope)
        ranked_captures = partial(self._once, "their captures", lambda: head.count(documents))
        # How many the ranked ones are is only asked where they may have ended; behind their end they are not ranked.
        first = ranked_captures() if offset >= len(documents) else None
        ranked = self._scores(documents) if first is None or offset < first else {}
        hits = head.page(ranked, offset) if ranked else ()
        if len(hits) == size:
            return Found(hits, max(count.total, offset + size), count.capped, ranked)
        first = ranked_captures() if first is None else first
        if self._within(count):
            others = self._scope.without(documents)
            skip, wanted = max(0, offset - first), size - len(hits)
            hits += ordered(self._session, self._question, others, count, skip=skip, wanted=wanted)
        behind = offset + len(hits) > first
        return Found(hits, max(count.total, first), count.capped, ranked, in_time_order=behind)

    def _once(self, what: str, work: Callable[[], Remembered]) -> Remembered:
        """Return what work gives, from memory when it was done before: whoever turns a page asks for it again."""
        limits = MOST_CHOSEN, MOST_COUNTED
        return worked_out_once(self._session, self._scope.state, (what, self._scope.asks(), limits), work)

    def _within(self, count: Count) -> bool:
        """Tell whether the wanted results can be reached: those behind the counted ones only by a cursor."""
        return self._question.cursor is not None or not count.capped or self._question.offset < count.total

    def _few(self) -> Sequence[Row[int, int, int]] | None:
        """Return all documents that have captures to show, their page and how many; None when they are too many."""
        scope = self._scope
        if scope.is_narrow:
            documents = self._with_a_capture()
            if len(documents) > MOST_RANKED:
                return None
            scope = scope.known(documents)
        # Where nothing but the words narrows the search, nearly every document has one: they need not be looked at.
        elif self._count_to(MOST_RANKED + 1) > MOST_RANKED:
            return None
        captured = scope.every_capture().gathered()
        return scope.execute(
            self._session, f"SELECT e.document_id, e.page_id, count(*) {captured} GROUP BY e.document_id, e.page_id"
        ).all()

    def _with_a_capture(self) -> Sequence[int]:
        """Return documents that have a capture to show, to one more than can be ranked."""
        rows = self._scope.execute(
            self._session,
            f"SELECT m.document_id FROM matched m WHERE {self._scope.having_a_capture()} LIMIT :most",
            most=MOST_RANKED + 1,
        )
        return rows.scalars().all()

    def _count_to(self, most: int) -> int:
        known = self._scope.documents
        return fulltext.count_documents(self._session, self._expression, most) if known is None else len(known)

    def _candidates(self) -> tuple[tuple[int, ...], Count]:
        """Return the documents to rank when there are too many, by title, by links and the newest, and how many are."""
        parts = (
            f"SELECT {_LINKED}, document_id, 0, 0 FROM ({self._linked()}) AS linked",
            f"SELECT {_NEWEST}, document_id, 0, 0 FROM ({self._newest()}) AS newest",
            f"SELECT {_COUNTED}, number.* FROM ({counting(self._scope)}) AS number",
        )
        # What matches is found once for all three: where it is much, that takes longer than all the rest.
        rows = self._scope.execute(
            self._session,
            " UNION ALL ".join(parts),
            known_well=10 * MOST_AUTHORITIES,
            linked=MOST_AUTHORITIES,
            newest=MOST_CHOSEN,
            counted=MOST_COUNTED,
        ).all()
        chosen = dict.fromkeys(self._titles())
        for part in (_LINKED, _NEWEST):
            chosen |= dict.fromkeys(row[1] for row in rows if row[0] == part)
        (count,) = (count_of(row[1:], MOST_COUNTED) for row in rows if row[0] == _COUNTED)
        return tuple(chosen)[:MOST_CHOSEN], count

    def _newest(self) -> str:
        # Those that were last new, by their ids: the newest captures would have to be looked for among all there are.
        newest_first = _NEWEST_FIRST[self._scope.dialect]
        return f"SELECT m.document_id FROM ({newest_first}) AS m WHERE {self._scope.having_a_capture()} LIMIT :newest"

    def _linked(self) -> str:
        return (
            "SELECT e.document_id FROM (SELECT snapshot_id FROM page_signals WHERE inlink_count >= 8"
            " ORDER BY inlink_count DESC, snapshot_id LIMIT :known_well) AS p CROSS JOIN search_entries e"
            " WHERE e.snapshot_id = p.snapshot_id AND e.document_id IN (SELECT document_id FROM matched)"
            f" AND {self._scope.every_capture().condition()} LIMIT :linked"
        )

    def _titles(self) -> Sequence[int]:
        if (in_titles := in_title(self._expression)) is None:
            return ()
        rows = self._scope.execute(
            self._session,
            f"SELECT m.document_id FROM ({_IN_TITLES[self._scope.dialect]} ORDER BY document_id DESC LIMIT :some) AS m"
            f" WHERE {self._scope.having_a_capture()} LIMIT :most",
            title=matching(All((in_titles, self._expression)), self._scope.dialect),
            some=2 * MOST_TITLES,
            most=MOST_TITLES,
        )
        return rows.scalars().all()

    def _scores(self, documents: Collection[int]) -> dict[int, Score]:
        relevance = dict.fromkeys(documents, 0.0) | fulltext.relevance(self._session, self._expression, documents)
        ids = best_by_text(relevance, MOST_JUDGED)
        rows = _DOCUMENT_FACTS.execute(self._session, {"ids": ids}).all()
        facts = {key: Facts(f" {fold(title)} ", inlinks, depth_of(group)) for key, title, group, inlinks in rows}
        return scores(relevance, facts, self._question.phrases, self._request.ranking)


def _known_where_dear(session: Session, scope: Scope, expression: Expression) -> Scope:
    """Return a scope whose texts are known when finding them is dear, as they are asked for several times.

    PostgreSQL's index does not know where words stand: it looks at every document that holds them.
    """
    if scope.dialect == "sqlite" or not asks_for_places(expression):
        return scope
    rows = scope.execute(session, "SELECT document_id FROM matched LIMIT :most", most=MOST_KNOWN + 1)
    documents = rows.scalars().all()
    return scope.known(documents) if len(documents) <= MOST_KNOWN else scope


class _Head:
    """The captures of the ranked documents, the best first."""

    def __init__(self, session: Session, question: Question, scope: Scope) -> None:
        self._session = session
        self._request = question.request
        self._scope = scope

    def count(self, documents: Collection[int]) -> int:
        """Return how many captures documents have here."""
        given = self._given(dict.fromkeys(documents, Score(0.0)))
        row = self._scope.execute(self._session, f"SELECT count(*) {self._from()}", **given).first()
        return row[0] if row else 0

    def page(self, ranked: Mapping[int, Score], offset: int) -> tuple[Hit, ...]:
        """Return the wanted ones."""
        documents, least = best_scored(ranked, _SPARE * (offset + self._request.page_size))
        # Where bad answers come last, the best document's may be the last of all.
        if not self._request.include_non_2xx and len(documents) < len(ranked):
            rows = self._rows({document: ranked[document] for document in documents}, offset)
            if len(rows) == self._request.page_size and rows[-1][2] >= least:
                return tuple(Hit(*row[:2]) for row in rows)
        return tuple(Hit(*row[:2]) for row in self._rows(ranked, offset))

    def _rows(self, ranked: Mapping[int, Score], offset: int) -> Sequence[Row[int, datetime, float]]:
        """Return captures of ranked documents with their scores, the best first."""
        costs = " ".join(f"WHEN {kind} THEN {url_cost(kind, self._request.ranking)}" for kind in (1, 2))
        good_first = "e.status_rank, " if self._request.include_non_2xx else ""
        return self._scope.execute(
            self._session,
            f"SELECT e.snapshot_id, e.captured_at, r.score - CASE e.url_cost {costs} ELSE 0 END AS score {self._from()}"
            f" ORDER BY {good_first}3 DESC, e.captured_at DESC, e.snapshot_id DESC LIMIT :most OFFSET :skip",
            most=self._request.page_size,
            skip=offset,
            **self._given(ranked),
        ).all()

    def _from(self) -> str:
        return (
            f"FROM {_RANKED_ROWS[self._scope.dialect]} CROSS JOIN search_entries e"
            f" WHERE e.document_id = r.document_id AND {self._scope.condition()}"
        )

    def _given(self, ranked: Mapping[int, Score]) -> dict[str, object]:
        if self._scope.dialect == "sqlite":
            return {"ranked_rows": json.dumps([(key, score.total) for key, score in ranked.items()])}
        return {"ranked_ids": as_array(ranked), "ranked_scores": as_array([score.total for score in ranked.values()])}


_DOCUMENT_FACTS = Among(
    "SELECT d.id, d.title, d.normalized_url_group, coalesce(p.inlink_count, 0) FROM documents d"
    " LEFT JOIN page_signals p ON p.normalized_url_group = d.normalized_url_group WHERE d.id IN <ids>",
    (("ids", "bigint"),),
)


_RANKED_ROWS = {
    "sqlite": (
        "(SELECT json_extract(value, '$[0]') AS document_id, json_extract(value, '$[1]') AS score"
        " FROM json_each(:ranked_rows)) r"
    ),
    "postgresql": "unnest(CAST(:ranked_ids AS bigint[]), CAST(:ranked_scores AS float8[])) AS r(document_id, score)",
}
_NEWEST_FIRST = {
    "sqlite": "SELECT rowid AS document_id FROM documents_fts WHERE documents_fts MATCH :match ORDER BY rowid DESC",
    # In order first, and only then one by one: OFFSET keeps it from looking at all of them before that.
    "postgresql": "SELECT document_id FROM matched ORDER BY document_id DESC OFFSET 0",
}
_IN_TITLES = {
    "sqlite": fulltext.MATCHED["sqlite"].replace(":match", ":title"),
    # Or else PostgreSQL would look at one document after the other, from the last one on.
    "postgresql": (
        f"WITH titled AS MATERIALIZED ({fulltext.MATCHED['postgresql'].replace(':match', ':title')})"
        " SELECT document_id FROM titled"
    ),
}
_LINKED, _NEWEST, _COUNTED = range(3)
"""What a row of the statement that looks for candidates tells of."""
