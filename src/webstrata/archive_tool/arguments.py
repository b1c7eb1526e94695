"""Command line of `archive-tool`: flags, defaults and checks."""

import argparse
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import NoReturn

from webstrata import __version__
from webstrata.errors import OptionsError, UsageError
from webstrata.model.crawl.monitoring import MonitorLimits, VpnCommand
from webstrata.model.jobs.job import check_job_name
from webstrata.model.jobs.tool_options import (
    ENGINES,
    FINAL_BUILDS,
    LOG_LEVELS,
    NATIVE,
    OPTION_BOUNDS,
    TOOL_OPTIONS,
    ArchiveToolOptions,
    validate_tool_options,
)

DOCKER_IMAGE = "ghcr.io/openzim/zimit"

DEFAULTS = {
    "monitor_interval_seconds": 30,
    "stall_timeout_minutes": 30,
    "error_threshold_timeout": 10,
    "error_threshold_http": 10,
    "min_workers": 1,
    "max_worker_reductions": 3,
    "max_vpn_rotations": 3,
    "vpn_rotation_frequency_minutes": 60,
    "backoff_delay_minutes": 5,
}
"""The default limits of the monitor."""


@dataclass(frozen=True)
class Arguments:
    """A valid command line."""

    seeds: tuple[str, ...]
    name: str
    output_dir: Path
    job_id: int | None = None
    initial_workers: int | None = None
    """None means the engine's default: 1 for zimit, the setting `concurrency` for the built-in crawler."""
    log_level: str | None = None
    passthrough: tuple[str, ...] = ()
    """Arguments that are passed on to zimit."""
    dry_run: bool = False
    options: ArchiveToolOptions = field(default_factory=lambda: ArchiveToolOptions(relax_perms=False))
    """All other options, which are also options of jobs; None means the default."""
    tied: bool = False
    help_only: bool = False
    workers_now: int | None = None
    """The number of workers of an attempt of a monitored crawl; it overrides the other options."""

    @property
    def engine(self) -> str:
        """Return the name of the crawl engine."""
        return self.options.engine or NATIVE

    @property
    def docker_image(self) -> str:
        """Return the Docker image of zimit."""
        return self.options.docker_image or DOCKER_IMAGE

    @property
    def docker_shm_size(self) -> str | None:
        """Return the container's shared memory; None is Docker's default."""
        return self.options.docker_shm_size

    @property
    def final_build(self) -> str:
        """Return when a ZIM is built from all WARCs: auto, always or never."""
        return self.options.final_build or FINAL_BUILDS[0]

    @property
    def cleanup(self) -> bool:
        """Return whether temporary files are deleted after a successful crawl."""
        return self.options.cleanup

    @property
    def overwrite(self) -> bool:
        """Return whether to start again although a crawl has ended or could be resumed."""
        return self.options.overwrite

    @property
    def relax_perms(self) -> bool:
        """Return whether the files are made readable for all users afterwards."""
        return self.options.relax_perms

    def monitor_limits(self) -> MonitorLimits | None:
        """Return the limits of the monitor; None when monitoring is off."""
        options = self.options
        if not options.enable_monitoring:
            return None
        return MonitorLimits(
            interval=timedelta(seconds=self._limit("monitor_interval_seconds")),
            stall_timeout=timedelta(minutes=self._limit("stall_timeout_minutes")),
            error_thresholds={
                "timeout": self._limit("error_threshold_timeout"),
                "http": self._limit("error_threshold_http"),
            },
            adaptive_workers=options.enable_adaptive_workers,
            min_workers=self._limit("min_workers"),
            max_worker_reductions=self._limit("max_worker_reductions"),
            vpn=VpnCommand(options.vpn_connect_command)
            if options.enable_vpn_rotation and options.vpn_connect_command
            else None,
            max_vpn_rotations=self._limit("max_vpn_rotations"),
            vpn_rotation_frequency=timedelta(minutes=self._limit("vpn_rotation_frequency_minutes")),
            backoff_delay=timedelta(minutes=self._limit("backoff_delay_minutes")),
        )

    def without_effect(self) -> list[str]:
        """Return the flags without effect: their feature is not enabled."""
        options = self.options
        needed = [(name, options.enable_monitoring) for name in DEFAULTS]
        needed += [(name, options.enable_adaptive_workers) for name in ("min_workers", "max_worker_reductions")]
        vpn = ("vpn_connect_command", "max_vpn_rotations", "vpn_rotation_frequency_minutes")
        needed += [(name, options.enable_vpn_rotation) for name in vpn]
        return sorted({_flag(name) for name, is_on in needed if getattr(options, name) is not None and not is_on})

    def _limit(self, name: str) -> int:
        options = getattr(self.options, name)
        return DEFAULTS[name] if options is None else int(options)


def parsed(arguments: Sequence[str]) -> Arguments:
    """Return the parsed command line; UsageError, naming the wrong argument, when it cannot be parsed."""
    before, after = _split_passthrough(list(arguments))
    found, unknown = _parser().parse_known_args(before)
    given = {name: getattr(found, name) for name in TOOL_OPTIONS}
    options = ArchiveToolOptions(**{name: value for name, value in given.items() if value is not None})
    parsed_arguments = Arguments(
        seeds=tuple(found.seeds),
        name=found.name,
        output_dir=Path(found.output_dir).resolve(),
        job_id=found.job_id,
        initial_workers=found.initial_workers,
        log_level=found.log_level,
        passthrough=(*unknown, *after),
        dry_run=found.dry_run,
        options=options,
        tied=found.tied,
        help_only=found.help_only,
        workers_now=found.workers_now,
    )
    _check(parsed_arguments, unknown)
    return parsed_arguments


