"""The interface of crawl engines: built-in and zimit, started, monitored and stopped the same way."""

import threading
from pathlib import Path
from typing import Protocol


class Attempt(Protocol):
    """One try at a crawl, in a process of its own."""

    @property
    def log_path(self) -> Path | None:
        """Return its combined log, once there is one."""

    def poll(self) -> int | None:
        """Return its exit code once it has ended; zimit's codes for success (16, 32 and 33) become 0."""

    def stop(self) -> int:
        """Stop it gracefully, kill it after the grace period, and return its exit code."""


class Engine(Protocol):
    """An engine that makes attempts at a crawl."""

    @property
    def name(self) -> str:
        """Return its name: native or zimit."""

    def check(self) -> None:
        """Raise StorageError, with instructions, when this engine cannot run here."""

    def command(self, workers: int) -> list[str]:
        """Return the command of the next attempt, with secrets hidden."""

    def start(self, workers: int) -> Attempt:
        """Start an attempt with a number of workers, or monitor one that still runs."""

    def went_on(self) -> bool:
        """Return whether an attempt of an earlier archive-tool still runs and can be monitored."""

    def is_final(self, code: int) -> bool:
        """Return whether an exit code ends the crawl; otherwise the attempt crashed, and may be resumed."""

    def finish(self, ended: threading.Event) -> int:
        """Do the work after a successful crawl and return the exit code; stop early when the event is set."""
