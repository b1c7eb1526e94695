"""The JSON of changes and comparisons. Names are part of the API's contract: they do not change."""

from pydantic import BaseModel, Field

from webstrata.api.public_schemas import CountedListSchema

# ruff: noqa: N815


class ChangeReasonSchema(BaseModel):
    """Why a change matters."""

    code: str = Field(description="A code for programs, such as `dose`, `negation` or `section_removed`.")
    text: str = Field(description="A sentence for people.")
    weight: float = Field(description="From 0 to 1.")


class IgnoredLineSchema(BaseModel):
    """A line whose difference is ignored."""

    text: str
    reason: str


class ChangeEventSchema(BaseModel):
    """The differences between two captures of a page."""

    changeId: int = Field(description="0 for a pair that was compared on request: it is not stored.")
    changeType: str
    summary: str | None
    highNoise: bool
    diffAvailable: bool
    sourceCode: str
    sourceName: str
    normalizedUrlGroup: str
    fromSnapshotId: int | None
    toSnapshotId: int
    fromCaptureTimestamp: str | None
    toCaptureTimestamp: str
    fromJobId: int | None
    toJobId: int | None
    addedSections: int | None
    removedSections: int | None
    changedSections: int | None
    addedLines: int | None
    removedLines: int | None
    changeRatio: float | None
    title: str | None
    significance: float = Field(
        description="From 0 to 1; from 0.3, a person who watches the page would want to know about the change."
    )
    reasons: list[ChangeReasonSchema]
    ignored: list[IgnoredLineSchema]
    templateChanged: bool = Field(description="Whether lines that most pages of the site share differ as well.")
    reviewStatus: str | None = Field(None, description="`reviewed`, `important` or `noise`, if a person marked it.")


class TemplateChangeSchema(BaseModel):
    """A change of a site's menus, headers and footers: one entry, however many pages show it."""

    templateChangeId: int
    sourceCode: str
    sourceName: str
    fromJobId: int
    toJobId: int
    summary: str
    pages: int
    addedLines: list[str]
    removedLines: list[str]
    computedAt: str


class ChangesSchema(CountedListSchema):
    """One page of the changes; where change tracking is switched off, `enabled` is false."""

    enabled: bool
    page: int
    pageSize: int
    results: list[ChangeEventSchema]
    templateChanges: list[TemplateChangeSchema]


class ComparedSnapshotSchema(BaseModel):
    """One side of a comparison."""

    snapshotId: int
    title: str | None
    captureDate: str
    captureTimestamp: str
    originalUrl: str
    jobId: int | None
    jobName: str | None


class ComparisonSchema(BaseModel):
    """Two captures of a page side by side."""

    event: ChangeEventSchema
    fromSnapshot: ComparedSnapshotSchema | None
    toSnapshot: ComparedSnapshotSchema
    diffFormat: str | None
    diffHtml: str | None
    diffTruncated: bool
    diffVersion: str | None
    normalizationVersion: str | None


class LiveComparisonSchema(BaseModel):
    """A capture beside the page as it is now."""

    archivedSnapshot: ComparedSnapshotSchema
    liveFetch: dict[str, object]
    stats: dict[str, object]
    diff: dict[str, object]
    render: dict[str, object]
    textModeRequested: str
    textModeUsed: str
    textModeFallback: bool
