"""Finding snapshots: which are asked for, how many, in which order; every capture or one a page."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import and_, select
from sqlalchemy.orm import Session

from webstrata.db import catalog
from webstrata.db.lists import Among
from webstrata.db.search_order import MOST_BROWSED, MOST_COUNTED, browses_pages, counted, from_pages, in_time
from webstrata.db.search_question import Found, Hit, Question, scope_of
from webstrata.db.search_ranked import RankedSearch
from webstrata.db.tables import Document, Page, Snapshot, Source
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
    count = counted(session, scope, question, MOST_BROWSED if question.expression is None else MOST_COUNTED)
    hits = in_time(session, question, scope, question.offset, count)
    return Found(hits, count.total, count.capped, in_time_order=not question.request.include_non_2xx)


def views_of(session: Session, request: SearchRequest, hits: Sequence[Hit]) -> tuple[SnapshotView, ...]:
    """Return what a reader sees of results, in their order."""
    ids = [hit.snapshot_id for hit in hits]
    rows = session.execute(catalog.snapshot_rows().where(Snapshot.id.in_(ids)))
    views = {row[0].id: catalog.to_view(row) for row in rows}
    if request.view is View.PAGES:
        counts = _captures_of_pages(session, ids)
        views = {key: replace(view, page_snapshots_count=counts.get(key)) for key, view in views.items()}
    return tuple(views[snapshot_id] for snapshot_id in ids if snapshot_id in views)


def texts_of(session: Session, snapshot_ids: Sequence[int]) -> dict[int, str]:
    """Return the full text behind snapshots."""
    rows = session.execute(
        select(Snapshot.id, Document.text)
        .join(Document, Snapshot.document_id == Document.id)
        .where(Snapshot.id.in_(snapshot_ids))
    )
    return {row.id: row.text for row in rows}


def facets(session: Session, question: Question) -> dict[str, tuple[FacetCount, ...]]:
    """Return how the results divide by source, year, language and type; of very many, the first are counted."""
    counted: dict[str, Counter[str]] = {name: Counter() for name in ("source", "year", "language", "type")}
    scope = scope_of(session, question)
    if scope is not None:
        codes = {row[0]: row[1] for row in session.execute(select(Source.id, Source.code))}
        year = "substr(captured_at, 1, 4)" if scope.dialect == "sqlite" else "to_char(captured_at, 'YYYY')"
        rows = scope.execute(
            session,
            f"SELECT source_id, {year} AS year, language, kind, count(*) AS number FROM"
            f" (SELECT e.source_id, e.captured_at, e.language, e.kind {scope.gathered()} LIMIT :most) AS found"
            " GROUP BY 1, 2, 3, 4",
            most=MOST_COUNTED,
        )
        for source_id, of_year, language, kind, number in rows:
            values = {"source": codes[source_id], "year": of_year, "language": language, "type": kind}
            for name, value in values.items():
                if value:
                    counted[name][value] += number
    return {name: tuple(FacetCount(*pair) for pair in _by_count(counter)) for name, counter in counted.items()}


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
    count = counted(session, scope, question, MOST_COUNTED)
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
)


def _captures_of_pages(session: Session, ids: Sequence[int]) -> dict[int, int]:
    rows = session.execute(
        select(Snapshot.id, Page.snapshot_count)
        .join(
            Page,
            and_(Page.source_id == Snapshot.source_id, Page.normalized_url_group == Snapshot.normalized_url_group),
        )
        .where(Snapshot.id.in_(ids))
    )
    return {row.id: row.snapshot_count for row in rows}


def _by_count(counter: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counter.items(), key=lambda pair: (-pair[1], pair[0]))
