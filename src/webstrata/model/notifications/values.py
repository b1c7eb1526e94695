"""Values of notifications: targets, subscriptions and their subjects, marks of reviewed changes."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class TargetKind(StrEnum):
    """The transport of a target."""

    WEBHOOK = "webhook"
    APPRISE = "apprise"


class ReviewStatus(StrEnum):
    """The mark of a change."""

    REVIEWED = "reviewed"
    IMPORTANT = "important"
    NOISE = "noise"


class ReviewFilter(StrEnum):
    """A filter of changes by their mark."""

    REVIEWED = "reviewed"
    IMPORTANT = "important"
    NOISE = "noise"
    UNREVIEWED = "unreviewed"


@dataclass(frozen=True)
class ChangeReview:
    """An administrator's mark of a change."""

    status: ReviewStatus
    note: str | None
    reviewed_at: datetime | None
    reviewed_by: str | None


MAX_NOTE = 2_000
"""Characters of a note on a change."""


@dataclass(frozen=True)
class MarkedChange:
    """A change event after its mark was set or removed."""

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
    """The subject of a subscription: exactly one of these is set."""

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
    """A subscription of a target to a subject."""

    id: int
    target: Target
    subject: Subject
    source_code: str | None
    min_significance: float
    digest: bool
    """One message per run; else one per event."""
    created_at: datetime
    signing_secret: str | None = None
    """Set only for a webhook that was just added: it is shown once."""
