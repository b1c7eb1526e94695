"""Rules of assets: results of plugins, the order of their versions, and when an asset counts as gone."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple, TypeVar

from webstrata.errors import UsageError
from webstrata.model.crawl.crawl_config import CRAWL_SETTINGS

MAX_IDENTIFIER_BYTES = 2_048
"""Databases cannot index longer keys."""

MAX_METADATA_BYTES = 1_000_000
MAX_INTERRUPTIONS = 5
"""After so many crashes of a plugin on a capture, the plugin is not run on it any more."""

FEW = 10
"""Up to so many assets may disappear from a site at once without a confirmation."""

GONE_STATUSES = frozenset({404, 410})
"""Response statuses that mean that nothing is there."""

_MAX_BYTES = {
    "identifier": MAX_IDENTIFIER_BYTES,
    "asset_type": 64,
    "source_url": 65_536,
    "checksum": 200,
    "normalized_path": 1_024,
}
_ESCAPED_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
_ENCODER = json.JSONEncoder(allow_nan=False, ensure_ascii=False)
_Json = TypeVar("_Json", list[str], dict[str, object])
_MOVED_STATUSES = frozenset({301, 308})
_NOT_MODIFIED = 304
_SETTINGS_WITHOUT_REACH = frozenset(name for name, declared in CRAWL_SETTINGS.items() if not declared.has_reach) | {
    "plugins"
}
"""Crawl settings that cannot change which URLs a job reaches; all others, even unknown ones, count as if they could."""


class AssetType(StrEnum):
    """How a plugin treats a capture."""

    PAGE = "page"
    MEDIA = "media"


class AssetState(StrEnum):
    """Whether an asset existed when its source was last crawled."""

    PRESENT = "present"
    MISSING = "missing"


class RunStatus(StrEnum):
    """The status of one plugin on one capture."""

    RUNNING = "running"
    DONE = "done"
    SKIPPED = "skipped"
    FAILED = "failed"


SETTLED = (RunStatus.DONE, RunStatus.SKIPPED, RunStatus.FAILED)


class Sight(StrEnum):
    """The effect of a sighting on an asset's versions."""

    NEW = "new"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    LATE = "late"


@dataclass(frozen=True)
class AssetRecord:
    """A plugin's description of an asset; values that the database cannot store are refused."""

    identifier: str
    asset_type: str
    source_url: str
    checksum: str
    tags: tuple[str, ...] = ()
    normalized_path: str = ""
    metadata: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse values that cannot be stored, and copy those that could be changed from outside."""
        for name, most in _MAX_BYTES.items():
            _check_text(name, getattr(self, name), most)
        if not (self.identifier and self.asset_type and self.checksum):
            raise UsageError("an asset needs an identifier, an asset type and a checksum")
        _check_path(self.normalized_path)
        _check_tags(self.tags)
        object.__setattr__(self, "tags", tuple(_storable("tags", list(self.tags))))
        object.__setattr__(self, "metadata", _storable("metadata", dict(self.metadata)))


class NormalizedAsset(NamedTuple):
    """An asset and its normalised bytes; plugins may return a plain tuple instead."""

    record: AssetRecord
    content: bytes


@dataclass(frozen=True)
class KnownAsset:
    """The newest version of an asset."""

    checksum: str
    last_seen_at: datetime
    missing_since: datetime | None = None


@dataclass(frozen=True)
class UnseenAsset:
    """An asset that a job did not find, with its last sighting."""

    id: int
    plugin: str
    url: str
    last_seen_at: datetime
    last_seen_job_id: int | None


@dataclass(frozen=True)
class AssetResponse:
    """The response that a job got from the URL on which an asset was last seen."""

    capture_id: int
    captured_at: datetime
    status_code: int | None


class Fate(StrEnum):
    """What a job's captures show about an asset that the job did not find."""

    UNKNOWN = "unknown"
    GONE = "gone"
    ABSENT = "absent"


@dataclass(frozen=True)
class FailedRun:
    """A capture that a plugin failed on, and why."""

    url: str
    plugin: str
    plugin_version: str | None
    error: str


@dataclass(frozen=True)
class AssetsSummary:
    """What plugins made of a job's captures."""

    captures: int = 0
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    failed: int = 0
    missing: int = 0
    unproven: int = 0
    """The number of assets that the job did not find, but whose absence it does not prove."""


