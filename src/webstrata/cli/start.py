"""Start of every command: settings, logging, the application; exit codes and output for scripts.

In this package, slow imports are inside the commands that need them, so that `--help` is quick.
"""

import gc
import json
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from types import FrameType
from typing import TYPE_CHECKING

from webstrata.errors import UsageError, WebstrataError

if TYPE_CHECKING:
    from webstrata.app import App
    from webstrata.settings import Settings

DONE, FAILED, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130

_STANDARD_OUTPUT, _STANDARD_ERROR = 1, 2


_COLLECT_AFTER = 50_000
"""Number of new objects after which the garbage collector runs: seventy times Python's default."""


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """Run the garbage collector rarely, and not at the end of the program: scanning the loaded modules took a quarter
    of a short command's time."""
    gc.set_threshold(_COLLECT_AFTER)
    try:
        yield
    finally:
        gc.freeze()


@contextmanager
def started(*, quiet: bool = False, is_child: bool = False) -> Iterator["App"]:
    """Open the archive for one command; `quiet` shows only warnings and errors, unless the settings ask for more.

    A child process of another command does not repeat its warnings.
    """
    from webstrata.app import build_app
    from webstrata.model.actors import COMMAND_LINE
    from webstrata.settings import load_settings

    settings = load_settings()
    start_logging(settings, quiet=quiet)
    if not is_child:
        warn_of_ignored_names()
    app = build_app(settings).acting_as(COMMAND_LINE)
    try:
        yield app
    finally:
        app.close()


def note(app: "App", action: str, target: str, **details: object) -> None:
    """Record a change by a command in the audit log, if no other code records it."""
    from webstrata.db.operations import audit_log

    with app.database.write() as session:
        audit_log.record(session, action, target, before=None, after=None, **details)


def start_logging(settings: "Settings", *, quiet: bool = False, level: str | None = None) -> None:
    """Send log lines to standard error at the level of the settings or argument; if quiet, only warnings, as text."""
    from webstrata.logs import configure_logging
    from webstrata.settings import LogFormat, LogLevel

    if quiet and level is None and "log_level" not in settings.model_fields_set:
        for_people = LogFormat.TEXT if settings.log_format is LogFormat.AUTO else settings.log_format
        configure_logging(settings.log_level, for_people, shown=LogLevel.WARNING)
    else:
        configure_logging(level or settings.log_level, settings.log_format)


def warn_of_ignored_names() -> None:
    """Log the names of settings of an older program that no setting reads."""
    import structlog

    from webstrata.settings import ignored_names

    if names := ignored_names():
        structlog.get_logger().warning("settings.ignored", names=names, reason="no setting has such a name")


def fold_code(text: str) -> str:
    """Return a source's code in its stored spelling."""
    return text.strip().lower()


def print_json(value: object) -> None:
    """Print a value as JSON for scripts: times in ISO 8601, ASCII only, as file names may contain any bytes."""
    print(json.dumps(value, default=_as_json, indent=2))


@contextmanager
def only_json(is_wanted: bool) -> Iterator[None]:
    """With --json, send the output of child processes to standard error, as standard output is one JSON document."""
    if not is_wanted:
        yield
        return
    sys.stdout.flush()
    kept = os.dup(_STANDARD_OUTPUT)
    try:
        os.dup2(_STANDARD_ERROR, _STANDARD_OUTPUT)
        yield
    finally:
        os.dup2(kept, _STANDARD_OUTPUT)
        os.close(kept)


def _as_json(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


@contextmanager
def interruptible() -> Iterator[threading.Event]:
    """Yield an event that SIGINT and SIGTERM set."""
    interrupted = threading.Event()

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        interrupted.set()

    previous = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield interrupted
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def print_error(error: WebstrataError, name: str) -> int:
    """Print what went wrong in one line on standard error, and return the exit code for it."""
    from webstrata.logs import harmless

    lines = [str(error), error.command] if error.command else [str(error)]
    print(f"{name}: {harmless(': '.join(lines))}", file=sys.stderr)
    return WRONG_USAGE if isinstance(error, UsageError) else FAILED
