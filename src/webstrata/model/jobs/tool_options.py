"""Options of archive-tool in a job's configuration, and which of them go together."""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from difflib import get_close_matches
from types import NoneType
from typing import get_args

from webstrata.errors import OptionsError

LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
NATIVE, ZIMIT = ENGINES = ("native", "zimit")
FINAL_BUILDS = ("auto", "always", "never")

_LONGEST_SHOWN = 100

OPTION_CHOICES: Mapping[str, tuple[str, ...]] = {
    "log_level": LOG_LEVELS,
    "engine": ENGINES,
    "final_build": FINAL_BUILDS,
}
"""The words that an option can be."""

OURS_TO_SAY = frozenset({"--seeds", "--url", "--name", "--workers", "-w", "--output", "--config"})
"""Arguments that archive-tool passes to zimit itself: if given twice, one would be ignored."""

OPTION_BOUNDS: Mapping[str, tuple[int, int]] = {
    "initial_workers": (1, 256),
    "monitor_interval_seconds": (1, 86_400),
    "stall_timeout_minutes": (1, 10_080),
    "error_threshold_timeout": (1, 1_000_000),
    "error_threshold_http": (1, 1_000_000),
    "min_workers": (1, 256),
    "max_worker_reductions": (0, 256),
    "max_vpn_rotations": (0, 10_000),
    "vpn_rotation_frequency_minutes": (0, 10_080),
    "backoff_delay_minutes": (0, 10_080),
}
"""The bounds of numeric options: waits of at most a week, and at most as many workers as a crawl supports."""


