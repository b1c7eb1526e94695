"""What a job may tell archive-tool: its options, and which of them go together."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from difflib import get_close_matches
from types import NoneType
from typing import get_args

from webstrata.errors import OptionsError

LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")

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
"""Between which values a number makes sense: a week at most is waited, and no more workers run than a crawl takes."""


@dataclass(frozen=True)
class ArchiveToolOptions:
    """The options of one run of archive-tool; None leaves one to archive-tool's own default."""

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
    vpn_connect_command: str | None = None
    """May hold a secret: it is never shown."""
    max_vpn_rotations: int | None = None
    vpn_rotation_frequency_minutes: int | None = None
    backoff_delay_minutes: int | None = None

    def to_json(self) -> dict[str, object]:
        """Return the form that is stored with a job: only what is set."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    @classmethod
    def from_json(cls, stored: Mapping[str, object]) -> "ArchiveToolOptions":
        """Return stored options; OptionsError, with its name, for one that there is not or whose value cannot be."""
        for name, value in stored.items():
            if name not in TOOL_OPTIONS:
                raise OptionsError(f"unknown tool option {name!r}{_suggestion(name)}")
            _check_kind(name, value)
        return cls(**stored)  # type: ignore[arg-type]


TOOL_OPTIONS: Mapping[str, object] = {f.name: f.type for f in fields(ArchiveToolOptions)}
"""Every option and its type."""


def validate_tool_options(options: ArchiveToolOptions) -> None:
    """Raise OptionsError, which is a ValueError, unless every value makes sense and all go together."""
    for name, value in asdict(options).items():
        _check_kind(name, value)
    for name in ("enable_adaptive_workers", "enable_vpn_rotation"):
        if getattr(options, name) and not options.enable_monitoring:
            raise OptionsError(f"{name} needs enable_monitoring=true: it acts on what the monitor sees")
    if options.enable_vpn_rotation and not (options.vpn_connect_command or "").strip():
        raise OptionsError("enable_vpn_rotation needs a vpn_connect_command that is not empty")


def _check_kind(name: str, value: object) -> None:
    kinds = get_args(TOOL_OPTIONS[name]) or (TOOL_OPTIONS[name],)
    if type(value) not in kinds:
        wanted = " or ".join(_WORDS[kind] for kind in kinds if kind is not NoneType)
        # What was given in a secret's place is not shown either.
        shown = "that" if name == "vpn_connect_command" else repr(value)
        raise OptionsError(f"tool option {name} must be {wanted}, not {shown}")
    if name == "log_level" and value not in LOG_LEVELS:
        raise OptionsError(f"tool option log_level must be {', '.join(LOG_LEVELS)}, not {value!r}")
    if name in OPTION_BOUNDS and isinstance(value, int):
        lowest, highest = OPTION_BOUNDS[name]
        if not lowest <= value <= highest:
            raise OptionsError(f"tool option {name} must be {lowest} to {highest}, not {value}")


_WORDS = {bool: "true or false", int: "a whole number", str: "text"}


def _suggestion(name: str) -> str:
    close = get_close_matches(name, TOOL_OPTIONS, n=1)
    return f" (did you mean {close[0]}?)" if close else ""
