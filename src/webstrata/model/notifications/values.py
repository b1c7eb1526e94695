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


MAX_NOTE = 2_000
"""Characters of a note on a change."""


@dataclass(frozen=True)
class MarkedChange:
    """A change event after it was marked, or its mark was removed."""

    id: int
    from_snapshot_id: int | None
    to_snapshot_id: int
    review: ChangeReview | None


@dataclass(frozen=True)
class SavedReview:
    """The mark of a change as it is written to a file, for a rebuild."""

    event_key: str
    """The event's id, made from its two snapshots."""
    status: str
    note: str | None
    reviewed_at: datetime
    reviewed_by: str

    @property
    def to_snapshot_id(self) -> int:
        """Return the capture whose event is marked: each capture has one."""
        return int(self.event_key.rpartition("-")[2])


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
