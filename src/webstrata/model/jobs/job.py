"""A job: one crawl of a source, its status, and its configuration."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum

from webstrata.errors import UsageError
from webstrata.model.crawl.crawl_config import CRAWL_SETTING_TYPES
from webstrata.model.crawl.scope import ScopeRules
from webstrata.model.jobs.tool_options import ArchiveToolOptions, ignored_arguments, validate_tool_options

MAX_NAME_LENGTH = 200


class JobStatus(StrEnum):
    """The status of a job."""

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
"""Statuses in which a job continues by itself. A stopped job waits for a person, but its source can have new jobs."""
SETTLED = (JobStatus.INDEXED, JobStatus.STOPPED, JobStatus.FAILED, JobStatus.INDEX_FAILED)
"""Statuses that only a person can change."""
INDEXABLE = (JobStatus.COMPLETED, JobStatus.STOPPED, JobStatus.FAILED, JobStatus.INDEX_FAILED, JobStatus.INDEXED)
CUT_SHORT = (JobStatus.STOPPED, JobStatus.FAILED)
"""Statuses of a job whose crawl did not complete, even if its captures are indexed."""
EDITIONS = (JobStatus.INDEXED, *CUT_SHORT)
"""Statuses in which a job counts as an edition of its source, if it has a snapshot."""


SCOPE_KEYS = frozenset({"allowed_domains", "allow_paths", "deny_paths"})


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
    """The plugins to run on the captures; None means all."""
    zimit_passthrough_args: tuple[str, ...] = ()
    tool_options: Mapping[str, object] = field(default_factory=dict)

    @property
    def options(self) -> ArchiveToolOptions:
        """Return the options for archive-tool; OptionsError for those that it does not support."""
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
        """Return the form that is stored in the database."""
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
        """Return a stored configuration; an unknown key is an error."""
        crawl, scope = _mapping(stored, "crawl"), _mapping(stored, "scope")
        unknown = sorted(set(stored) - {f.name for f in fields(cls)})
        unknown += sorted(f"crawl.{name}" for name in set(crawl) - set(CRAWL_SETTING_TYPES))
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