@dataclass(frozen=True)
class ArchiveToolOptions:
    """The options of one run of archive-tool; None means archive-tool's own default."""

    cleanup: bool = False
    overwrite: bool = False
    enable_monitoring: bool = False
    enable_adaptive_workers: bool = False
    enable_vpn_rotation: bool = False
    initial_workers: int = 1
    log_level: str = "INFO"
    relax_perms: bool = True
    monitor_interval_seconds: int | None = None
    stall_timeout_minutes: int | None = None
    error_threshold_timeout: int | None = None
    error_threshold_http: int | None = None
    min_workers: int | None = None
    max_worker_reductions: int | None = None
    vpn_connect_command: str | None = field(default=None, repr=False)
    """May hold a secret: it is never shown."""
    max_vpn_rotations: int | None = None
    vpn_rotation_frequency_minutes: int | None = None
    backoff_delay_minutes: int | None = None
    engine: str | None = None
    docker_image: str | None = None
    docker_shm_size: str | None = None
    """How much shared memory a container gets, as Docker writes it: 512m, 2g."""
    final_build: str | None = None

    def to_json(self) -> dict[str, object]:
        """Return the form that is stored with a job: only what is set."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    @classmethod
    def from_json(cls, stored: Mapping[str, object]) -> "ArchiveToolOptions":
        """Return stored options; OptionsError, which names it, for an unknown option or an invalid value."""
        for name, value in stored.items():
            if name not in TOOL_OPTIONS:
                raise OptionsError(f"unknown tool option {name!r}{_suggestion(name)}")
            _check_kind(name, value)
        return cls(**stored)  # type: ignore[arg-type]


TOOL_OPTIONS: Mapping[str, object] = {f.name: f.type for f in fields(ArchiveToolOptions)}
"""Every option and its type."""


@dataclass(frozen=True)
class OptionProblem:
    """An invalid option, and the reason."""

    option: str
    reason: str


def validate_tool_options(options: ArchiveToolOptions, passthrough: Sequence[str] = ()) -> None:
    """Raise OptionsError, which is a ValueError, unless every value makes sense and all go together.

    Arguments for zimit must not repeat what archive-tool passes to zimit itself. The built-in crawler ignores them.
    """
    for name, value in asdict(options).items():
        _check_kind(name, value)
    for problem in _together(options, passthrough):
        raise OptionsError(problem.reason)


def tool_option_problems(stored: Mapping[str, object], passthrough: Sequence[str] = ()) -> list[OptionProblem]:
    """Return all problems of stored options: first of single values, then of contradicting ones."""
    found = [OptionProblem(name, reason) for name, value in stored.items() if (reason := _wrong_with(name, value))]
    return found or list(_together(ArchiveToolOptions.from_json(stored), passthrough))


def ignored_arguments(engine: object, passthrough: Sequence[str]) -> str | None:
    """Return a sentence about the arguments for zimit that the built-in crawler ignores; None without any."""
    if not passthrough or engine == ZIMIT:
        return None
    # Only the flags: a value may be a secret.
    flags = " ".join(word.partition("=")[0] for word in passthrough if word.startswith("-"))
    return f"the built-in crawler ignores zimit_passthrough_args ({flags[:_LONGEST_SHOWN]})"


def _wrong_with(name: str, value: object) -> str | None:
    try:
        ArchiveToolOptions.from_json({name: value})
    except OptionsError as error:
        return str(error)
    return None


def _together(options: ArchiveToolOptions, passthrough: Sequence[str]) -> Iterator[OptionProblem]:
    for name in ("enable_adaptive_workers", "enable_vpn_rotation"):
        if getattr(options, name) and not options.enable_monitoring:
            yield OptionProblem(name, f"{name} needs enable_monitoring=true: it acts on what the monitor sees")
    if options.enable_vpn_rotation and (problem := _wrong_with_vpn(options.vpn_connect_command or "")):
        name = "vpn_connect_command"
        yield OptionProblem(name, f"enable_vpn_rotation needs a {name} that {problem}")
    if options.engine == ZIMIT:
        name = "zimit_passthrough_args"
        for word in (word.partition("=")[0] for word in passthrough):
            if word in OURS_TO_SAY:
                yield OptionProblem(name, f"{name}: archive-tool says {word} itself")
        return
    for name in ("docker_image", "docker_shm_size", "final_build"):
        if getattr(options, name) is not None:
            reason = f"{name} needs engine={ZIMIT}: the built-in crawler has no container and no ZIM"
            yield OptionProblem(name, reason)


def _wrong_with_vpn(command: str) -> str | None:
    try:
        return None if shlex.split(command) else "is not empty"
    except ValueError:
        # Without the command, which may contain a secret.
        return "can be read: its quotes do not match"


def _check_kind(name: str, value: object) -> None:
    kinds = get_args(TOOL_OPTIONS[name]) or (TOOL_OPTIONS[name],)
    if type(value) not in kinds:
        requested = " or ".join(_WORDS[kind] for kind in kinds if kind is not NoneType)
        # A value of the wrong type is not shown either, as it may be secret.
        shown = "that" if name == "vpn_connect_command" else repr(value)
        raise OptionsError(f"tool option {name} must be {requested}, not {shown}")
    if name in OPTION_CHOICES and value is not None and value not in OPTION_CHOICES[name]:
        raise OptionsError(f"tool option {name} must be {', '.join(OPTION_CHOICES[name])}, not {value!r}")
    if name in _FORMS and isinstance(value, str) and not _FORMS[name].fullmatch(value):
        raise OptionsError(f"tool option {name} cannot be {value!r}")
    if name in OPTION_BOUNDS and isinstance(value, int):
        lowest, highest = OPTION_BOUNDS[name]
        if not lowest <= value <= highest:
            raise OptionsError(f"tool option {name} must be {lowest} to {highest}, not {value}")


_FORMS = {
    "docker_image": re.compile(r"[A-Za-z0-9][\w.:/@-]{0,254}", re.ASCII),
    # A value that begins with a dash would be a Docker option.
    "docker_shm_size": re.compile(r"[1-9][0-9]{0,11}[bkmgBKMG]?"),
}
_WORDS = {bool: "true or false", int: "a whole number", str: "text"}


def _suggestion(name: str) -> str:
    close = get_close_matches(name, TOOL_OPTIONS, n=1)
    return f" (did you mean {close[0]}?)" if close else ""
