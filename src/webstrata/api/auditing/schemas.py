"""The JSON of evidence audits; its keys are the model's field names."""

# ruff: noqa: N815 - two keys of artifacts are in camel case as well

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from webstrata.api.public_schemas import CountedListSchema
from webstrata.http.dependencies import Text
from webstrata.model.auditing.sessions import AuditMode, AuditRetention


class NewAuditSchema(BaseModel):
    """An audit to queue: a shop's URL, and the purpose of the audit."""

    model_config = ConfigDict(extra="forbid")

    url: Text = Field(min_length=1, max_length=4096)
    mode: AuditMode = AuditMode.STANDARD
    retention_policy: AuditRetention = AuditRetention.STANDARD


class QueuedAuditSchema(BaseModel):
    """An audit that was queued."""

    id: str
    status: str
    url: str


class AuditSummarySchema(BaseModel):
    """An audit session without its pages."""

    id: str
    url: str
    status: str
    created_at: str
    started_at: str | None
    finished_at: str | None
    final_url: str | None
    pdp_url: str | None
    mode: str
    retention_policy: str
    attempts: int
    error_summary: str | None
    crawl_policy_version: str
    low_confidence: bool
    manifest_sha256: str | None = Field(description="The digest of the evidence pack's manifest.")


class AuditPageSchema(BaseModel):
    """One page of a session on one viewport."""

    id: str
    session_id: str
    page_type: str
    viewport: str
    status: str
    url: str | None
    final_url: str | None
    http_status: int | None
    error: str | None
    load_timings: dict[str, Any]
    low_confidence_reasons: list[str]


class AuditSchema(AuditSummarySchema):
    """An audit session with its pages and the whole policy that it ran under."""

    config_snapshot: dict[str, Any]
    pages: list[AuditPageSchema]


class NewAuditScheduleSchema(BaseModel):
    """A schedule to add: a shop's URL, and how often it is audited."""

    model_config = ConfigDict(extra="forbid")

    url: Text = Field(min_length=1, max_length=4096)
    every: Text = Field(min_length=1, max_length=200, description="`12h`, `7d`, or a cron line in UTC.")
    mode: AuditMode = AuditMode.STANDARD


class AuditScheduleStateSchema(BaseModel):
    """Whether a schedule is paused."""

    model_config = ConfigDict(extra="forbid")

    paused: bool


class AuditScheduleSchema(BaseModel):
    """A shop that is audited on a schedule, with its last audit."""

    id: int
    url: str
    mode: str
    schedule: str
    paused: bool
    next_run_at: str
    created_at: str
    last_session_id: str | None
    last_status: str | None


class AuditScheduleListSchema(BaseModel):
    """Schedules of audits, in the order of their numbers."""

    total: int
    items: list[AuditScheduleSchema]


class AuditListSchema(CountedListSchema):
    """Audits, newest first."""

    items: list[AuditSummarySchema]


class ArtifactSchema(BaseModel):
    """A file that an audit stored; `deleted_at` is set once its retention time was over."""

    id: int
    session_id: str
    page_id: str | None
    type: str
    storage_uri: str
    size_bytes: int
    checksum: str
    created_at: str
    retention_until: str | None
    deleted_at: str | None
    retentionUntil: str | None = Field(description="The same as `retention_until`.")
    deletedAt: str | None = Field(description="The same as `deleted_at`.")


class ArtifactListSchema(BaseModel):
    """The artifacts of an audit, in the order they were stored."""

    items: list[ArtifactSchema]
