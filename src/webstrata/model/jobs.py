"""A job: one archiving of a source, and what it is told to do."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from math import inf
from typing import Literal, get_args, get_origin

from webstrata.errors import UsageError
from webstrata.model.scope import ScopeRules
from webstrata.model.tasks import RetryPolicy
from webstrata.model.tool_options import ArchiveToolOptions, ignored_arguments, validate_tool_options

MAX_NAME_LENGTH = 200


class JobStatus(StrEnum):
    """Where a job stands."""

    QUEUED = "queued"
    RETRYABLE = "retryable"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    STOPPED = "stopped"
    INDEXING = "indexing"
    INDEXED = "indexed"
    INDEX_FAILED = "index_failed"


CLAIMABLE = (JobStatus.QUEUED, JobStatus.RETRYABLE)
UNFINISHED = (JobStatus.RUNNING, JobStatus.STOPPED, JobStatus.INDEXING, *CLAIMABLE)
UNDER_WAY = (JobStatus.RUNNING, JobStatus.COMPLETED, JobStatus.INDEXING, *CLAIMABLE)
"""Where a job goes on by itself. One that was stopped waits for a person; its source does not wait with it."""
SETTLED = (JobStatus.INDEXED, JobStatus.STOPPED, JobStatus.FAILED, JobStatus.INDEX_FAILED)
"""Where a job stays until somebody acts."""
INDEXABLE = (JobStatus.COMPLETED, JobStatus.STOPPED, JobStatus.FAILED, JobStatus.INDEX_FAILED, JobStatus.INDEXED)
CUT_SHORT = (JobStatus.STOPPED, JobStatus.FAILED)
"""Where a job stays whose crawl did not end well, also when what it captured is indexed."""
EDITIONS = (JobStatus.INDEXED, *CUT_SHORT)
"""Where a job counts as an edition of its source, if it has a snapshot."""


@dataclass(frozen=True)
class CrawlConfig:
    """The crawl knobs of one job; the settings hold their defaults."""

    user_agent: str
    respect_robots: bool
    concurrency: int
    per_host_delay: float | None
    fetch_timeout: float
    max_body_bytes: int
    max_pages: int
    max_depth: int
    max_retries: int
    backoff_min: float
    backoff_max: float
    backoff_multiplier: float
    lease_seconds: float
    warc_max_bytes: int
    use_sitemaps: bool = True
    respect_nofollow: bool = False
    respect_noarchive: bool = False
    per_host_concurrency: int | None = None
    max_crawl_delay: float = 60.0
    jitter: float = 0.25
    max_seconds: float | None = None
    max_bytes: int | None = None
    max_buffered_bytes: int = 256_000_000
    fetcher: Literal["http", "null"] = "http"

    @property
    def retry_policy(self) -> RetryPolicy:
        """Return the knobs that say when a failed URL is tried again."""
        return RetryPolicy(
            self.max_retries, self.backoff_min, self.backoff_max, self.backoff_multiplier, jitter=self.jitter
        )

    def overridden(self, knobs: Mapping[str, object]) -> "CrawlConfig":
        """Return the configuration with a job's own knobs; a wrong one is an error that names it."""
        check_knobs(knobs)
        return CrawlConfig(**(asdict(self) | dict(knobs)))


SCOPE_KEYS = frozenset({"allowed_domains", "allow_paths", "deny_paths"})
CRAWL_KNOBS = {f.name: f.type for f in fields(CrawlConfig)}

BOUNDS: Mapping[str, tuple[float, float]] = {
    "concurrency": (1, 256),
    "per_host_delay": (0, 3_600),
    "per_host_concurrency": (1, 256),
    "max_crawl_delay": (0, 3_600),
    "jitter": (0, 1),
    "fetch_timeout": (0.001, 3_600),
    "max_body_bytes": (1, inf),
    "max_buffered_bytes": (1, inf),
    "max_pages": (1, inf),
    "max_seconds": (0.001, 31_536_000),
    "max_bytes": (1, inf),
    "max_depth": (0, inf),
    "max_retries": (0, 100),
    "backoff_min": (0, 86_400),
    "backoff_max": (0, 86_400),
    "backoff_multiplier": (1, 100),
    "lease_seconds": (1, 86_400),
    "warc_max_bytes": (1_000, inf),
}
"""Between which values a knob makes sense; the settings know the same bounds."""


