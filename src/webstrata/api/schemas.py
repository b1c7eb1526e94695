"""The JSON of the API. Names are part of its contract: they do not change."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from webstrata.http.dependencies import WITHOUT_NUL, without_nul

# ruff: noqa: N815

Line = Annotated[str, Field(max_length=2_048, json_schema_extra={"pattern": WITHOUT_NUL}), AfterValidator(without_nul)]


class HealthDetailsSchema(BaseModel):
    """Details of a healthy process for operators."""

    version: str
    schemaVersion: str | None
    database: str
    databaseMs: float


class SnapshotCountSchema(BaseModel):
    """How many snapshots there are."""

    total: int


class HealthChecksSchema(BaseModel):
    """The result of each check."""

    db: str
    jobs: dict[str, int]
    snapshots: SnapshotCountSchema
    storage: str | None = None
    """Present only when new captures could not be stored; the log and the jobs page show the reason."""
    integrity: Literal["ok", "problems"] | None = None
    """The result of the last check of the archive's files; left out before the first."""
    integrityCheckedAt: str | None = None


class HealthSchema(BaseModel):
    """Whether the archive works."""

    status: str
    checks: HealthChecksSchema
    details: HealthDetailsSchema | None = None


class UnhealthyChecksSchema(BaseModel):
    """The checks, and which of them failed."""

    db: Literal["error"]


class UnhealthySchema(BaseModel):
    """The archive does not work: its database is unavailable."""

    status: Literal["error"]
    checks: UnhealthyChecksSchema


class ArchiveStatsSchema(BaseModel):
    """The totals of the archive."""

    snapshotsTotal: int
    pagesTotal: int
    sourcesTotal: int
    latestCaptureDate: str | None
    latestCaptureAgeDays: int | None


class SourceSummarySchema(BaseModel):
    """A source with its counts and dates of captures."""

    sourceCode: str
    sourceName: str
    baseUrl: str | None
    description: str | None
    recordCount: int
    firstCapture: str
    lastCapture: str
    latestRecordId: int | None
    entryRecordId: int | None
    entryBrowseUrl: str | None
    entryPreviewUrl: str | None


_QUALITY = "1 is a good capture, 0 a useless one."


class SnapshotSchema(BaseModel):
    """The fields that a search hit and a snapshot have in common."""

    id: int
    title: str | None
    sourceCode: str
    sourceName: str
    language: str | None
    captureDate: str
    captureTimestamp: str
    jobId: int | None
    originalUrl: str
    snippet: str | None
    rawSnapshotUrl: str
    browseUrl: str | None
    quality: float | None = Field(description=_QUALITY)
    qualityKind: str | None


class TextRunSchema(BaseModel):
    """A piece of a snippet."""

    text: str
    marked: bool


class SnapshotSummarySchema(SnapshotSchema):
    """A search hit."""

    pageSnapshotsCount: int | None
    markedSnippet: list[TextRunSchema] | None = Field(
        description="The snippet in pieces, with the searched words marked; null without words."
    )
    snippetHeading: str | None = Field(None, description="The heading that the snippet is under.")
    without: list[str] = Field([], description="Words of the query that the page lacks.")


class SnapshotDetailSchema(SnapshotSchema):
    """One snapshot."""

    mimeType: str | None
    statusCode: int | None
    qualityReasons: list[str]


class TimelineEntrySchema(BaseModel):
    """One capture of a page."""

    snapshotId: int
    captureDate: str
    captureTimestamp: str
    jobId: int | None
    jobName: str | None
    title: str | None
    statusCode: int | None
    compareFromSnapshotId: int | None
    browseUrl: str | None
    quality: float | None = Field(description=_QUALITY)
    qualityKind: str | None


class TimelineSchema(BaseModel):
    """All captures of a page, oldest first."""

    sourceCode: str
    sourceName: str
    normalizedUrlGroup: str
    latestGoodSnapshotId: int | None = Field(description="The newest good capture of the page.")
    snapshots: list[TimelineEntrySchema]


class NewSourceSchema(BaseModel):
    """A new source."""

    model_config = ConfigDict(extra="forbid")

    seeds: list[Line] = Field(min_length=1, max_length=1_000)
    code: Line = ""
    name: Line = ""
    description: Line = ""
    schedule: Line | None = None


class ScheduleSchema(BaseModel):
    """When a source is archived; null means only on request."""

    model_config = ConfigDict(extra="forbid")

    schedule: Line | None


class LastJobSchema(BaseModel):
    """A source's newest job."""

    id: int
    name: str
    status: str
    statusReason: str | None
    createdAt: str


class AdminSourceSchema(BaseModel):
    """A source for its operators."""

    sourceCode: str
    sourceName: str
    baseUrl: str | None
    description: str | None
    enabled: bool
    schedule: str | None
    schedulePaused: bool
    scheduleError: str | None
    nextRunAt: str | None
    pageParameters: list[str]
    needsRegrouping: bool
    jobConfig: dict[str, object] | None
    lastJob: LastJobSchema | None
    jobCount: int
    snapshotCount: int


class AdminSourceListSchema(BaseModel):
    """Every source."""

    items: list[AdminSourceSchema]


class SourceChangeSchema(BaseModel):
    """The new values of a source; fields that are left out or null stay. The schedule `none` removes the schedule."""

    model_config = ConfigDict(extra="forbid")

    name: Line | None = None
    description: Line | None = None
    baseUrl: Line | None = None
    seeds: list[Line] | None = Field(default=None, min_length=1, max_length=1_000)
    crawl: dict[str, object] | None = None
    toolOptions: dict[str, object] | None = None
    pageParameters: list[Line] | None = Field(default=None, max_length=100)
    schedule: Line | None = None
