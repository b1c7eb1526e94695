"""The JSON of the retention routes."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from webstrata.api.schemas import Line
from webstrata.http.dependencies import Code, SnapshotNumber, Text

# ruff: noqa: N815


class TombstoneSchema(BaseModel):
    """The public record of a withheld snapshot."""

    snapshotId: int
    url: str
    captureTimestamp: str
    digest: str | None
    reason: str
    date: str


class PolicySchema(BaseModel):
    """The policy of a collection; one that is exempt or never expires by itself has no TTL."""

    ttlDays: int | None
    defaultTtlDays: int | None
    exempt: bool


class CollectionResultSchema(BaseModel):
    """What a pass found in a collection and deleted from it."""

    ttlDays: int
    expired: int
    deleted: int
    remaining: int
    undated: int
    guarded: int = Field(
        0, description="Expired rows that are most of a source's rows: they stay until a pass is confirmed."
    )
    error: str | None = None


class CleanupSchema(BaseModel):
    """A pass: when it began, how long it took, and its result for each collection."""

    dryRun: bool
    timestamp: str
    seconds: float
    trigger: str
    collections: dict[str, CollectionResultSchema]
    error: str | None = None


class RetentionSchema(BaseModel):
    """The policies by collection, and the last pass that was not a dry run."""

    config: dict[str, PolicySchema]
    lastCleanup: CleanupSchema | None
    error: str | None = Field(None, description="Why the stored policies cannot be read; nothing is deleted then.")


class RetentionRequestSchema(BaseModel):
    """An action: `update_policy` with a collection and its days, `cleanup` with `dryRun`, or `reset`."""

    action: Literal["update_policy", "cleanup", "reset"]
    collectionName: str | None = None
    ttlDays: int | None = None
    dryRun: bool | None = None
    confirm: bool = False


Reason = Annotated[Line, Field(min_length=1, max_length=2_000)]


class HoldSchema(BaseModel):
    """A legal hold: what it covers, why, since when and by whom."""

    id: int
    scope: str
    source: str | None
    page: str | None
    snapshotId: int | None
    sessionId: str | None
    reason: str
    createdAt: str
    createdBy: str
    releasedAt: str | None
    releasedBy: str | None


class HoldListSchema(BaseModel):
    """The legal holds, newest first."""

    items: list[HoldSchema]


class NewHoldSchema(BaseModel):
    """A legal hold to place: on a source, a page's URL (of one source or of all), a snapshot or an audit session."""

    model_config = ConfigDict(extra="forbid")

    reason: Reason
    source: Code | None = None
    url: Text | None = Field(None, max_length=4096)
    snapshotId: SnapshotNumber | None = None
    sessionId: Text | None = Field(None, max_length=36)


class WithholdSchema(BaseModel):
    """Snapshots to withhold, and why; `confirm` is needed when most of a source would disappear."""

    model_config = ConfigDict(extra="forbid")

    snapshotIds: list[SnapshotNumber] = Field(min_length=1, max_length=10_000)
    reason: Reason
    confirm: bool = False


class WithheldSchema(BaseModel):
    """The tombstones of the snapshots that were withheld now."""

    items: list[TombstoneSchema]
