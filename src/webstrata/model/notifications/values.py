"""Values of notifications: targets, subscriptions and their subjects, marks of reviewed changes."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class TargetKind(StrEnum):
    """How a target is reached."""

    WEBHOOK = "webhook"
    APPRISE = "apprise"


class ReviewStatus(StrEnum):
    """What a person decided about a change."""

    REVIEWED = "reviewed"
    IMPORTANT = "important"
    NOISE = "noise"


class ReviewFilter(StrEnum):
    """Which changes are listed by their review."""

    REVIEWED = "reviewed"
    IMPORTANT = "important"
    NOISE = "noise"
    UNREVIEWED = "unreviewed"


@dataclass(frozen=True)
class ChangeReview:
    """A person's decision about a change."""

    status: ReviewStatus
    note: str | None
    reviewed_at: datetime | None
    reviewed_by: str | None


@dataclass(frozen=True)
class TargetAddress:
    """An address that notifications are sent to; it may hold secrets."""

    kind: TargetKind
    address: str
    shown: str
    """Scheme and host, or the scheme alone: what pages and logs may show."""


@dataclass(frozen=True)
class Subject:
    """What a subscription is about: exactly one of these is set."""

    source_id: int | None = None
    page: str | None = None
    """The group of a page's URLs."""
    watch_id: int | None = None
    saved_search_id: int | None = None


@dataclass(frozen=True)
class Target:
    """A receiver of notifications, without its secrets."""

    id: int
    name: str
    kind: TargetKind
    shown: str
    created_at: datetime
    paused: bool
    last_result: str | None
    last_result_at: datetime | None


@dataclass(frozen=True)
class Subscription:
    """What a target is notified of."""

    id: int
    target: Target
    subject: Subject
    source_code: str | None
    min_significance: float
    digest: bool
    """One message per run; else one per event."""
    created_at: datetime
    signing_secret: str | None = None
    """Only of a webhook that was added just now: it is shown once."""