def checksum_of(content: bytes) -> str:
    """Return the SHA-256 of a content."""
    return hashlib.sha256(content).hexdigest()


def judge_sighting(known: KnownAsset | None, checksum: str, captured_at: datetime) -> Sight:
    """Return the effect of a sighting on an asset; versions are in order of time."""
    if known is None:
        return Sight.NEW
    if captured_at < known.last_seen_at:
        return Sight.LATE
    return Sight.UNCHANGED if checksum == known.checksum else Sight.CHANGED


def is_back(known: KnownAsset, captured_at: datetime) -> bool:
    """Return whether a sighting shows that a missing asset is present again."""
    return known.missing_since is None or captured_at >= known.missing_since


def judge_unseen(asset: UnseenAsset, response: AssetResponse | None, run: RunStatus | None, *, tried: bool) -> Fate:
    """Return the conclusion from a complete job about an asset that it did not find.

    `run` is the status of the asset's plugin on the response; `tried` is whether the job knew the URL at all.
    """
    if response is None:
        return Fate.UNKNOWN if tried else Fate.ABSENT
    if response.captured_at <= asset.last_seen_at:
        return Fate.UNKNOWN
    if response.status_code in GONE_STATUSES | _MOVED_STATUSES:
        return Fate.GONE
    looked = run in {RunStatus.DONE, RunStatus.SKIPPED}
    return Fate.GONE if looked and holds_content(response.status_code) else Fate.UNKNOWN


def holds_content(status_code: int | None) -> bool:
    """Return whether a response with this status has content: it is not an error or a redirect."""
    return status_code is None or 200 <= status_code <= 299 or status_code == _NOT_MODIFIED


def same_reach(one: Mapping[str, object], other: Mapping[str, object]) -> bool:
    """Return whether two jobs with these configurations reach the same URLs of an unchanged site."""
    return _reach(one) == _reach(other)


def too_many_at_once(absent: int, present: int) -> bool:
    """Return whether so many assets are absent that an outage is more likely: more than a few, and more than half of
    all."""
    return absent > FEW and absent * 2 > present


def _reach(config: Mapping[str, object]) -> dict[str, object]:
    """Return the part of a configuration that decides which URLs a job reaches, without empty values."""
    seeds, settings = config.get("seeds"), config.get("crawl")
    reach = {
        **config,
        "seeds": frozenset(seeds) if isinstance(seeds, list | tuple) else seeds,
        "crawl": {name: value for name, value in settings.items() if name not in _SETTINGS_WITHOUT_REACH}
        if isinstance(settings, Mapping)
        else settings,
    }
    return {name: value for name, value in reach.items() if value and name not in _SETTINGS_WITHOUT_REACH}


def _check_text(name: str, value: object, most: int) -> None:
    if not isinstance(value, str) or "\0" in value:
        raise UsageError(f"an asset's {name} cannot be {value!r:.200}")
    try:
        length = len(value.encode())
    except UnicodeEncodeError:
        raise UsageError(f"an asset's {name} is not Unicode: {value!r:.200}") from None
    if length > most:
        raise UsageError(f"an asset's {name} has {length} bytes, more than {most}: {value!r:.200}")


def _check_tags(tags: object) -> None:
    if not isinstance(tags, tuple | list) or not all(isinstance(tag, str) for tag in tags):
        raise UsageError(f"an asset's tags must be words, not {tags!r:.200}")


def _check_path(path: str) -> None:
    """Refuse a path that, laid out in a folder, could leave it."""
    if path.startswith("/") or ".." in path.split("/") or "\\" in path or not path.isprintable():
        raise UsageError(f"an asset's normalized_path leads out of its folder: {path!r:.200}")


def _storable(name: str, value: _Json) -> _Json:
    """Return a copy of a JSON value; UsageError for other values, and for NUL, which PostgreSQL cannot store."""
    if not value:
        return value
    try:
        text = _ENCODER.encode(value)
        length = len(text.encode())
    except (TypeError, ValueError) as error:
        raise UsageError(f"an asset's {name} must be JSON: {error}") from error
    if _ESCAPED_NUL.search(text):
        raise UsageError(f"an asset's {name} cannot hold NUL")
    if length > MAX_METADATA_BYTES:
        raise UsageError(f"an asset's {name} has {length} bytes, more than {MAX_METADATA_BYTES}")
    copy: _Json = json.loads(text)
    return copy
