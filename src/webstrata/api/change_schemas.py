"""The JSON of changes and comparisons. Names are part of the API's contract: they do not change."""

from pydantic import BaseModel

# ruff: noqa: N815


class ChangeEventSchema(BaseModel):
    """What became different between two captures of a page."""

    changeId: int
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


class ChangesSchema(BaseModel):
    """One page of the changes, newest first; where nobody keeps track of them, `enabled` is false."""

    enabled: bool
    total: int
    page: int
    pageSize: int
    results: list[ChangeEventSchema]


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
