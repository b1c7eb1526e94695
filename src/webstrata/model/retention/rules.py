"""Retention rules: which collections expire, after how many days, and whether a pass may delete what it found."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from enum import StrEnum
from types import MappingProxyType

from webstrata.errors import PolicyError, UnreadablePolicyError

DEFAULT_TTL_DAYS: Mapping[str, int] = MappingProxyType(
    {
        "diagnostics": 90,
        "price_history": 365,
        "scrape_metadata": 90,
        "audit_log": 90,
        "scraper_health": 180,
        "export_history": 90,
        "hauls": 30,
    }
)
"""The collections that expire, each with the days for which its rows are retained unless a policy differs."""

FURTHER_TTL_DAYS: Mapping[str, int | None] = MappingProxyType({"blobs": 30, "crawl_tasks": None, "crawl_logs": None})
"""The TTL of other data that passes delete: unreferenced blobs, and tasks and logs of closed jobs; None means never."""

EXEMPT = frozenset({"listings"})
"""Collections whose rows are never deleted, even if a stored policy asks for it."""

MAX_TTL_DAYS = 36_500
"""A hundred years: with more, the date of expiry could not be computed."""

BATCH_ROWS = 100
"""The most rows of a collection that one batch deletes."""

MIN_INTERVAL = timedelta(hours=1)
"""Time between two passes that requests may trigger, across all processes and restarts."""

DEFAULT_MAX_SHARE = 0.5
"""The share of a source that may be deleted at once without a confirmation."""

GUARDED_FROM = 1_000
"""From this number on, expired rows of a source are deleted only if enough others remain, or after a confirmation."""

TRIGGER_PROBABILITY = 0.01
"""The share of requests that try to start a pass."""


class PassTrigger(StrEnum):
    """What began a retention pass."""

    REQUEST = "request"
    SCHEDULE = "schedule"
    MANUAL = "manual"


@dataclass(frozen=True)
class CollectionResult:
    """What a pass found in a collection, and what it deleted."""

    ttl_days: int
    expired: int = 0
    deleted: int = 0
    remaining: int = 0
    """Expired rows that remain: for the next batches, or because something refers to them."""
    undated: int = 0
    guarded: int = 0
    """Expired rows that are not deleted without an administrator's confirmation, as they are most of a source's
    rows."""
    error: str | None = None

    @classmethod
    def from_json(cls, stored: object) -> "CollectionResult":
        """Return a result as it was recorded, perhaps by another version of the program."""
        known = {part.name for part in fields(cls)}
        values = stored if isinstance(stored, dict) else {}
        return cls(**{"ttl_days": 0, **{name: value for name, value in values.items() if name in known}})


@dataclass(frozen=True)
class PassResult:
    """A retention pass: when it began, how long it took, and its result for each collection."""

    began_at: datetime
    seconds: float
    trigger: PassTrigger
    dry_run: bool
    collections: Mapping[str, CollectionResult] = field(default_factory=dict)
    error: str | None = None
    """Why nothing was deleted at all, such as policies that cannot be read."""

    @property
    def has_failed(self) -> bool:
        """Return whether the pass, or one of its collections, failed."""
        return self.error is not None or any(result.error for result in self.collections.values())


def check_collection(name: object) -> str:
    """Return the name of a collection that may have a policy; PolicyError for any other."""
    if isinstance(name, str) and name in EXEMPT:
        raise PolicyError(f"{name} is exempt from retention: no policy can be set for it")
    if not isinstance(name, str) or name not in {*DEFAULT_TTL_DAYS, *FURTHER_TTL_DAYS}:
        known = ", ".join((*DEFAULT_TTL_DAYS, *FURTHER_TTL_DAYS))
        raise PolicyError(f"unknown collection {_short_repr(name)} (expected one of {known})")
    return name


def check_ttl_days(value: object) -> int:
    """Return a TTL in days; PolicyError unless it is a whole number from 1 to MAX_TTL_DAYS."""
    # Exact type check: in Python True is an int, and SQLite would accept "60".
    if type(value) is not int or not 1 <= value <= MAX_TTL_DAYS:
        raise PolicyError(f"ttlDays must be a whole number of days from 1 to {MAX_TTL_DAYS}, not {_short_repr(value)}")
    return value


def effective_policies(stored: Mapping[object, object]) -> dict[str, int]:
    """Return the TTL of each collection that expires; UnreadablePolicyError when a stored policy makes no sense."""
    policies = {**DEFAULT_TTL_DAYS, **{name: days for name, days in FURTHER_TTL_DAYS.items() if days is not None}}
    for name, days in stored.items():
        if name in EXEMPT:
            continue
        try:
            policies[check_collection(name)] = check_ttl_days(days)
        except PolicyError as error:
            raise UnreadablePolicyError(f"the stored policy of {_short_repr(name)} cannot be read: {error}") from error
    return policies


def default_days(name: str) -> int | None:
    """Return the days of a collection unless a policy differs; None when it never expires by itself."""
    return DEFAULT_TTL_DAYS.get(name) or FURTHER_TTL_DAYS.get(name)


def expiry_limit(now: datetime, ttl_days: int) -> datetime:
    """Return the time before which expired rows were created; a row exactly as old as the TTL is not expired."""
    return now - timedelta(days=ttl_days)


def may_trigger(draw: float) -> bool:
    """Return whether a request tries to begin a pass, given a random number from 0 to 1."""
    return draw < TRIGGER_PROBABILITY


def is_mass_disappearance(going: int, in_all: int, max_share: float) -> bool:
    """Return whether one pass would delete so much of a source that an administrator must confirm it."""
    return going > 0 and in_all > 0 and going > in_all * max_share


def _short_repr(value: object) -> str:
    text = json.dumps(value, default=repr, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:60]}…"
