"""The registry: the configuration of each source's jobs, and how a job is made from it."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import get_args

from webstrata.errors import UsageError
from webstrata.model.crawl.crawl_config import CRAWL_SETTING_TYPES, check_crawl_settings
from webstrata.model.crawl.scope import ScopeRules
from webstrata.model.jobs.job import SCOPE_KEYS, ArchiveJobConfig
from webstrata.model.jobs.job_checks import check_for_engine
from webstrata.model.jobs.schedules import parse_schedule
from webstrata.model.jobs.tool_options import TOOL_OPTIONS, ArchiveToolOptions, validate_tool_options
from webstrata.model.urls import parse_url, with_scheme

MAX_NAME_LENGTH = 200
MAX_PAGE_PARAMETERS = 20

_CODE = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_DATE = re.compile(r"\{date(?::(?P<format>[^{}]*))?\}")
_JOB_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_PARAMETER = re.compile(r"[^\s&=#,+%]{1,64}")
_PLUGIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_SOME_DAY = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@dataclass(frozen=True)
class SourceJobConfig:
    """The configuration of a source's jobs: the registry's entry."""

    source_code: str
    name_template: str
    default_seeds: Sequence[str]
    default_zimit_passthrough_args: Sequence[str] = ()
    default_tool_options: Mapping[str, object] = field(default_factory=dict)
    schedule_hint: str | None = None
    """The schedule that the source gets by default."""
    crawl: Mapping[str, object] = field(default_factory=dict)
    scope: Mapping[str, Sequence[str]] = field(default_factory=dict)
    plugins: Sequence[str] | None = None

    @classmethod
    def plain(cls, source_code: str, seeds: Sequence[str]) -> "SourceJobConfig":
        """Return the entry of a source with nothing but its seeds."""
        return cls(source_code, f"{source_code}-{{date:%Y%m%d}}", tuple(seeds))

    def to_json(self) -> dict[str, object]:
        """Return the form that is stored with the source."""
        return {
            "name_template": self.name_template,
            "default_seeds": list(self.default_seeds),
            "default_zimit_passthrough_args": list(self.default_zimit_passthrough_args),
            "default_tool_options": dict(self.default_tool_options),
            "schedule_hint": self.schedule_hint,
            "crawl": dict(self.crawl),
            "scope": {name: list(words) for name, words in self.scope.items()},
            "plugins": None if self.plugins is None else list(self.plugins),
        }

    @classmethod
    def from_json(cls, source_code: str, stored: Mapping[str, object]) -> "SourceJobConfig":
        """Return a stored entry; UsageError for an unknown key or a value of the wrong type."""
        known = {f.name for f in fields(cls)} - {"source_code"}
        if unknown := sorted(set(stored) - known):
            raise UsageError(f"unknown key in the registry's entry of {source_code}: {', '.join(unknown)}")
        for name, value in stored.items():
            if not _is_of_its_kind(name, value):
                raise UsageError(f"the registry's entry of {source_code} has an invalid {name}: {value!r}")
        defaults = {"name_template": f"{source_code}-{{date:%Y%m%d}}", "default_seeds": ()}
        return cls(source_code, **{**defaults, **stored})  # type: ignore[arg-type]


def _is_of_its_kind(name: str, value: object) -> bool:
    """Return whether a stored value has the type of its field: another program may have written the row."""
    if name in {"schedule_hint", "plugins"} and value is None:
        return True
    if name in {"name_template", "schedule_hint"}:
        return isinstance(value, str)
    if name == "scope":
        return isinstance(value, Mapping) and all(map(_are_words, value.values()))
    if name in {"default_tool_options", "crawl"}:
        return isinstance(value, Mapping)
    return _are_words(value)


def _are_words(value: object) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(word, str) for word in value)


@dataclass(frozen=True)
class LastJob:
    """A source's newest job."""

    id: int
    name: str
    status: str
    status_reason: str | None
    created_at: datetime


@dataclass(frozen=True)
class SourceView:
    """A source for display to operators."""

    id: int
    code: str
    name: str
    base_url: str | None
    description: str | None
    enabled: bool
    schedule: str | None
    schedule_paused: bool
    schedule_error: str | None
    """Why the scheduled run that is due could not start."""
    next_run_at: datetime | None
    page_parameters: tuple[str, ...]
    needs_regrouping: bool
    job_config: Mapping[str, object] | None
    last_job: LastJob | None
    jobs: int
    snapshots: int


def generate_job_name(source_cfg: SourceJobConfig, now: datetime) -> str:
    """Return the name of a job begun now: the source's template with its UTC date, `hc-20251209`."""
    moment = now.astimezone(UTC)
    name = _DATE.sub(lambda date: format(moment, date["format"] or "%Y%m%d"), source_cfg.name_template)
    if not _JOB_NAME.fullmatch(name):
        raise UsageError(
            f"{source_cfg.name_template!r} is not a template for the names of jobs"
            " (expected letters, digits, dots, dashes and {date:%Y%m%d})"
        )
    return name


def build_output_dir_for_job(source_code: str, job_name: str, archive_root: Path, now: datetime) -> Path:
    """Return the folder of a job's files: <archive root>/<source>/<time>__<job>."""
    return archive_root / source_code / f"{now.astimezone(UTC):%Y%m%dT%H%M%SZ}__{job_name}"


