"""Which documents are ranked: all that match, or, where they are too many, those that promise most."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy.orm import Session

from webstrata.db.fulltext import Match, matched, matching
from webstrata.db.search_judged import JUDGING, MOST_JUDGED, RELEVANCE, Judged, judgement
from webstrata.db.search_memory import worked_out_once
from webstrata.db.search_order import MOST_COUNTED, Count, count_of, counting
from webstrata.db.search_scope import Scope
from webstrata.model.query import All, Expression, in_title

# ruff: noqa: S608 - the parts of a statement are all ours; what readers write comes as parameters

MOST_RANKED = 2_000
"""Documents whose relevance the database is asked for; more would cost more than they add to the first pages."""

MOST_CHOSEN, MOST_TITLES, MOST_AUTHORITIES = 200, 100, 40
"""How many are chosen when there are too many: in all, for their title, and for how well they are linked."""


class Captured(NamedTuple):
    """How many captures of a page have a text."""

    document_id: int
    page_id: int
    captures: int


@dataclass(frozen=True)
class Few:
    """Everything that matches is ranked."""

    captured: tuple[Captured, ...]
    judged: Judged


@dataclass(frozen=True)
class Many:
    """Too much matches: some documents are ranked, and the count is of all results."""

    documents: tuple[int, ...]
    count: Count


def candidates(session: Session, scope: Scope, expression: Expression) -> Few | Many:
    """Return what a search ranks; of too many from memory when somebody asked before, as whoever turns a page does."""
    what = "candidates", scope.asks(), MOST_RANKED, MOST_CHOSEN, MOST_COUNTED
    return worked_out_once(session, scope.state, what, lambda: _found(session, scope, expression), worth=_are_many)


def _are_many(found: Few | Many) -> bool:
    return isinstance(found, Many)


def _found(session: Session, scope: Scope, expression: Expression) -> Few | Many:
    in_titles = in_title(expression)
    titles = matching(All((in_titles, expression)), scope.dialect) if in_titles else None
    # What matches is found once for all parts: where it is much, that takes longer than all the rest.
    rows = scope.execute(
        session,
        f", {_with(scope)} {' UNION ALL '.join(_parts(scope, titles))}",
        ranked=MOST_RANKED,
        judged=MOST_JUDGED,
        known_well=10 * MOST_AUTHORITIES,
        linked=MOST_AUTHORITIES,
        newest=MOST_CHOSEN,
        counted=MOST_COUNTED,
        some_titles=2 * MOST_TITLES,
        titles=MOST_TITLES,
        **(titles.given("title") if titles else {}),
    ).all()
    return _read(rows)


def _read(rows: Iterable[Sequence[Any]]) -> Few | Many:
    parts: dict[int, list[Sequence[Any]]] = {part: [] for part in _PARTS}
    for part, *row in rows:
        parts[part].append(row)
    if parts[_COUNTED]:
        chosen = dict.fromkeys(row[0] for part in (_TITLED, _LINKED, _NEWEST) for row in parts[part])
        return Many(tuple(chosen)[:MOST_CHOSEN], count_of(parts[_COUNTED][0][:3], MOST_COUNTED))
    captured = tuple(Captured(*row[:3]) for row in parts[_CAPTURED])
    return Few(captured, judgement((row[0], *row[2:]) for row in parts[_JUDGED]))


_PARTS = range(6)
_CAPTURED, _JUDGED, _TITLED, _LINKED, _NEWEST, _COUNTED = _PARTS
"""What a row tells of."""

_NOTHING = "CAST(0 AS double precision), '', ''"
_FEW, _MANY = (f"(SELECT count(*) FROM here) {sign} :ranked" for sign in ("<=", ">"))


def _with(scope: Scope) -> str:
    gathered = scope.every_capture().gathered("here")
    return (
        f"here AS MATERIALIZED ({_here(scope)}), captured AS MATERIALIZED"
        f" (SELECT e.document_id, e.page_id, count(*) AS captures {gathered} AND {_FEW}"
        f" GROUP BY e.document_id, e.page_id), ranked AS MATERIALIZED ({_RANKED[scope.dialect]})"
    )


def _parts(scope: Scope, titles: Match | None) -> Iterator[str]:
    yield f"SELECT {_CAPTURED}, document_id, page_id, captures, {_NOTHING} FROM captured"
    for query in JUDGING:
        yield f"SELECT {_JUDGED}, document_id, 0, inlinks, relevance, title, page FROM ({query}) AS judged"
    chosen = {_LINKED: _linked(scope), _NEWEST: _newest(scope)} | ({_TITLED: _titled(scope, titles)} if titles else {})
    for part, query in chosen.items():
        yield f"SELECT {part}, document_id, 0, 0, {_NOTHING} FROM ({query}) AS chosen WHERE {_MANY}"
    yield f"SELECT {_COUNTED}, number.*, {_NOTHING} FROM ({counting(scope)}) AS number WHERE {_MANY}"


def _here(scope: Scope) -> str:
    """Return the query for documents that have a capture to show, to one more than can be ranked."""
    # Where nothing but the words narrows the search, nearly every document has one: they need not be looked at.
    captured = f" WHERE {scope.having_a_capture()}" if scope.is_narrow else ""
    return f"SELECT m.document_id FROM matched m{captured} LIMIT :ranked + 1"


def _newest(scope: Scope) -> str:
    # Those that were last new, by their ids: the newest captures would have to be looked for among all there are.
    newest_first = _NEWEST_FIRST[scope.dialect]
    return f"SELECT m.document_id FROM ({newest_first}) AS m WHERE {scope.having_a_capture()} LIMIT :newest"


def _linked(scope: Scope) -> str:
    return (
        "SELECT e.document_id FROM (SELECT snapshot_id FROM page_signals WHERE inlink_count >= 8"
        " ORDER BY inlink_count DESC, snapshot_id LIMIT :known_well) AS p CROSS JOIN search_entries e"
        " WHERE e.snapshot_id = p.snapshot_id AND e.document_id IN (SELECT document_id FROM matched)"
        f" AND {scope.every_capture().condition()} LIMIT :linked"
    )


def _titled(scope: Scope, titles: Match) -> str:
    in_titles = matched(titles, scope.dialect, "title")
    if scope.dialect != "sqlite":
        # Or else PostgreSQL would look at one document after the other, from the last one on.
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
        f"SELECT document_id, {RELEVANCE['postgresql']} AS relevance FROM document_words"
        " WHERE document_id = ANY(ARRAY(SELECT document_id FROM captured))"
    ),
}
_NEWEST_FIRST = {
    "sqlite": "SELECT rowid AS document_id FROM documents_fts WHERE documents_fts MATCH :match ORDER BY rowid DESC",
    # In order first, and only then one by one: OFFSET keeps it from looking at all of them before that.
    "postgresql": "SELECT document_id FROM matched ORDER BY document_id DESC OFFSET 0",
}
