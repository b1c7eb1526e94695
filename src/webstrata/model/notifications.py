"""Notifications: target addresses, subscriptions, which events are announced, and when a delivery is tried again."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from urllib.parse import urlsplit

from webstrata.errors import UsageError
from webstrata.model.changes import SIGNIFICANT, ChangeType
from webstrata.model.urls import parse_url

MAX_ADDRESS_LENGTH = 2_000
MAX_NAME_LENGTH = 100

NEW_PAGE_SIGNIFICANCE = SIGNIFICANT
"""A new page has nothing to be compared with; subscriptions at the default threshold or below get it."""

APPRISE_SCHEMES = {
    "mailto": True,
    "mailtos": True,
    "matrix": True,
    "matrixs": True,
    "gotify": True,
    "gotifys": True,
    "mmost": True,
    "mmosts": True,
    "rocket": True,
    "rockets": True,
    "nctalk": True,
    "nctalks": True,
    "json": True,
    "jsons": True,
    "ntfy": False,
    "ntfys": False,
    "slack": False,
    "discord": False,
    "tgram": False,
    "msteams": False,
    "workflows": False,
    "gchat": False,
    "pover": False,
    "signal": True,
    "signals": True,
}
"""Schemes that are sent through apprise, and whether the part after :// is a host; elsewhere it may be a secret."""

_WEB = frozenset({"http", "https"})
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*)://", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x20\x7f]")
_LONGEST_DELAY = timedelta(hours=1)


class TargetKind(StrEnum):
    """How a target is reached."""

    WEBHOOK = "webhook"
    APPRISE = "apprise"


class ReviewStatus(StrEnum):
    """What a person decided about a change."""

    REVIEWED = "reviewed"
    IMPORTANT = "important"
    NOISE = "noise"


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


@dataclass(frozen=True)
class RetryPolicy:
    """How often, and how long after a failure, a delivery is tried again."""

    max_attempts: int = 10
    first_delay: timedelta = timedelta(seconds=15)


def event_key(from_snapshot_id: int | None, to_snapshot_id: int) -> str:
    """Return the id of a change event; it depends on the two snapshots alone, so a rebuilt archive gives the same."""
    return f"change-{from_snapshot_id or 0}-{to_snapshot_id}"


def read_address(text: str) -> TargetAddress:
    """Return a notification target's address; UsageError says what is wrong with it, without repeating it."""
    address = text.strip()
    scheme = _SCHEME.match(address)
    if scheme is None or len(address) > MAX_ADDRESS_LENGTH or _CONTROL.search(address):
        raise UsageError(
            "a notification address looks like https://example.org/hook or mailto://user:password@example.org"
            f" (at most {MAX_ADDRESS_LENGTH:,} characters, no spaces)"
        )
    name = scheme[1].lower()
    return _webhook(address) if name in _WEB else _apprise(name, address)


def is_news(change_type: ChangeType, significance: float, least: float, *, is_first_run: bool) -> bool:
    """Tell whether a subscription with a threshold is notified of an event; the pages of a first run are not news."""
    if change_type in (ChangeType.UNCHANGED, ChangeType.ERROR):
        return False
    if change_type is ChangeType.NEW_PAGE:
        return not is_first_run and least <= NEW_PAGE_SIGNIFICANCE
    return significance >= least


def delay_after(attempts: int, policy: RetryPolicy) -> timedelta | None:
    """Return how long a delivery waits after so many failed attempts; None when it is given up."""
    if attempts >= policy.max_attempts:
        return None
    doublings = 1 << min(max(attempts - 1, 0), 30)
    return min(policy.first_delay * doublings, _LONGEST_DELAY)


def _webhook(address: str) -> TargetAddress:
    if "@" in urlsplit(address).netloc:
        raise UsageError("a webhook's address cannot hold a user name or password; put a token in its path or query")
    try:
        parts = parse_url(address)
    except UsageError:
        raise UsageError("the webhook's address is not a web address such as https://example.org/hook") from None
    port = f":{parts.port}" if parts.port else ""
    return TargetAddress(TargetKind.WEBHOOK, parts.href, f"{parts.scheme}://{parts.hostname}{port}")


def _apprise(scheme: str, address: str) -> TargetAddress:
    if scheme not in APPRISE_SCHEMES:
        known = ", ".join(sorted(("http", "https", *APPRISE_SCHEMES)))
        raise UsageError(f"notifications cannot be sent to {scheme}:// (possible: {known})")
    try:
        host = urlsplit(address).hostname
    except ValueError:
        raise UsageError(f"the {scheme}:// address has no valid host") from None
    shown = f"{scheme}://{host}" if APPRISE_SCHEMES[scheme] and host else f"{scheme}://…"
    return TargetAddress(TargetKind.APPRISE, address, shown)