def build_job_config(
    source_cfg: SourceJobConfig,
    extra_seeds: Sequence[str] | None = None,
    overrides: Mapping[str, object] | None = None,
) -> dict[str, object]:
    """Return the configuration of a new job: the source's defaults, additional seeds, and overridden options.

    OptionsError, which is a ValueError, for tool options that are invalid, contradict each other, or do not apply to
    the engine.
    """
    seeds = tuple(dict.fromkeys(parse_url(url).href for url in (*source_cfg.default_seeds, *(extra_seeds or ()))))
    if not seeds:
        raise UsageError(f"{source_cfg.source_code} has no seeds: give an address such as https://example.org/")
    given = dict(overrides or {})
    crawl = {**source_cfg.crawl, **{name: given.pop(name) for name in [*given] if name in CRAWL_SETTING_TYPES}}
    check_crawl_settings(crawl)
    options = ArchiveToolOptions.from_json({**source_cfg.default_tool_options, **given})
    validate_tool_options(options, source_cfg.default_zimit_passthrough_args)
    ScopeRules.of(seeds, **source_cfg.scope)
    config = ArchiveJobConfig(
        seeds=seeds,
        crawl=crawl,
        scope=source_cfg.scope,
        plugins=None if source_cfg.plugins is None else tuple(source_cfg.plugins),
        zimit_passthrough_args=tuple(source_cfg.default_zimit_passthrough_args),
        tool_options=options.to_json(),
    )
    check_for_engine(config)
    return config.to_json()


def plain_job_config(source_cfg: SourceJobConfig, overrides: Mapping[str, object] | None = None) -> dict[str, object]:
    """Return the result of `build_job_config` without its checks, for callers that report every problem."""
    given = dict(overrides or {})
    return {
        "seeds": list(source_cfg.default_seeds),
        "crawl": {**source_cfg.crawl, **{name: given.pop(name) for name in [*given] if name in CRAWL_SETTING_TYPES}},
        "scope": dict(source_cfg.scope),
        "plugins": None if source_cfg.plugins is None else list(source_cfg.plugins),
        "zimit_passthrough_args": list(source_cfg.default_zimit_passthrough_args),
        "tool_options": {**source_cfg.default_tool_options, **given},
    }


def check_entry(entry: SourceJobConfig) -> None:
    """Raise UsageError unless jobs can be made from an entry."""
    check_source_code(entry.source_code)
    if unknown := sorted(set(entry.scope) - SCOPE_KEYS):
        raise UsageError(f"unknown key in the scope of {entry.source_code}: {', '.join(unknown)}")
    if entry.schedule_hint is not None:
        parse_schedule(entry.schedule_hint)
    generate_job_name(entry, _SOME_DAY)
    build_job_config(entry)


def is_source_code(text: str) -> bool:
    """Return whether a word can be a source's code, which also names its folder."""
    return _CODE.fullmatch(text) is not None


def check_source_code(code: str) -> None:
    """Raise UsageError unless a word can be a source's code."""
    if not is_source_code(code):
        raise UsageError(f"{code[:80]!r} is not a source's code (expected something like example-org)")


def source_code_from(text: str) -> str:
    """Return a new source's code, in lower case; UsageError when it is invalid."""
    folded = text.strip().lower()
    if not is_source_code(folded):
        check_source_code(text)
    return folded


def check_source_name(name: str) -> None:
    """Raise UsageError unless a text can be a source's name."""
    if not name.strip() or not name.isprintable() or len(name) > MAX_NAME_LENGTH:
        raise UsageError(f"a source's name must be a line of 1 to {MAX_NAME_LENGTH} characters")


def check_plugin_name(name: str) -> None:
    """Raise UsageError unless a word can be a plugin's name."""
    if not _PLUGIN.fullmatch(name):
        raise UsageError(f"{name[:80]!r} is not a plugin's name")


def page_parameters_of(names: Collection[str]) -> tuple[str, ...]:
    """Return the query parameters that distinguish pages, each once, in order; UsageError for invalid ones."""
    for name in names:
        if not _PARAMETER.fullmatch(name):
            raise UsageError(f"{name[:80]!r} is not the name of a query parameter (expected something like id)")
    if len(names) > MAX_PAGE_PARAMETERS:
        raise UsageError(f"a source cannot have more than {MAX_PAGE_PARAMETERS} page parameters")
    return tuple(sorted(set(names)))


def seeds_of(urls: Collection[str]) -> tuple[str, ...]:
    """Return addresses that a person typed in their normalised form."""
    return tuple(dict.fromkeys(parse_url(with_scheme(url)).href for url in urls))


def parse_override(text: str) -> tuple[str, object]:
    """Return a tool option or crawl setting from `name=value`; UsageError for an unknown name or a wrong type."""
    given, equals, written = text.partition("=")
    if not equals:
        raise UsageError(f"{text!r} is not an option (expected name=value, such as max_pages=500)")
    name = option_name(given)
    kind = {**TOOL_OPTIONS, **CRAWL_SETTING_TYPES}[name]
    return name, _value(written.strip(), get_args(kind) or (kind,))


def option_name(text: str) -> str:
    """Return the stored name of a tool option or crawl setting; UsageError for an unknown name."""
    name, kinds = text.strip().replace("-", "_"), {**TOOL_OPTIONS, **CRAWL_SETTING_TYPES}
    if name not in kinds:
        close = get_close_matches(name, kinds, n=1)
        raise UsageError(f"unknown option {name!r}{f' (did you mean {close[0]}?)' if close else ''}")
    return name


def _value(written: str, kinds: tuple[object, ...]) -> object:
    """Parse a text as one of some types; if none fits, return the text, which the check then refuses."""
    word = written.lower()
    if bool in kinds:
        return {"true": True, "yes": True, "false": False, "no": False}.get(word, written)
    if type(None) in kinds and word in {"none", "null", ""}:
        return None
    for number in (int, float):
        if number in kinds:
            try:
                return number(written)
            except ValueError:
                continue
    return written
