"""Processes of the program that begin as forks of one which has loaded it: hundreds of them start in a test run."""

import json
import multiprocessing
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import BinaryIO

SERVER = Path(__file__).with_name("fork_server.py")


class Forked:
    """A process that another one forked for us, with what tests use of subprocess.Popen."""

    def __init__(self, command: Sequence[str], told: BinaryIO) -> None:
        """Wait until it is there."""
        self._command = command
        self._told = told
        self.pid = int(told.readline())
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return its exit code, if it has ended."""
        return self._ended(0)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end and return its exit code."""
        code = self._ended(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(self._command, timeout or 0)
        return code

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it as a power cut would."""
        self.send_signal(signal.SIGKILL)

    def _ended(self, timeout: float | None) -> int | None:
        if self.returncode is None and select.select([self._told], [], [], timeout)[0]:
            self.returncode = int(self._told.readline())
            self._told.close()
        return self.returncode


def forked(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], output: BinaryIO, errors: BinaryIO
) -> Forked:
    """Start what `python COMMAND` would, with nothing to read, in a session of its own."""
    told, tells = os.pipe()
    wanted = {"command": list(command), "folder": str(folder), "environment": dict(environment)}
    socket.send_fds(_server(), [json.dumps(wanted).encode()], [output.fileno(), errors.fileno(), tells])
    os.close(tells)
    return Forked(command, os.fdopen(told, "rb", buffering=0))


def own_processes() -> ForkServerContext:
    """Return the maker of processes for a test's own functions, which share one loading of the program too."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(
        ["webstrata.coordination.permits", "webstrata.coordination.redis_permits", "psycopg"]
    )
    return context


@cache
def _server() -> socket.socket:
    """Return the way to the process that forks: one for each process that runs tests, and gone when that is."""
    ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    # Roomy enough for a request with its variables in one piece.
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
    subprocess.Popen(
        [sys.executable, str(SERVER), str(its.fileno())],
        pass_fds=[its.fileno()],
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )
    its.close()
    return ours
