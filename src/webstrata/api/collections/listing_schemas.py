"""The JSON of listings, prices, hauls and health. Names are part of the API's contract: they do not change."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from webstrata.api.public_schemas import CountedListSchema
from webstrata.api.schemas import Line
from webstrata.db.collections.hauls import MAX_CAPTURES
from webstrata.http.dependencies import SnapshotNumber

# ruff: noqa: N815


class PriceChangeSchema(BaseModel):
    """A price change: amount and percent are exact decimals as strings."""

    amount: str | None = Field(description="New minus old price; null for another currency.")
    percent: str | None
    direction: str = Field(description="`first`, `up`, `down` or `currency`.")


class PriceSchema(BaseModel):
    """A price that a listing had from a capture on."""

    id: int
    listingId: int
    timestamp: str | None = Field(description="When it was recorded.")
    captureTimestamp: str | None
    snapshotId: int | None
    price: str
    currency: str | None
    previousPrice: str | None
    previousCurrency: str | None
    availability: str | None
    change: PriceChangeSchema


class FieldSchema(BaseModel):
    """A field of a listing with the sources that state it and a confidence from 0 to 1."""

    value: str
    sources: list[str]
    confidence: float


class ListingSchema(BaseModel):
    """A listing with its current facts; prices are exact decimals as strings."""

    id: int
    url: str
    source: str
    sourceName: str
    page: str
    kind: str
    name: str | None
    price: str | None
    currency: str | None
    regularPrice: str | None
    salePrice: str | None
    availability: str | None
    sku: str | None
    gtin: str | None
    mpn: str | None
    brand: str | None
    image: str | None
    address: str | None
    rooms: float | None
    quality: float | None
    fields: dict[str, FieldSchema]
    firstSnapshotId: int | None
    lastSnapshotId: int | None
    firstSeen: str | None
    lastSeen: str | None
    lastChange: PriceSchema | None


class ListingListSchema(CountedListSchema):
    """One page of the listings."""

    items: list[ListingSchema]
    limit: int
    offset: int


class PriceListSchema(CountedListSchema):
    """One page of the price history, newest first."""

    items: list[PriceSchema]
    limit: int
    offset: int


class PriceHistorySchema(CountedListSchema):
    """The prices of the listings at a URL, newest first."""

    url: str
    listingIds: list[int]
    history: list[PriceSchema]


class HealthRunSchema(BaseModel):
    """The health of one run of a source; rates are from 0 to 1."""

    id: int
    timestamp: str | None
    source: str | None
    jobId: int | None
    status: str
    pagesFetched: int
    pagesFailed: int
    successRate: float | None
    fieldFillRates: dict[str, float]


class HealthRunListSchema(CountedListSchema):
    """One page of the runs, newest first."""

    items: list[HealthRunSchema]
    limit: int
    offset: int


class SourceHealthSchema(BaseModel):
    """The trend of a source: `improving`, `stable` or `declining`, and the rates it is computed from."""

    source: str
    sourceName: str
    trend: str
    because: list[str]
    runs: list[HealthRunSchema]


class SourceHealthListSchema(BaseModel):
    """The trend of each source."""

    items: list[SourceHealthSchema]


class HaulCaptureSchema(BaseModel):
    """A capture of a haul, with the listing that it shows."""

    snapshotId: int
    available: bool
    source: str | None
    url: str
    title: str | None
    captureTimestamp: str | None
    name: str | None
    brand: str | None
    price: str | None
    currency: str | None
    availability: str | None


class HaulSchema(BaseModel):
    """A haul with its captures."""

    id: str
    name: str
    timestamp: str | None
    link: str
    captures: list[HaulCaptureSchema]


class HaulSummarySchema(BaseModel):
    """A haul in a list."""

    id: str
    name: str
    timestamp: str | None
    actor: str
    captures: int


class HaulListSchema(BaseModel):
    """One page of the hauls, newest first."""

    items: list[HaulSummarySchema]
    total: int
    limit: int
    offset: int


class NewHaulSchema(BaseModel):
    """Captures to save as a haul."""

    model_config = ConfigDict(extra="forbid")

    name: Annotated[Line, Field(min_length=1, max_length=200)]
    snapshotIds: list[SnapshotNumber] = Field(min_length=1, max_length=MAX_CAPTURES)


class TraceSchema(BaseModel):
    """One attempt to read a field of a listing."""

    field: str
    strategy: str
    raw: str
    value: str | None
    fallback: bool
    chosen: bool


class DiagnosticSchema(BaseModel):
    """How a listing was extracted from a capture."""

    id: int
    timestamp: str | None
    source: str | None
    listingId: int | None
    snapshotId: int | None
    url: str
    qualityScore: float | None
    traces: list[TraceSchema]


class DiagnosticListSchema(CountedListSchema):
    """One page of the diagnostics, newest first."""

    items: list[DiagnosticSchema]
    limit: int
    offset: int


class ScrapeSchema(BaseModel):
    """One attempt to fetch a URL."""

    id: int
    timestamp: str | None
    source: str | None
    jobId: int | None
    url: str
    statusCode: int | None
    sizeBytes: int | None
    elapsedMs: int | None
    payloadDigest: str | None
    blocked: bool
    jsOnly: bool
    errorKind: str | None


class ScrapeListSchema(CountedListSchema):
    """One page of the attempts to fetch URLs, newest first."""

    items: list[ScrapeSchema]
    limit: int
    offset: int


class ExportEntrySchema(BaseModel):
    """One export, with its caller."""

    id: int
    timestamp: str | None
    kind: str
    format: str
    actor: str
    client: str | None
    requestId: str | None
    filters: dict[str, object]
    itemCount: int | None
    finishedAt: str | None


class ExportHistorySchema(CountedListSchema):
    """One page of the exports, newest first."""

    items: list[ExportEntrySchema]
    limit: int
    offset: int
