"""Conversion of listings, prices, hauls and health to the API's schemas."""

from datetime import datetime

from webstrata.api.collections.listing_schemas import (
    DiagnosticSchema,
    ExportEntrySchema,
    FieldSchema,
    HaulCaptureSchema,
    HaulSchema,
    HaulSummarySchema,
    HealthRunSchema,
    ListingSchema,
    PriceChangeSchema,
    PriceSchema,
    ScrapeSchema,
    SourceHealthSchema,
    TraceSchema,
)
from webstrata.api.present import timestamp
from webstrata.db.collections.collection_lists import DiagnosticView, ExportView, HealthView, ScrapeView, SourceHealth
from webstrata.db.collections.hauls import HauledCapture, HaulSummary, HaulView
from webstrata.db.collections.listings import ListingView, PriceView
from webstrata.model.collections.listing import Money
from webstrata.model.collections.prices import shown_amount


def listing(view: ListingView) -> ListingSchema:
    """Return the JSON schema of a listing."""
    return ListingSchema(
        id=view.id,
        url=view.url,
        source=view.source_code,
        sourceName=view.source_name,
        page=view.page,
        kind=view.kind,
        name=view.name,
        price=_amount(view.price),
        currency=_currency(view.price),
        regularPrice=view.regular_price,
        salePrice=view.sale_price,
        availability=view.availability,
        sku=view.sku,
        gtin=view.gtin,
        mpn=view.mpn,
        brand=view.brand,
        image=view.image_url,
        address=view.address,
        rooms=view.rooms,
        quality=view.quality,
        fields={name: FieldSchema(**found) for name, found in view.fields.items()},
        firstSnapshotId=view.first_snapshot_id,
        lastSnapshotId=view.last_snapshot_id,
        firstSeen=_moment(view.first_seen_at),
        lastSeen=_moment(view.last_seen_at),
        lastChange=price(view.last_change) if view.last_change else None,
    )


def price(view: PriceView) -> PriceSchema:
    """Return the JSON schema of a row of the price history."""
    move = view.move
    return PriceSchema(
        id=view.id,
        listingId=view.listing_id,
        timestamp=_moment(view.recorded_at),
        captureTimestamp=_moment(view.captured_at),
        snapshotId=view.snapshot_id,
        price=f"{view.price.amount:f}",
        currency=view.price.currency,
        previousPrice=_amount(view.previous),
        previousCurrency=_currency(view.previous),
        availability=view.availability,
        change=PriceChangeSchema(
            amount=shown_amount(move.amount), percent=shown_amount(move.percent), direction=move.direction.value
        ),
    )


def haul(view: HaulView, site: str) -> HaulSchema:
    """Return the JSON schema of a haul; its link begins with the site's address."""
    captures = [haul_capture(capture) for capture in view.captures]
    link = f"{site}/hauls/{view.id}"
    return HaulSchema(id=view.id, name=view.name, timestamp=_moment(view.created_at), link=link, captures=captures)


def haul_capture(capture: HauledCapture) -> HaulCaptureSchema:
    """Return the JSON schema of a capture in a haul."""
    return HaulCaptureSchema(
        snapshotId=capture.snapshot_id,
        available=capture.is_there,
        source=capture.source_code,
        url=capture.url,
        title=capture.title,
        captureTimestamp=_moment(capture.captured_at),
        name=capture.name,
        brand=capture.brand,
        price=_amount(capture.price),
        currency=_currency(capture.price),
        availability=capture.availability,
    )


def haul_summary(view: HaulSummary) -> HaulSummarySchema:
    """Return the JSON schema of a haul in a list."""
    return HaulSummarySchema(
        id=view.id, name=view.name, timestamp=_moment(view.created_at), actor=view.actor, captures=view.count
    )


def health_run(view: HealthView) -> HealthRunSchema:
    """Return the JSON schema of a run."""
    return HealthRunSchema(
        id=view.id,
        timestamp=_moment(view.created_at),
        source=view.source_code,
        jobId=view.job_id,
        status=view.status,
        pagesFetched=view.pages_fetched,
        pagesFailed=view.pages_failed,
        successRate=view.success_rate,
        fieldFillRates=dict(view.field_fill_rates),
    )


def source_health(health: SourceHealth) -> SourceHealthSchema:
    """Return the JSON schema of a source's trend."""
    trend = health.trend
    return SourceHealthSchema(
        source=health.code,
        sourceName=health.name,
        trend=trend.direction.value,
        because=list(trend.because),
        runs=[health_run(run) for run in health.runs],
    )


def diagnostic(view: DiagnosticView) -> DiagnosticSchema:
    """Return the JSON schema of a listing's extraction trace."""
    return DiagnosticSchema(
        id=view.id,
        timestamp=_moment(view.created_at),
        source=view.source_code,
        listingId=view.listing_id,
        snapshotId=view.snapshot_id,
        url=view.url,
        qualityScore=view.quality,
        traces=[
            TraceSchema(
                field=trace["field"],
                strategy=trace["strategy"],
                raw=trace["raw"],
                value=trace["value"],
                fallback=trace["is_fallback"],
                chosen=trace["is_chosen"],
            )
            for trace in view.traces
        ],
    )


def scrape(view: ScrapeView) -> ScrapeSchema:
    """Return the JSON schema of an attempt to fetch a URL."""
    return ScrapeSchema(
        id=view.id,
        timestamp=_moment(view.created_at),
        source=view.source_code,
        jobId=view.job_id,
        url=view.url,
        statusCode=view.status_code,
        sizeBytes=view.size_bytes,
        elapsedMs=view.elapsed_ms,
        payloadDigest=view.payload_digest,
        blocked=view.is_blocked,
        jsOnly=view.is_js_only,
        errorKind=view.error_kind,
    )


def export_entry(view: ExportView) -> ExportEntrySchema:
    """Return the JSON schema of an export."""
    return ExportEntrySchema(
        id=view.id,
        timestamp=_moment(view.created_at),
        kind=view.kind,
        format=view.format,
        actor=view.actor,
        client=view.client,
        requestId=view.request_id,
        filters=dict(view.filters),
        itemCount=view.item_count,
        finishedAt=_moment(view.finished_at),
    )


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else timestamp(moment)


def _amount(money: Money | None) -> str | None:
    return None if money is None else shown_amount(money.amount)


def _currency(money: Money | None) -> str | None:
    return None if money is None else money.currency
