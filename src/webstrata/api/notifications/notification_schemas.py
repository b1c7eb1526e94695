"""The JSON of the routes of notifications."""

from pydantic import BaseModel, ConfigDict, Field

from webstrata.http.dependencies import Code, Text
from webstrata.model.changes.values import SIGNIFICANT
from webstrata.model.notifications.addresses import MAX_ADDRESS_LENGTH
from webstrata.notifications.subscribing import MAX_NAME_LENGTH

# ruff: noqa: N815

_MOST_AT_ONCE = 1_000


class TargetSchema(BaseModel):
    """A receiver of notifications; its address is shown as scheme and host only."""

    id: int
    name: str
    kind: str
    address: str
    paused: bool
    createdAt: str
    lastResult: str | None = Field(description="`delivered`, or the reason why the last delivery failed.")
    lastResultAt: str | None


class SubscriptionSchema(BaseModel):
    """A subscription of a target to one of: a source, a page, a watch, a saved search."""

    id: int
    targetId: int
    targetName: str
    source: str | None
    page: str | None
    watchId: int | None
    savedSearchId: int | None
    minSignificance: float
    digest: bool = Field(description="Whether one message is sent per run; if not, one per change.")
    createdAt: str


class NotificationsSchema(BaseModel):
    """Targets and subscriptions, and how many messages wait or were given up."""

    targets: list[TargetSchema]
    subscriptions: list[SubscriptionSchema]
    waiting: int
    deadLetters: int


class NewTargetSchema(BaseModel):
    """A target to add."""

    model_config = ConfigDict(extra="forbid")

    address: Text = Field(
        min_length=1, max_length=MAX_ADDRESS_LENGTH, description="https://… for a webhook, or an address of apprise."
    )
    name: Text | None = Field(None, min_length=1, max_length=MAX_NAME_LENGTH)


class AddedTargetSchema(BaseModel):
    """A target that was added; the signing secret of a webhook is returned only now."""

    target: TargetSchema
    signingSecret: str | None


class TargetStateSchema(BaseModel):
    """Whether deliveries to a target are paused."""

    model_config = ConfigDict(extra="forbid")

    paused: bool


class SigningSecretSchema(BaseModel):
    """The secret that messages to a webhook are signed with."""

    signingSecret: str


class TestResultSchema(BaseModel):
    """The result of a test message."""

    __test__ = False

    delivered: bool
    error: str | None


class NewSubscriptionSchema(BaseModel):
    """A subscription to add: to a source by its code, a page by its URL, a watch or a saved search."""

    model_config = ConfigDict(extra="forbid")

    target: Text = Field(min_length=1, max_length=MAX_ADDRESS_LENGTH, description="A target's name, or an address.")
    source: Code | None = None
    page: Text | None = Field(None, max_length=2_048)
    watchId: int | None = Field(None, ge=1, lt=2**31)
    savedSearch: Text | None = Field(None, max_length=100, description="Name or number of a saved search.")
    minSignificance: float = Field(
        SIGNIFICANT, ge=0, le=1, description="Default: 0.3, or 0 for a watch or a saved search."
    )
    digest: bool = True


class AddedSubscriptionSchema(BaseModel):
    """A subscription that was added; the signing secret of a new webhook is returned only now."""

    subscription: SubscriptionSchema
    signingSecret: str | None


class DeadLetterSchema(BaseModel):
    """A message that could not be delivered."""

    id: int
    subscriptionId: int
    targetName: str
    eventId: str
    title: str
    createdAt: str
    deadAt: str
    attempts: int
    lastError: str | None


class DeadLettersSchema(BaseModel):
    """Messages that could not be delivered, the newest first."""

    total: int
    items: list[DeadLetterSchema]


class RetrySchema(BaseModel):
    """The dead letters to deliver again; without ids, all."""

    model_config = ConfigDict(extra="forbid")

    ids: list[int] | None = Field(None, min_length=1, max_length=_MOST_AT_ONCE)


class RetriedSchema(BaseModel):
    """The number of messages that were queued again."""

    retried: int
