"""The input and the result of the search queries."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select, text
from sqlalchemy.orm import Session

from webstrata.db.schema.tables import Page, Source
from webstrata.db.search.fulltext import matching
from webstrata.db.search.scope import SearchScope
from webstrata.db.sources.totals import HIDDEN_SOURCE
from webstrata.errors import UsageError
from webstrata.model.archive import SnapshotView
from webstrata.model.search.query import Expression
from webstrata.model.search.ranking import Score
from webstrata.model.search.terms import Term
from webstrata.model.search.values import Cursor, FacetCount, SearchRequest, Sort
from webstrata.model.urls import url_group


@dataclass(frozen=True)
class Question:
    """A search for the database: its expression, the phrases to look for in titles, and where to begin."""

    request: SearchRequest
    expression: Expression | None = None
    phrases: tuple[tuple[str, ...], ...] = ()
    address: str | None = None
    cursor: Cursor | None = None
    pages_fastpath: bool = True
    terms: tuple[Term, ...] = ()
    """The words of a plain question except stop words, with their other forms."""
    is_partial: bool = False
    """Whether pages with only some of the terms are results too."""
    shares: Mapping[int, float] | None = None
    """The share of the terms in each document, when documents with only some terms are results."""

    @property
    def offset(self) -> int:
        """Return how many results come before the requested ones."""
        return self.cursor.offset if self.cursor else (self.request.page - 1) * self.request.page_size

    @property
    def is_ranked(self) -> bool:
        """Return whether the best come first."""
        return self.expression is not None and self.request.effective_sort is Sort.RELEVANCE


@dataclass(frozen=True)
class Hit:
    """A capture that was found, as a reader sees it, and its full text where words were searched."""

    view: SnapshotView
    text: str
    blocks: str | None
    """The kind of each line of the text, if known."""
    score: float
    """The sort key before the time; the same for all results in order of time."""


Facets = dict[str, tuple[FacetCount, ...]]


@dataclass(frozen=True)
class SearchHits:
    """Some results in order, their total, whether counting stopped early, and the scores."""

    hits: tuple[Hit, ...]
    total: int
    capped: bool = False
    scores: Mapping[int, Score] | None = None
    facets: Facets | None = None
    documents: int = 0
    """How many texts match."""
    in_time_order: bool = False
    """Whether the last hit is among those in order of time, so that the next page begins at its time."""


def scope_of(session: Session, question: Question) -> SearchScope | None:
    """Return the scope of captures of a question; None when it contains no capture."""
    request, dialect = question.request, session.get_bind().dialect.name
    rows = archive_state(session)
    ids = {code: source_id for source_id, code, *_ in rows}
    hidden = ids.get(HIDDEN_SOURCE)
    requested = ids.get(request.source.lower()) if request.source is not None else None
    if request.source is not None and (requested is None or requested == hidden):
        return None
    pages = _pages_at(session, question.address, ids.values()) if question.address is not None else None
    match = matching(question.expression, dialect) if question.expression is not None else None
    return SearchScope(
        *(request, dialect, requested, hidden, match, pages),
        captures=sum(snapshots or 0 for _, _, snapshots, *_ in rows),
        state=rows,
    )


def archive_state(session: Session) -> tuple[tuple[Any, ...], ...]:
    """Return each source's id, code and totals: a value that differs after every change of the archive."""
    return tuple(tuple(row) for row in session.execute(_SOURCES))


_SOURCES = text(
    "SELECT s.id, s.code, t.snapshot_count, t.page_count, t.updated_at"
    " FROM sources s LEFT JOIN source_totals t ON t.source_id = s.id ORDER BY s.id"
)


def _pages_at(session: Session, address: str, sources: Collection[int]) -> tuple[int, ...]:
    """Return the pages at an address; which page that is depends on each source's page parameters."""
    requested: set[str] = set()
    told_apart = session.scalars(select(Source.page_parameters).where(Source.page_parameters.is_not(None)))
    for parameters in {(), *(tuple(some or ()) for some in told_apart)}:
        try:
            requested.add(url_group(address if "://" in address else f"https://{address}", parameters))
        except UsageError:
            return ()
    # The index is on source and name of a page.
    rows = session.scalars(select(Page.id).where(Page.source_id.in_(sources), Page.normalized_url_group.in_(requested)))
    return tuple(rows)
