"""What `archive-tool` can be told."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from webstrata import __version__
from webstrata.errors import UsageError

LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
MOST_WORKERS = 256

_NOT_THERE_YET = (
    "--engine",
    "--docker-image",
    "--cleanup",
    "--overwrite",
    "--enable-monitoring",
    "--monitor-interval-seconds",
    "--stall-timeout-minutes",
    "--error-threshold-timeout",
    "--error-threshold-http",
    "--enable-adaptive-workers",
    "--min-workers",
    "--max-worker-reductions",
    "--enable-vpn-rotation",
    "--vpn-connect-command",
    "--max-vpn-rotations",
    "--vpn-rotation-frequency-minutes",
    "--backoff-delay-minutes",
)
"""Flags that people know from elsewhere: to take them and do nothing would be a lie."""


@dataclass(frozen=True)
class Arguments:
    """A command line that makes sense."""

    seeds: tuple[str, ...]
    name: str
    output_dir: Path
    job_id: int | None
    initial_workers: int | None
    log_level: str | None
    relax_perms: bool
    dry_run: bool
    tied: bool
    help_only: bool


def parsed(arguments: Sequence[str]) -> Arguments:
    """Return what a command line says; UsageError, naming what is wrong, when it makes no sense."""
    found, others = _parser().parse_known_args(list(arguments))
    if others:
        raise UsageError(_refused(others))
    return Arguments(
        seeds=tuple(found.seeds),
        name=found.name,
        output_dir=Path(found.output_dir).resolve(),
        job_id=found.job_id,
        initial_workers=found.initial_workers,
        log_level=found.log_level,
        relax_perms=found.relax_perms,
        dry_run=found.dry_run,
        tied=found.tied,
        help_only=found.help_only,
    )


def _refused(others: Sequence[str]) -> str:
    known = [word for word in others if word.partition("=")[0] in _NOT_THERE_YET]
    if known:
        return f"{', '.join(known)}: the built-in crawler cannot do that yet"
    if others[0] == "--":
        return f"{' '.join(others[1:])}: arguments for zimit mean nothing to the built-in crawler"
    return f"unknown argument {others[0]!r}"


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Let the caller say it in one line."""
        raise UsageError(message)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="archive-tool",
        description="Crawl a site into WARC files. The built-in crawler keeps its frontier in the database: the same "
        "command again goes on where the last one was.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"archive-tool {__version__}")
    parser.add_argument("--seeds", nargs="+", required=True, metavar="URL", help="where to begin, all on one site")
    parser.add_argument("--name", required=True, help="what the job is called")
    parser.add_argument("--output-dir", required=True, metavar="DIR", help="its folder, inside the archive root")
    parser.add_argument("--job-id", type=_positive, metavar="N", help="a job that is in the database already")
    parser.add_argument("--initial-workers", type=_workers, metavar="N", help="requests under way at once")
    parser.add_argument("--log-level", type=str.upper, choices=LOG_LEVELS, help="how much is logged")
    parser.add_argument("--relax-perms", action="store_true", help="let everybody read the files afterwards")
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")
    parser.add_argument("--tied", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--help-only", action="store_true", help=argparse.SUPPRESS)
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if not 1 <= number < 2**31:
        raise ValueError
    return number


def _workers(text: str) -> int:
    number = int(text)
    if not 1 <= number <= MOST_WORKERS:
        raise argparse.ArgumentTypeError(f"{text} is not between 1 and {MOST_WORKERS}")
    return number
