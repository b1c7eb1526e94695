"""Child processes, which always end with their parent.

A child's standard input is its lifeline: the first line names the leader that it works for; then the pipe stays open.
When it closes, for any reason, the child shuts down properly, or is ended if that takes too long.
"""

import json
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import IO

from webstrata.errors import StorageError, UsageError

GRACE_SECONDS = 7.0
"""How long a child may take to shut down; the process that stops this one waits a little longer."""

UNHURRIED_SECONDS = 60.0
"""How long a child may take to shut down after a stop request while the parent continues: containers save their data
then."""

_LOOK_SECONDS = 0.05
_LONGEST_LINE = 10_000

_STARTING_SECONDS = 3.0
"""How long a child runs at least before it gets a signal.

A child that does not handle signals yet would die at once, and leave running what it should end, such as a container.
"""


def run_child(
    command: Sequence[str],
    leader: str | None,
    interrupted: threading.Event,
    *,
    stream_output: bool = True,
    stop_requested: threading.Event | None = None,
) -> int:
    """Run a command to its end and return its exit code, negative for a signal; on an interruption it is ended.

    It gets its own process group: processes that it leaves there are ended, too. `stop_requested` also ends it, with
    more time to shut down.
    """
    deadline, may_be_told = math.inf, time.monotonic() + _STARTING_SECONDS
    with Child.started(command, leader, stream_output=stream_output) as child:
        while (code := child.poll()) is None:
            if interrupted.wait(_LOOK_SECONDS) or time.monotonic() >= deadline:
                return child.stop()
            is_asked = stop_requested is not None and stop_requested.is_set() and time.monotonic() >= may_be_told
            if is_asked and deadline == math.inf:
                child.tell_to_end()
                deadline = time.monotonic() + UNHURRIED_SECONDS
        return code


class Child:
    """A process that works for us, from its start to its end."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        """Manage a process that was started with a lifeline and its own process group."""
        self._process = process
        self._is_cleared = False

    @classmethod
    def started(cls, command: Sequence[str], leader: str | None, *, stream_output: bool = True) -> "Child":
        """Start a command and pass it the name of the leader it works for; StorageError when it cannot be run."""
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
        child = cls(process)
        child._hand_over(leader)
        return child

    def __enter__(self) -> "Child":
        """Return the child, which is ended with the block."""
        return self

    def __exit__(self, *_why: object) -> None:
        """End the remaining processes."""
        self.clear()

    def poll(self) -> int | None:
        """Return its exit code once it is over, negative for a signal; processes that it left are ended by then."""
        code = self._process.poll()
        if code is not None:
            self.clear()
        return code

    def tell_to_end(self) -> None:
        """Ask it to end, without a time limit."""
        self._process.terminate()

    def stop(self) -> int:
        """Ask it to end, kill it if it does not in time, and return its exit code."""
        self._process.terminate()
        try:
            return self._process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()
        finally:
            self.clear()

    def clear(self) -> None:
        """End it and the processes that it started, once: its process number may be given again later."""
        if self._is_cleared:
            return
        self._is_cleared = True
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        with suppress(OSError):
            self._lifeline.close()

    def _hand_over(self, leader: str | None) -> None:
        """Pass the name of the leader to the child; a child that is gone already does not receive it."""
        with suppress(OSError):
            self._lifeline.write(json.dumps({"leader": leader}).encode() + b"\n")
            self._lifeline.flush()

    @property
    def _lifeline(self) -> IO[bytes]:
        assert self._process.stdin is not None
        return self._process.stdin


@dataclass(frozen=True)
class Lifeline:
    """The pipe to the parent process: when it closes, this process ends."""

    leader: str | None
    """The leader of the job that we work on, if there is one."""
    descriptor: int

    @classmethod
    def from_parent(cls) -> "Lifeline":
        """Read the name of the leader that we work for, and end with it from now on."""
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
        # As if killed, too: the next worker takes over the leases.
        os.killpg(0, signal.SIGKILL) if os.getpgrp() == os.getpid() else os._exit(1)


def _first_line(descriptor: int) -> bytes:
    """Return the first line, read byte by byte, so that nothing after it is consumed."""
    line = b""
    while not line.endswith(b"\n"):
        more = os.read(descriptor, 1)
        if not more or len(line) > _LONGEST_LINE:
            raise UsageError("standard input does not name the process that leads the job")
        line += more
    return line


def _leader(line: bytes) -> str | None:
    try:
        leader = json.loads(line)["leader"]
    except (ValueError, LookupError, TypeError):
        raise UsageError("standard input does not name the process that leads the job") from None
    return leader if isinstance(leader, str) else None
