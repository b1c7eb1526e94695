"""Finding snapshots: which are asked for, how many, in which order; every capture or one a page."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from webstrata.db.lists import Among
from webstrata.db.search_memory import worked_out_once
from webstrata.db.search_order import MOST_BROWSED, MOST_COUNTED, browses_pages, counted, from_pages, in_time
from webstrata.db.search_question import Found, Hit, Question, scope_of
from webstrata.db.search_ranked import RankedSearch
from webstrata.db.search_scope import Scope
from webstrata.db.tables import Source
from webstrata.db.types import UtcDateTime
from webstrata.model.archive import SnapshotView
from webstrata.model.search import FacetCount, SearchRequest, View

# ruff: noqa: S608 - the parts of a statement are all ours; what readers write comes as parameters


def find(session: Session, question: Question) -> Found:
    """Return the results that a question asks for."""
    scope = scope_of(session, question)
    if scope is None:
        return Found((), 0)
    if question.is_ranked and question.expression is not None:
        return RankedSearch(session, question, scope).found()
    if browses_pages(question):
        return from_pages(session, question, scope)
    count = counted(session, scope, MOST_BROWSED if question.expression is None else MOST_COUNTED)
    hits = in_time(session, question, scope, question.offset, count)
    return Found(hits, count.total, count.capped, in_time_order=not question.request.include_non_2xx)


@dataclass(frozen=True)
class Shown:
    """A result as a reader sees it, and the full text behind it, where that was asked for."""

    view: SnapshotView
    text: str = ""


def shown(session: Session, request: SearchRequest, hits: Sequence[Hit], *, texts: bool = False) -> tuple[Shown, ...]:
    """Return what a reader sees of results, in their order, with or without their full texts."""
    ids = [hit.snapshot_id for hit in hits]
    rows = (_WITH_TEXTS if texts else _WITHOUT_TEXTS).execute(session, {"ids": ids}).all() if ids else ()
    found = {row[0]: Shown(_view(row, counting=request.view is View.PAGES), row[-1] or "") for row in rows}
    return tuple(found[snapshot_id] for snapshot_id in ids if snapshot_id in found)


def _view(row: Sequence[Any], *, counting: bool) -> SnapshotView:
    view = SnapshotView(*row[: -1 if counting else -2])
    return view if view.normalized_url_group else replace(view, normalized_url_group=view.url)


def _shown(text: str, also: str = "") -> Among:
    """Return the query for what `SnapshotView` says of snapshots, in its order, with a text behind it."""
    # Where a page's captures are counted one by one, and not by a join, PostgreSQL has less to plan.
    captures = (
        "(SELECT p.snapshot_count FROM pages p"
        " WHERE p.source_id = s.source_id AND p.normalized_url_group = s.normalized_url_group)"
    )
    return Among(
        "SELECT s.id, s.url, s.normalized_url_group, s.title, s.snippet, s.language, s.capture_timestamp, s.mime_type,"
        f" s.status_code, s.content_hash, o.code, o.name, s.job_id, j.name, {captures}, {text} FROM snapshots s"
        " JOIN sources o ON o.id = s.source_id LEFT JOIN archive_jobs j ON j.id = s.job_id"
        f"{also} WHERE s.id IN <ids>",
        (("ids", "bigint"),),
        (("capture_timestamp", UtcDateTime()),),
        few=True,
    )


_WITHOUT_TEXTS = _shown("NULL")
_WITH_TEXTS = _shown("d.text", " LEFT JOIN documents d ON d.id = s.document_id")


Facets = dict[str, tuple[FacetCount, ...]]


def facets(session: Session, question: Question) -> Facets:
    """Return how the results divide by source, year, language and type; of very many, the first are counted."""
    scope = scope_of(session, question)
    if scope is None:
        return dict.fromkeys(_FACETS, ())
    what = "facets", scope.asks(), MOST_COUNTED
    return worked_out_once(session, scope.state, what, lambda: _facets(session, scope))


_FACETS = ("source", "year", "language", "type")


def _facets(session: Session, scope: Scope) -> Facets:
    counters: dict[str, Counter[str]] = {name: Counter() for name in _FACETS}
    codes = {row[0]: row[1] for row in session.execute(select(Source.id, Source.code))}
    year = "substr(captured_at, 1, 4)" if scope.dialect == "sqlite" else "to_char(captured_at, 'YYYY')"
    rows = scope.execute(
        session,
        f"SELECT source_id, {year} AS year, language, kind, count(*) AS number FROM"
        f" (SELECT e.source_id, e.captured_at, e.language, e.kind {scope.gathered()} LIMIT :most) AS found"
        " GROUP BY 1, 2, 3, 4",
        most=MOST_COUNTED,
    )
    for source_id, *values, number in rows:
        for name, value in zip(_FACETS, (codes[source_id], *values), strict=True):
            if value:
                counters[name][value] += number
    return {name: tuple(FacetCount(*pair) for pair in _by_count(counter)) for name, counter in counters.items()}


@dataclass(frozen=True)
class Ends:
    """The oldest and the newest of some captures, and how many they are."""

    first: Hit
    last: Hit
    count: int
    capped: bool


def first_and_last(session: Session, question: Question) -> Ends | None:
    """Return the oldest and the newest capture that a question asks for; None when there is none."""
    scope = scope_of(session, question)
    if scope is None:
        return None
    count = counted(session, scope, MOST_COUNTED)
    if not count.total:
        return None
    # Of very many captures those at both ends are soon met; few are looked at one by one.
    met = scope.walked() if count.capped else scope.gathered()
    hits = [
        Hit(*scope.execute(session, f"SELECT e.snapshot_id, e.captured_at {met} ORDER BY {order} LIMIT 1").one())
        for order in ("e.captured_at, e.snapshot_id", "e.captured_at DESC, e.snapshot_id DESC")
    ]
    return Ends(hits[0], hits[1], count.total, count.capped)


@dataclass(frozen=True)
class HitFacts:
    """What a capture's place among the results depends on."""

    snapshot_id: int
    document_id: int
    status_rank: int
    url_cost: int


def facts_of_hits(session: Session, hits: Sequence[Hit]) -> dict[int, HitFacts]:
    """Return what the places of captures depend on, by snapshot."""
    rows = _HIT_FACTS.execute(session, {"ids": [hit.snapshot_id for hit in hits]})
    return {row[0]: HitFacts(*row) for row in rows}


_HIT_FACTS = Among(
    "SELECT snapshot_id, document_id, status_rank, url_cost FROM search_entries WHERE snapshot_id IN <ids>",
    (("ids", "bigint"),),
    few=True,
)


def _by_count(counter: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counter.items(), key=lambda pair: (-pair[1], pair[0]))
