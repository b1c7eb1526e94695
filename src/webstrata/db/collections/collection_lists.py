"""Lists of the collections that administrators read: diagnostics, scrape metadata, scraper health, exports."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session, aliased

from webstrata.db.collections.scrapes import url_hash
from webstrata.db.schema.collection_tables import DiagnosticRow, ExportRow, HealthRow, ScrapeRow
from webstrata.db.schema.tables import Source
from webstrata.db.sources.totals import HIDDEN_SOURCE
from webstrata.db.sources.visible import of_visible_source
from webstrata.db.sql.counting import count_rows
from webstrata.db.sql.planner_hints import exactly, unindexed
from webstrata.model.collections.health_trend import TREND_RUNS, HealthTrend, RunRates, health_trend


@dataclass(frozen=True)
class DiagnosticView:
    """How a listing was extracted from a capture."""

    id: int
    created_at: datetime | None
    source_code: str | None
    listing_id: int | None
    snapshot_id: int | None
    url: str
    quality: float | None
    traces: Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class ScrapeView:
    """One attempt to fetch a URL."""

    id: int
    created_at: datetime | None
    source_code: str | None
    job_id: int | None
    url: str
    status_code: int | None
    size_bytes: int | None
    elapsed_ms: int | None
    payload_digest: str | None
    is_blocked: bool
    is_js_only: bool
    error_kind: str | None


@dataclass(frozen=True)
class HealthView:
    """The health of one run of a source."""

    id: int
    created_at: datetime | None
    source_code: str | None
    source_name: str | None
    job_id: int | None
    status: str
    pages_fetched: int
    pages_failed: int
    success_rate: float | None
    field_fill_rates: Mapping[str, float]


@dataclass(frozen=True)
class SourceHealth:
    """The newest runs of a source, oldest first, and their trend."""

    code: str
    name: str
    runs: tuple[HealthView, ...]

    @property
    def trend(self) -> HealthTrend:
        """Return whether the source is improving, stable or declining."""
        return health_trend([RunRates(run.success_rate, run.field_fill_rates) for run in self.runs])


@dataclass(frozen=True)
class ExportView:
    """One export, with its caller."""

    id: int
    created_at: datetime | None
    kind: str
    format: str
    actor: str
    client: str | None
    request_id: str | None
    filters: Mapping[str, Any]
    item_count: int | None
    finished_at: datetime | None


@dataclass(frozen=True)
class CollectionFilter:
    """A filter of rows; None does not filter."""

    row_id: int | None = None
    source: str | None = None
    url: str | None = None
    job_id: int | None = None
    listing_id: int | None = None
    snapshot_id: int | None = None
    kind: str | None = None
    actor: str | None = None


def list_diagnostics(
    session: Session, filters: CollectionFilter, *, limit: int, offset: int = 0
) -> tuple[list[DiagnosticView], int]:
    """Return traces of listings, newest first, and how many there are; exact unless `is_capped`."""
    row = DiagnosticRow
    query = select(row, Source.code).outerjoin(Source, Source.id == row.source_id)
    equal = {
        row.id: filters.row_id,
        row.url: filters.url,
        row.listing_id: filters.listing_id,
        row.snapshot_id: filters.snapshot_id,
    }
    conditions, of_one = _of_one({row.source_id: _number_of(session, filters.source)}, _equal(equal))
    rows, total = _page(session, query, conditions, row.id, limit=limit, offset=offset, of_one=of_one)
    views = [
        DiagnosticView(
            *(one.id, one.created_at, code, one.listing_id, one.snapshot_id, one.url, one.quality_score),
            traces=one.traces or (),
        )
        for one, code in rows
    ]
    return views, total


def list_scrapes(
    session: Session, filters: CollectionFilter, *, limit: int, offset: int = 0
) -> tuple[list[ScrapeView], int]:
    """Return attempts to fetch URLs, newest first, and how many there are; exact unless `is_capped`."""
    row = ScrapeRow
    query = select(row, Source.code).outerjoin(Source, Source.id == row.source_id)
    hashed = None if filters.url is None else url_hash(filters.url)
    equal = {
        row.id: filters.row_id,
        row.url_hash: hashed,
        row.url: filters.url,
    }
    # A job has one source.
    large = {row.job_id: filters.job_id, row.source_id: _number_of(session, filters.source)}
    conditions, of_one = _of_one(large, _equal(equal))
    rows, total = _page(session, query, conditions, row.id, limit=limit, offset=offset, of_one=of_one)
    views = [
        ScrapeView(
            *(one.id, one.created_at, code, one.job_id, one.url, one.status_code, one.size_bytes, one.elapsed_ms),
            *(one.payload_digest, one.is_blocked, one.is_js_only, one.error_kind),
        )
        for one, code in rows
    ]
    return views, total


def list_exports(
    session: Session, filters: CollectionFilter, *, limit: int, offset: int = 0
) -> tuple[list[ExportView], int]:
    """Return exports, newest first, and how many there are; exact unless `is_capped`."""
    row = ExportRow
    equal = {row.id: filters.row_id, row.kind: filters.kind, row.actor: filters.actor}
    rows, total = _page(session, select(row, row.id), _equal(equal), row.id, limit=limit, offset=offset)
    views = [
        ExportView(
            *(one.id, one.created_at, one.kind, one.format, one.actor, one.client, one.request_id),
            *(one.filters or {}, one.item_count, one.finished_at),
        )
        for one, _ in rows
    ]
    return views, total


def list_health(
    session: Session, filters: CollectionFilter, *, limit: int, offset: int = 0
) -> tuple[list[HealthView], int]:
    """Return runs with their rates, newest first, and how many there are in all."""
    conditions = [
        HealthRow.source_id.is_not(None),
        *of_visible_source(session, HealthRow.source_id, filters.source),
        *_equal({HealthRow.id: filters.row_id, HealthRow.job_id: filters.job_id}),
    ]
    rows, total = _page(session, _runs(), conditions, HealthRow.id, limit=limit, offset=offset)
    return [_health(*found) for found in rows], total


def source_health(session: Session, source: str | None = None, *, runs: int = TREND_RUNS) -> list[SourceHealth]:
    """Return the health of sources by their codes, each with its newest runs."""
    # Where the newest runs of each source begin is looked up in an index; a window function would read every run.
    run = aliased(HealthRow)
    begins = select(run.id).where(run.source_id == Source.id).order_by(run.id.desc()).limit(1).offset(runs - 1)
    oldest = func.coalesce(begins.correlate(Source).scalar_subquery(), 0).label("oldest")
    first = select(Source.id, oldest).cte("first_runs").prefix_with("MATERIALIZED")
    query = _runs().join(first, (HealthRow.source_id == first.c.id) & (HealthRow.id >= first.c.oldest))
    if source is not None:
        query = query.where(Source.code == source)
    found: dict[str, list[HealthView]] = {}
    for row in session.execute(query.order_by(Source.code, HealthRow.id)):
        view = _health(*row)
        found.setdefault(view.source_code or "", []).append(view)
    return [SourceHealth(code, views[-1].source_name or code, tuple(views)) for code, views in found.items()]


def _runs() -> Select[HealthRow, str, str]:
    query = select(HealthRow, Source.code, Source.name).join(Source, Source.id == HealthRow.source_id)
    return query.where(Source.code != HIDDEN_SOURCE)


def _health(row: HealthRow, code: str, name: str) -> HealthView:
    return HealthView(
        *(row.id, row.created_at, code, name, row.job_id, row.status, row.pages_fetched, row.pages_failed),
        *(row.success_rate, row.field_fill_rates or {}),
    )


def _number_of(session: Session, code: str | None) -> int | None:
    """Return the number of a source, 0 for an unknown one; None when none is asked for."""
    return None if code is None else session.scalar(select(Source.id).where(Source.code == code)) or 0


def _of_one(
    large: Mapping[InstrumentedAttribute[Any], int | None], narrow: list[ColumnElement[bool]]
) -> tuple[list[ColumnElement[bool]], list[InstrumentedAttribute[Any]]]:
    """Return the conditions of a list, and the column whose index has its rows in order.

    The rows of a source or a job are many; conditions that leave a few rows need no order.
    """
    asked = [(column, value) for column, value in large.items() if value is not None]
    if narrow or not asked:
        return [*narrow, *(column == value for column, value in asked)], []
    (first, number), *others = asked
    return [exactly(first, number), *(unindexed(column) == value for column, value in others)], [first]


def _equal(values: Mapping[Any, object]) -> list[ColumnElement[bool]]:
    """Return the condition that columns have values; None does not filter."""
    return [column == value for column, value in values.items() if value is not None]


def _page(
    session: Session,
    query: Select[*tuple[Any, ...]],
    conditions: Sequence[ColumnElement[bool]],
    row_id: InstrumentedAttribute[int],
    *,
    limit: int,
    offset: int,
    of_one: Sequence[InstrumentedAttribute[Any]] = (),
) -> tuple[Sequence[Any], int]:
    """Return the rows of one page of a list, newest first, and their number as `count_rows` counts it.

    Columns that have one value in all rows, and an index of rows in this order, are `of_one`: see `exactly`.
    """
    matching = select(row_id).where(*conditions)
    # Rows are skipped in an index: only those of the page are read.
    chosen = matching.order_by(*(column.desc() for column in of_one), row_id.desc()).limit(limit).offset(offset)
    rows = session.execute(query.where(row_id.in_(chosen)).order_by(row_id.desc())).all()
    return rows, count_rows(session, matching.order_by(*of_one))
