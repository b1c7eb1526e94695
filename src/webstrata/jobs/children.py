"""Child processes that work for us and never outlive us.

A child's standard input is its lifeline: a first line says on whose behalf it works, then it is only held open. When it
closes, however we ended, the child ends in good order, or at once if it does not get that done in time.
"""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import IO

from webstrata.errors import StorageError, UsageError

GRACE_SECONDS = 7.0
"""How long a child has to end in good order; who stops us waits a little longer than that."""

_LOOK_SECONDS = 0.05
_LONGEST_LINE = 10_000


def run_child(
    command: Sequence[str], leader: str | None, interrupted: threading.Event, *, stream_output: bool = True
) -> int:
    """Run a command to its end and return its exit code, negative for a signal; on an interruption it is ended.

    It gets a process group of its own: what it leaves behind there is ended with it.
    """
    try:
        process = subprocess.Popen(  # noqa: S603 - our own program, or what the operator set in its place
            command,
            stdin=subprocess.PIPE,
            stdout=None if stream_output else subprocess.DEVNULL,
            stderr=None if stream_output else subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        raise StorageError(f"{command[0]} cannot be run: {error.strerror}") from error
    assert process.stdin is not None
    try:
        _hand_over(process.stdin, leader)
        return _waited_for(process, interrupted)
    finally:
        _sweep(process)
        with suppress(OSError):
            process.stdin.close()


def _hand_over(lifeline: IO[bytes], leader: str | None) -> None:
    """Say on whose behalf the child works; one that is gone already does not hear it."""
    with suppress(BrokenPipeError):
        lifeline.write(json.dumps({"leader": leader}).encode() + b"\n")
        lifeline.flush()


def _waited_for(process: "subprocess.Popen[bytes]", interrupted: threading.Event) -> int:
    while process.poll() is None:
        if interrupted.wait(_LOOK_SECONDS):
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                return process.wait(GRACE_SECONDS)
            process.kill()
            return process.wait()
    return process.returncode


def _sweep(process: "subprocess.Popen[bytes]") -> None:
    """End whatever is left of a child and of the processes that it started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@dataclass(frozen=True)
class Lifeline:
    """What ties this process to the one that started it."""

    leader: str | None
    """Who leads the job that we work on, if somebody does."""
    descriptor: int

    @classmethod
    def taken_up(cls) -> "Lifeline":
        """Read on whose behalf we work, and end with whoever that is from now on."""
        descriptor = sys.stdin.fileno()
        lifeline = cls(_leader(_first_line(descriptor)), descriptor)
        threading.Thread(target=lifeline._watch, name="lifeline", daemon=True).start()
        return lifeline

    def _watch(self) -> None:
        with suppress(OSError):
            while os.read(self.descriptor, 1024):
                pass
        os.kill(os.getpid(), signal.SIGTERM)
        threading.Event().wait(GRACE_SECONDS)
        # As if killed as well: what we hold is taken back by whoever comes next.
        os.killpg(0, signal.SIGKILL) if os.getpgrp() == os.getpid() else os._exit(1)


def _first_line(descriptor: int) -> bytes:
    """Return what was handed over, byte by byte: nothing behind it may be taken out of the pipe."""
    line = b""
    while not line.endswith(b"\n"):
        more = os.read(descriptor, 1)
        if not more or len(line) > _LONGEST_LINE:
            raise UsageError("standard input does not say on whose behalf to work")
        line += more
    return line


def _leader(line: bytes) -> str | None:
    try:
        leader = json.loads(line)["leader"]
    except (ValueError, LookupError, TypeError):
        raise UsageError("standard input does not say on whose behalf to work") from None
    return leader if isinstance(leader, str) else None