def check_knobs(knobs: Mapping[str, object]) -> None:
    """Raise UsageError, with its name, for a crawl knob that there is not or whose value cannot be."""
    for name, value in knobs.items():
        if name not in CRAWL_KNOBS or not _fits(name, value):
            raise UsageError(f"a job's {name} cannot be {value!r}")


def _fits(name: str, value: object) -> bool:
    """Tell whether a knob may have a value: of its type, within its bounds, nothing that breaks a header."""
    kind = CRAWL_KNOBS[name]
    if get_origin(kind) is Literal:
        return value in get_args(kind)
    kinds = get_args(kind) or (kind,)
    if value is None or isinstance(value, bool):
        return type(value) in kinds
    if isinstance(value, str):
        return str in kinds and value != "" and value.isascii() and value.isprintable()
    if not isinstance(value, int | float) or not {type(value), float} & {*kinds}:
        return False
    lowest, highest = BOUNDS[name]
    return lowest <= value <= highest


def check_job_name(name: str) -> None:
    """Raise UsageError unless a text can be a job's name, which is a part of its folder's."""
    if not name.strip() or not name.isprintable() or "/" in name or len(name) > MAX_NAME_LENGTH:
        raise UsageError(f"a job's name must be a line of 1 to {MAX_NAME_LENGTH} characters without a slash")


@dataclass(frozen=True)
class ArchiveJobConfig:
    """A job's configuration as it is stored with it."""

    seeds: tuple[str, ...]
    crawl: Mapping[str, object] = field(default_factory=dict)
    scope: Mapping[str, object] = field(default_factory=dict)
    plugins: tuple[str, ...] | None = None
    """Which plugins look at the captures; None means all there are."""
    zimit_passthrough_args: tuple[str, ...] = ()
    tool_options: Mapping[str, object] = field(default_factory=dict)

    @property
    def options(self) -> ArchiveToolOptions:
        """Return what archive-tool is told; OptionsError for what it cannot be told."""
        options = ArchiveToolOptions.from_json(self.tool_options)
        validate_tool_options(options)
        return options

    @property
    def ignored_arguments(self) -> str | None:
        """Return a sentence about the arguments for zimit that the built-in crawler ignores; None without any."""
        return ignored_arguments(self.tool_options.get("engine"), self.zimit_passthrough_args)

    @property
    def rules(self) -> ScopeRules:
        """Return which URLs the job follows."""
        return ScopeRules.of(self.seeds, **{name: _words(self.scope, name) for name in self.scope})

    def to_json(self) -> dict[str, object]:
        """Return the form that the database keeps."""
        return {
            "seeds": list(self.seeds),
            "crawl": dict(self.crawl),
            "scope": {name: list(_words(self.scope, name)) for name in self.scope},
            "plugins": None if self.plugins is None else list(self.plugins),
            "zimit_passthrough_args": list(self.zimit_passthrough_args),
            "tool_options": dict(self.tool_options),
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, object]) -> "ArchiveJobConfig":
        """Return a stored configuration; a key that nobody reads is an error."""
        crawl, scope = _mapping(stored, "crawl"), _mapping(stored, "scope")
        unknown = sorted(set(stored) - {f.name for f in fields(cls)})
        unknown += sorted(f"crawl.{name}" for name in set(crawl) - set(CRAWL_KNOBS))
        unknown += sorted(f"scope.{name}" for name in set(scope) - SCOPE_KEYS)
        if unknown:
            raise UsageError(f"unknown key in a job's configuration: {', '.join(unknown)}")
        return cls(
            seeds=_words(stored, "seeds"),
            crawl=crawl,
            scope={name: _words(scope, name) for name in scope},
            plugins=None if stored.get("plugins") is None else _words(stored, "plugins"),
            zimit_passthrough_args=_words(stored, "zimit_passthrough_args"),
            tool_options=_mapping(stored, "tool_options"),
        )


JobConfig = ArchiveJobConfig


def _words(stored: Mapping[str, object], key: str) -> tuple[str, ...]:
    value = stored.get(key, [])
    if not isinstance(value, list | tuple) or not all(isinstance(word, str) for word in value):
        raise UsageError(f"a job's {key} must be a list of words, not {value!r}")
    return tuple(value)


def _mapping(stored: Mapping[str, object], key: str) -> dict[str, object]:
    value = stored.get(key, {})
    if not isinstance(value, Mapping):
        raise UsageError(f"a job's {key} must be a mapping, not {value!r}")
    return dict(value)
