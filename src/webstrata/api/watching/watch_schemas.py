"""The JSON of the routes of watches."""

from pydantic import BaseModel, ConfigDict, Field

from webstrata.http.dependencies import Text
from webstrata.model.changes.values import SIGNIFICANT
from webstrata.model.watching.watches import WatchScope

# ruff: noqa: N815

_MOST_RULES = 100
_MOST_ADDRESSES = 20


class WatchSchema(BaseModel):
    """A watch, its last check and its last change."""

    id: int
    url: str
    scope: WatchScope
    source: str = Field(description="Code of the source that its captures belong to.")
    select: str | None = Field(description="CSS selector of the elements whose changes count; null for the whole page.")
    ignore: list[str]
    minSignificance: float
    schedule: str
    paused: bool
    nextCheck: str
    scheduleError: str | None
    createdAt: str
    lastJobId: int | None
    lastCheck: str | None
    lastCheckStatus: str | None
    lastChange: str | None
    lastChangeSummary: str | None
    lastChangeSnapshotId: int | None
    lastChangePath: str | None = Field(description="Page that shows the last change: a comparison or a site diff.")
    changes: int


class WatchesSchema(BaseModel):
    """A part of the list of watches."""

    total: int
    items: list[WatchSchema]


class NewWatchSchema(BaseModel):
    """A watch to add."""

    model_config = ConfigDict(extra="forbid")

    url: Text = Field(min_length=1, max_length=2_048)
    every: Text = Field("1d", max_length=200, description="How often: 6h, 1d, or a cron line in UTC.")
    scope: WatchScope = WatchScope.PAGE
    select: Text = Field("", max_length=1_000, description="CSS selector of the elements whose changes count.")
    ignore: list[Text] = Field(
        [], max_length=_MOST_RULES, description="CSS selectors, or texts of lines, whose changes do not count."
    )
    notify: list[Text] = Field(
        [], max_length=_MOST_ADDRESSES, description="Addresses or names of targets to notify of its changes."
    )
    minSignificance: float = Field(SIGNIFICANT, ge=0, le=1)


class AddedWatchSchema(BaseModel):
    """A watch that was added; the signing secrets of new webhooks, by the names of targets, are returned only now."""

    watch: WatchSchema
    signingSecrets: dict[str, str]


class WatchStateSchema(BaseModel):
    """Whether a watch is checked."""

    model_config = ConfigDict(extra="forbid")

    paused: bool


class QueuedCheckSchema(BaseModel):
    """The job that checks a watch."""

    watchId: int
    jobId: int