def _split_passthrough(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Split the arguments at a `--`, which is dropped: zimit fails when it gets one."""
    if "--" not in arguments:
        return arguments, []
    place = arguments.index("--")
    return arguments[:place], arguments[place + 1 :]


def _check(options: Arguments, unknown: Sequence[str]) -> None:
    check_job_name(options.name)
    # Arguments after `--` are for zimit; any other unknown argument is an error.
    if options.engine == NATIVE and unknown:
        raise UsageError(f"unknown argument {unknown[0]!r}")
    try:
        validate_tool_options(options.options, options.passthrough)
    except OptionsError as error:
        raise UsageError(_in_flags(str(error))) from None


def _in_flags(message: str) -> str:
    """Return an error message about options with their names as command-line flags."""
    names = "|".join(sorted(TOOL_OPTIONS, key=len, reverse=True))
    message = message.removeprefix("zimit_passthrough_args: ")
    return re.sub(rf"\b(?:tool option )?({names})(?:=(\w+))?\b", _in_flag, message)


def _in_flag(found: "re.Match[str]") -> str:
    return _flag(found[1]) if found[2] in (None, "true") else f"{_flag(found[1])} {found[2]}"


def _flag(option: str) -> str:
    return f"--{option.replace('_', '-')}"


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Raise UsageError, which the caller prints in one line."""
        raise UsageError(message)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="archive-tool",
        usage="archive-tool --seeds URL... --name NAME --output-dir DIR [options] [-- arguments for zimit]",
        description="Crawl a site into WARC files, with the built-in crawler or with zimit in a container. Run the "
        "same command again to continue.",
        epilog="Exit codes: 0 done; 1 failed, stopped or refused; 2 wrong usage.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"archive-tool {__version__}")
    for add in (_add_crawl, _add_run, _add_zimit, _add_monitoring, _add_recovery_actions, _add_hidden):
        add(parser)
    return parser


def _add_crawl(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("crawl")
    group.add_argument("--seeds", nargs="+", required=True, metavar="URL", help="URLs to start from, all on one site")
    group.add_argument("--name", required=True, help="name of the job")
    group.add_argument(
        "--output-dir", required=True, metavar="DIR", help="folder for its files, inside the archive root"
    )
    group.add_argument("--job-id", type=_positive, metavar="N", help="number of an existing job")
    group.add_argument("--engine", choices=ENGINES, help="native, the built-in crawler (default), or zimit, in Docker")
    _add_number(group, "initial_workers", "number of concurrent requests (native) or pages (zimit, default 1)")


def _add_run(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("run")
    group.add_argument(
        "--overwrite", action="store_true", help="start again even if a crawl is finished or could continue"
    )
    group.add_argument("--cleanup", action="store_true", help="delete temporary files after success, never WARC files")
    group.add_argument("--relax-perms", action="store_true", help="make the files readable by all users afterwards")
    group.add_argument("--log-level", type=str.upper, choices=LOG_LEVELS, help="log level")
    group.add_argument("--dry-run", action="store_true", help="only show what would be done")


def _add_zimit(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("zimit", "Arguments that archive-tool does not know are passed on to zimit.")
    group.add_argument("--docker-image", metavar="IMAGE", help=f"image of zimit (default {DOCKER_IMAGE})")
    group.add_argument("--docker-shm-size", metavar="SIZE", help="shared memory of the container, such as 1g")
    group.add_argument(
        "--final-build",
        choices=FINAL_BUILDS,
        help="build one ZIM file from all WARC files: auto (default: only after several crawls), always or never",
    )


def _add_monitoring(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("monitoring")
    group.add_argument("--enable-monitoring", action="store_true", help="monitor the crawl and react to problems")
    _add_number(group, "monitor_interval_seconds", "seconds between two checks")
    _add_number(group, "stall_timeout_minutes", "minutes without a new page that count as a stall")
    _add_number(group, "error_threshold_timeout", "number of timeouts without a new page that count as a problem")
    _add_number(
        group, "error_threshold_http", "number of HTTP and network errors without a new page that count as a problem"
    )


def _add_recovery_actions(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("reactions to problems, in this order")
    group.add_argument("--enable-adaptive-workers", action="store_true", help="continue with half as many workers")
    _add_number(group, "min_workers", "minimum number of workers")
    _add_number(group, "max_worker_reductions", "maximum number of reductions")
    group.add_argument("--enable-vpn-rotation", action="store_true", help="run a command that changes the IP address")
    group.add_argument(
        "--vpn-connect-command", metavar="COMMAND", help="the command to run; it should read secrets from a file"
    )
    _add_number(group, "max_vpn_rotations", "maximum number of rotations")
    _add_number(group, "vpn_rotation_frequency_minutes", "minimum minutes between two rotations")
    _add_number(group, "backoff_delay_minutes", "minutes to pause when nothing else helped")


def _add_hidden(parser: argparse.ArgumentParser) -> None:
    for flag in ("--tied", "--help-only"):
        parser.add_argument(flag, action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--workers-now", type=_within("initial_workers"), help=argparse.SUPPRESS)


def _add_number(group: argparse._ArgumentGroup, option: str, text: str) -> None:
    default = f" (default {DEFAULTS[option]})" if option in DEFAULTS else ""
    group.add_argument(_flag(option), type=_within(option), metavar="N", help=text + default)


def _within(option: str) -> Callable[[str], int]:
    lowest, highest = OPTION_BOUNDS[option]

    def number(text: str) -> int:
        if not text.isascii() or not text.isdecimal() or not lowest <= int(text[:20]) <= highest:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number between {lowest} and {highest}")
        return int(text)

    return number


def _positive(text: str) -> int:
    number = int(text)
    if not 1 <= number < 2**31:
        raise ValueError
    return number
