"""Evidence audits: the states of a session and its pages, and how long it may wait and be tried again."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum


class AuditStatus(StrEnum):
    """The state of an audit session."""

    QUEUED = "queued"
    RUNNING = "running"
    COMPLETED = "completed"
    PARTIAL = "partial"
    FAILED = "failed"

    @property
    def is_final(self) -> bool:
        """Return whether a session in this state has ended."""
        return self in {AuditStatus.COMPLETED, AuditStatus.PARTIAL, AuditStatus.FAILED}


class AuditMode(StrEnum):
    """What an audit is for: `debug` skips the throttle, `evidence_pack` adds a pack with a WARC and a manifest."""

    STANDARD = "standard"
    DEBUG = "debug"
    EVIDENCE_PACK = "evidence_pack"


class AuditRetention(StrEnum):
    """The retention of a session's html_gz artifacts."""

    STANDARD = "standard"
    SHORT = "short"
    LONG = "long"


class AuditPageType(StrEnum):
    """Which page of a shop is audited."""

    HOMEPAGE = "homepage"
    PDP = "pdp"


class AuditViewport(StrEnum):
    """On which kind of device a page is opened."""

    DESKTOP = "desktop"
    MOBILE = "mobile"


class AuditPageStatus(StrEnum):
    """The state of one page of a session."""

    PENDING = "pending"
    OK = "ok"
    FAILED = "failed"


class AuditLogLevel(StrEnum):
    """How serious an entry of the session log is."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class AuditEventType(StrEnum):
    """What an entry of the session log is about."""

    NAVIGATION = "navigation"
    POPUP = "popup"
    RETRY = "retry"
    TIMEOUT = "timeout"
    ERROR = "error"
    ARTIFACT = "artifact"


@dataclass(frozen=True)
class NewAudit:
    """An audit to be queued."""

    url: str
    domain: str
    mode: AuditMode
    retention_policy: AuditRetention
    crawl_policy_version: str
    config_snapshot: dict[str, object]


@dataclass(frozen=True)
class AuditPage:
    """One page of a session on one viewport."""

    id: str
    page_type: AuditPageType
    viewport: AuditViewport
    status: AuditPageStatus
    url: str | None = None
    final_url: str | None = None
    http_status: int | None = None
    error: str | None = None
    load_timings: dict[str, object] = field(default_factory=dict)
    low_confidence_reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class AuditLogEntry:
    """An entry of the session log."""

    timestamp: datetime
    level: AuditLogLevel
    event_type: AuditEventType
    message: str
    details: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Audit:
    """An audit session as its row describes it."""

    id: str
    url: str
    domain: str
    status: AuditStatus
    created_at: datetime
    mode: AuditMode
    retention_policy: AuditRetention
    attempts: int
    crawl_policy_version: str
    config_snapshot: dict[str, object]
    low_confidence: bool = False
    final_url: str | None = None
    pdp_url: str | None = None
    error_summary: str | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    manifest_sha256: str | None = None
    """The digest of the evidence pack's manifest, where there is a pack."""


@dataclass(frozen=True)
class AuditLease:
    """A leased session; the token proves that the lease is still held."""

    session_id: str
    token: str


@dataclass(frozen=True)
class AuditLimits:
    """How many audits a worker runs, and how long they may take and wait."""

    concurrency: int = 3
    timeout: timedelta = timedelta(seconds=1200)
    max_attempts: int = 3
    domain_wait: timedelta = timedelta(seconds=900)


def may_wait_for_domain(created_at: datetime, now: datetime, longest: timedelta) -> bool:
    """Return whether a session on a busy domain returns to the queue; after the longest wait, the lock's attempts
    decide."""
    return now - created_at < longest


def may_try_again(attempts: int, most: int) -> bool:
    """Return whether a session whose worker died is run again."""
    return attempts < most
