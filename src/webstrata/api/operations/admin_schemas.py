"""The JSON of the admin API: reports and the audit log."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from webstrata.api.public_schemas import CountedListSchema
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
