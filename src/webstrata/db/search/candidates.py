"""Candidates for ranking: all documents that match, or, where they are too many, the most promising ones."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain

from sqlalchemy.orm import Session

from webstrata.db.search.cache import cached_result
from webstrata.db.search.fulltext import Match, matched, matching, words_of
from webstrata.db.search.scope import SearchScope
from webstrata.db.search.scores import JUDGING, MOST_JUDGED, RELEVANCE, Judged, judgement
from webstrata.db.search.time_order import COUNTS, MOST_COUNTED, Count, count_of, counting
from webstrata.db.search.union import Columns, UnionPart, split_rows, union_query
from webstrata.model.search.query import All, Expression, in_title
from webstrata.model.search.values import View

# ruff: noqa: S608 - the parts of a statement are constants; users' input is passed as parameters

MOST_RANKED = 2_000
"""At most so many documents are ranked by the database; more would hardly change the first pages."""

MOST_CHOSEN, MOST_TITLES, MOST_AUTHORITIES = 200, 100, 40
"""How many documents are chosen when too many match: in total, by title, and by links."""


@dataclass(frozen=True)
class Few:
    """Everything that matches is ranked, and the total is of all results."""

    judged: Judged
    total: int


@dataclass(frozen=True)
class Many:
    """Too many documents match: some are ranked, and the count is of all results."""

    documents: tuple[int, ...]
    count: Count


def candidates(session: Session, scope: SearchScope, expression: Expression) -> Few | Many:
    """Return the candidates that a search ranks; many of them come from the cache when the search is repeated for its
    next page."""
    what = "candidates", scope.asks(), MOST_RANKED, MOST_CHOSEN, MOST_COUNTED
    return cached_result(session, scope.state, what, lambda: _found(session, scope, expression), worth=_are_many)


def _are_many(found: Few | Many) -> bool:
    return isinstance(found, Many)


def _found(session: Session, scope: SearchScope, expression: Expression) -> Few | Many:
    in_titles = in_title(expression)
    titles = matching(All((in_titles, expression)), scope.dialect) if in_titles else None
    parts = _parts(scope, titles)
    # The matching documents are selected once for all parts: with many matches, that is the slowest step.
    rows = scope.execute(
        session,
        f", {_with(scope)} {union_query(scope.dialect, parts)}",
        ranked=MOST_RANKED,
        judged=MOST_JUDGED,
        known_well=10 * MOST_AUTHORITIES,
        linked=MOST_AUTHORITIES,
        newest=MOST_CHOSEN,
        counted=MOST_COUNTED,
        some_titles=2 * MOST_TITLES,
        titles=MOST_TITLES,
        **(titles.given("title") if titles else {}),
    )
    return _read(split_rows(scope.dialect, parts, rows))


def _read(results: Mapping[str, Columns]) -> Few | Many:
    counted = results["counted"]
    if not counted["results"]:
        return Few(judgement(results), results["total"]["results"][0])
    chosen = dict.fromkeys(chain.from_iterable(results[name]["document_id"] for name in _CHOSEN if name in results))
    return Many(tuple(chosen)[:MOST_CHOSEN], count_of([counted[name][0] for name in COUNTS], MOST_COUNTED))


_CHOSEN = ("titled", "linked", "newest")
_FEW, _MANY = "(SELECT few FROM size)", "(SELECT many FROM size)"


def _with(scope: SearchScope) -> str:
    gathered = scope.every_capture().gathered("here")
    return (
        f"here AS MATERIALIZED ({_here(scope)}), size AS MATERIALIZED"
        " (SELECT count(*) <= :ranked AS few, count(*) > :ranked AS many FROM here),"
        f" captured AS MATERIALIZED (SELECT e.document_id, e.page_id, count(*) AS captures {gathered} AND {_FEW}"
        f" GROUP BY e.document_id, e.page_id), ranked AS MATERIALIZED ({_RANKED[scope.dialect]})"
    )


def _parts(scope: SearchScope, titles: Match | None) -> dict[str, UnionPart]:
    """Return the parts of the query: first those for few matches, then those for many."""
    results = "count(DISTINCT page_id)" if scope.request.view is View.PAGES else "coalesce(sum(captures), 0)"
    chosen = {"linked": _linked(scope), "newest": _newest(scope)}
    if titles is not None:
        chosen["titled"] = _titled(scope, titles)
    return {
        "total": UnionPart(f"SELECT {results} AS results FROM captured", ("results",)),
        **JUDGING,
        **{
            name: UnionPart(f"SELECT document_id FROM ({query}) AS chosen WHERE {_MANY}", ("document_id",))
            for name, query in chosen.items()
        },
        "counted": UnionPart(f"SELECT * FROM ({counting(scope)}) AS all_of_them WHERE {_MANY}", COUNTS),
    }


def _here(scope: SearchScope) -> str:
    """Return the query for documents with a capture in the scope, limited to one more than can be ranked."""
    # Without other filters nearly every document has one, so the captures are not checked.
    captured = f" WHERE {scope.having_a_capture()}" if scope.is_narrow else ""
    return f"SELECT m.document_id FROM matched m{captured} LIMIT :ranked + 1"


def _newest(scope: SearchScope) -> str:
    # The newest documents by id: finding the newest captures would mean reading all captures.
    newest_first = _NEWEST_FIRST[scope.dialect]
    return f"SELECT m.document_id FROM ({newest_first}) AS m WHERE {scope.having_a_capture()} LIMIT :newest"


def _linked(scope: SearchScope) -> str:
    return (
        "SELECT e.document_id FROM (SELECT snapshot_id FROM page_signals WHERE inlink_count >= 8"
        " ORDER BY inlink_count DESC, snapshot_id LIMIT :known_well) AS p CROSS JOIN search_entries e"
        " WHERE e.snapshot_id = p.snapshot_id AND e.document_id IN (SELECT document_id FROM matched)"
        f" AND {scope.every_capture().condition()} LIMIT :linked"
    )


def _titled(scope: SearchScope, titles: Match) -> str:
    in_titles = matched(titles, scope.dialect, "title")
    if scope.dialect != "sqlite":
        # Keeps PostgreSQL from scanning all documents, beginning with the last.
        in_titles = f"WITH titled AS MATERIALIZED ({in_titles}) SELECT document_id FROM titled"
    return (
        f"SELECT m.document_id FROM ({in_titles} ORDER BY document_id DESC LIMIT :some_titles) AS m"
        f" WHERE {scope.having_a_capture()} LIMIT :titles"
    )


_RANKED = {
    "sqlite": (
        f"SELECT rowid AS document_id, {RELEVANCE['sqlite']} AS relevance FROM documents_fts"
        f" WHERE documents_fts MATCH :match AND {_FEW} AND +rowid IN (SELECT document_id FROM captured)"
    ),
    "postgresql": (
        f"SELECT document_id, {RELEVANCE['postgresql']} AS relevance"
        f" FROM {words_of('ARRAY(SELECT document_id FROM captured)')}"
    ),
}
_NEWEST_FIRST = {
    "sqlite": "SELECT rowid AS document_id FROM documents_fts WHERE documents_fts MATCH :match ORDER BY rowid DESC",
    # Sort first, then check one by one: OFFSET keeps PostgreSQL from checking all documents before sorting.
    "postgresql": "SELECT document_id FROM matched ORDER BY document_id DESC OFFSET 0",
}
