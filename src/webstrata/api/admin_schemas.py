"""The JSON of the admin API: reports, the audit log, changes to sources."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from webstrata.api.public_schemas import CountedListSchema
from webstrata.api.schemas import Line
from webstrata.http.dependencies import WITHOUT_NUL, without_nul

# ruff: noqa: N815

Notes = Annotated[
    str, Field(max_length=20_000, json_schema_extra={"pattern": WITHOUT_NUL}), AfterValidator(without_nul)
]
ReportStatus = Literal["new", "triaged", "in_progress", "resolved", "dismissed"]


class AuditEntrySchema(BaseModel):
    """A change: its time, its actor, the action and the object; `details` has the values before and after."""

    id: int
    at: str
    actor: str
    action: str
    target: str
    details: dict[str, object]
    requestId: str | None
    client: str | None


class AuditLogSchema(CountedListSchema):
    """A page of the audit log, newest first."""

    items: list[AuditEntrySchema]
    limit: int
    offset: int


class ReportSummarySchema(BaseModel):
    """A reader's report in a list."""

    id: int
    category: str
    status: str
    snapshotId: int | None
    originalUrl: str | None
    pageUrl: str | None
    createdAt: str


class ReportDetailSchema(ReportSummarySchema):
    """The details of a report."""

    updatedAt: str
    reporterEmail: str | None
    description: str
    internalNotes: str | None


class ReportListSchema(BaseModel):
    """A page of the reports, newest first."""

    items: list[ReportSummarySchema]
    total: int
    limit: int
    offset: int


class ReportChangeSchema(BaseModel):
    """The new status of a report and the operators' notes; fields that are left out stay as they are."""

    model_config = ConfigDict(extra="forbid")

    status: ReportStatus | None = None
    internalNotes: Notes | None = None


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
