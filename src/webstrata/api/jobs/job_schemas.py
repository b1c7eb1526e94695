"""The JSON of jobs. Names are part of the API's contract: they do not change."""

from pydantic import BaseModel, ConfigDict, Field

from webstrata.api.jobs.crawl_schemas import CrawlAttemptSchema, MonitorDecisionSchema
from webstrata.api.schemas import Line

# ruff: noqa: N815


class JobSummarySchema(BaseModel):
    """A job in a list."""

    id: int
    sourceCode: str
    sourceName: str
    name: str
    status: str
    statusReason: str | None
    retryCount: int
    createdAt: str
    queuedAt: str | None
    startedAt: str | None
    finishedAt: str | None
    cleanupStatus: str
    cleanedAt: str | None
    crawlerExitCode: int | None
    crawlerStatus: str | None
    warcFileCount: int
    warcBytesTotal: int | None
    indexedPageCount: int
    indexProblemCount: int
    storageScannedAt: str | None


class JobDetailSchema(JobSummarySchema):
    """All details of a job."""

    outputDir: str
    crawlerStage: str | None
    pagesCrawled: int | None
    pagesTotal: int | None
    pagesFailed: int | None
    outputBytesTotal: int | None
    tmpBytesTotal: int | None
    tmpNonWarcBytesTotal: int | None
    finalZimPath: str | None
    combinedLogPath: str | None
    stateFilePath: str | None
    config: dict[str, object] | None
    lastStats: dict[str, object] | None
    stopRequestedAt: str | None
    engine: str
    attempts: list[CrawlAttemptSchema]
    monitorDecisions: list[MonitorDecisionSchema]


class CrawlCountsSchema(BaseModel):
    """The number of a job's URLs in each state."""

    pending: int
    inProgress: int
    finished: int
    failed: int
    total: int


class HostReportSchema(BaseModel):
    """The responses of one host; errors are failed attempts."""

    host: str
    responses: int
    bytes: int
    errors: int


class JobProgressSchema(BaseModel):
    """The progress of a job; the fields below `counts` belong to its present run, or its last."""

    id: int
    status: str
    statusReason: str | None
    startedAt: str | None
    finishedAt: str | None
    stopRequestedAt: str | None
    seconds: int | None
    indexedPageCount: int
    counts: CrawlCountsSchema
    responses: int
    requisites: int
    bytes: int
    rate: float
    errors: dict[str, int]
    hosts: list[HostReportSchema]


class JobListResponseSchema(BaseModel):
    """A part of the list of jobs."""

    items: list[JobSummarySchema]
    total: int
    limit: int
    offset: int


class JobStatusCountsSchema(BaseModel):
    """The number of jobs in each status."""

    counts: dict[str, int]


class NewJobSchema(BaseModel):
    """A new job of a source, with additional seeds and changed options."""

    model_config = ConfigDict(extra="forbid")

    source: Line
    seeds: list[Line] = Field(default_factory=list, max_length=1_000)
    overrides: dict[str, object] = Field(default_factory=dict)


class CleanupRequestSchema(BaseModel):
    """What to delete of a job; a dry run, which is the default, deletes nothing."""

    model_config = ConfigDict(extra="forbid")

    mode: Line = "temp"
    dryRun: bool = True
    force: bool = False


class DeletedSchema(BaseModel):
    """A folder or file that is deleted."""

    path: str
    bytes: int


class MovedSchema(BaseModel):
    """A WARC file that was moved to another folder."""

    before: str
    after: str
    bytes: int


class CleanupReportSchema(BaseModel):
    """What a clean-up did, or would do."""

    jobId: int
    mode: str
    dryRun: bool
    nothingToDo: bool
    freedBytes: int
    deleted: list[DeletedSchema]
    moved: list[MovedSchema]
    warcsDeleted: int
    snapshotsLost: int
    notes: list[str]


class JobLogSchema(BaseModel):
    """The end of a job's log; no name when there is none."""

    name: str | None
    lines: list[str]


class RecordProblemSchema(BaseModel):
    """A place in a WARC file that could not be indexed, and why."""

    warcPath: str
    offset: int
    reason: str


class JobProblemsSchema(BaseModel):
    """A part of a job's problems; of a file with very many, not all are listed."""

    items: list[RecordProblemSchema]
    total: int
    limit: int
    offset: int


class JobSnapshotSummarySchema(BaseModel):
    """A snapshot in the list of its job."""

    id: int
    url: str
    captureTimestamp: str
    statusCode: int | None
    language: str | None
    title: str | None
