"""Child processes with limits of memory and time, so that a hostile page can only crash its own process."""

import contextlib
import ctypes
import fcntl
import gc
import os
import pickle
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable
from multiprocessing.connection import Connection

MAX_MEMORY = 1_500_000_000
"""Limit of address space. A page of 300 KB can make a parser allocate gigabytes: this must fail for that page only."""

MAX_CPU_SECONDS = 20.0
"""Limit of processor time for one page. Real pages take milliseconds, 10 MB of tags some seconds."""

_PIPE_BYTES = 1_048_576
"""The size of a pipe, where the system allows to set it; the usual 64 KB are soon full."""

_NICENESS = 15
_OBJECTS_A_COLLECTION = 50_000
_PR_SET_PDEATHSIG = 1
_ALLOCATION = {-1: 64_000_000, -2: 8_000_000, -3: 32_000_000}
"""How much freed memory the C library retains, requests at once, and requests for a single large block (mallopt's
M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_THRESHOLD): pages come one after another, and returning memory to the system
after each of them took 5 % of the time."""


class ChildDiedError(Exception):
    """A child process ended before it returned a result."""

    def __init__(self, exit_code: int | None) -> None:
        super().__init__(f"exit status {exit_code}")
        self.exit_code = exit_code

    @property
    def ran_out_of_time(self) -> bool:
        """Return whether the process used up its processor time, which no second try would change."""
        return self.exit_code == -signal.SIGPROF


class ChildProcess:
    """The parent's interface to a running child process; requests and replies are pickled."""

    program: str
    """The module that is run."""

    def __init__(self, *descriptors: int) -> None:
        """Start the process; it inherits the descriptors."""
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        _widen(theirs_out)
        passed = (theirs_in, theirs_out, *descriptors)
        try:
            self._process = subprocess.Popen(  # noqa: S603 - this program itself
                [sys.executable, "-m", self.program, *map(str, passed)], pass_fds=passed, stdin=subprocess.DEVNULL
            )
        finally:
            os.close(theirs_in)
            os.close(theirs_out)
        self._requests = Connection(ours_out, readable=False)
        self._replies = Connection(ours_in, writable=False)

    @property
    def is_alive(self) -> bool:
        """Return whether the process still runs."""
        return self._process.poll() is None

    @property
    def pid(self) -> int:
        """Return the process's number."""
        return self._process.pid

    def send(self, request: object) -> None:
        """Send a request; ChildDiedError when the process has ended."""
        try:
            self._requests.send(request)
        except OSError:
            raise self.death() from None

    def has_reply(self, seconds: float) -> bool:
        """Wait for a reply, or the process's end, and return whether it came in time."""
        return self._replies.poll(seconds)

    def receive(self) -> bytes:
        """Return the next reply; ChildDiedError when the process ends without one."""
        try:
            return self._replies.recv_bytes()
        except (EOFError, OSError):
            raise self.death() from None

    def death(self) -> ChildDiedError:
        """End the process and return an error with its exit code."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        self.close()
        return ChildDiedError(self._process.returncode)

    def kill(self) -> None:
        """End the process, whatever it does; a thread that waits for a reply gets ChildDiedError."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """End the process and close its pipes."""
        self.kill()
        self._requests.close()
        self._replies.close()


def serve_requests(arguments: list[str], replies_to: Callable[[object], Iterable[bytes]]) -> None:
    """Reply to the parent's requests until it closes the pipe: the child's part of ChildProcess."""
    requests, replies = Connection(int(arguments[0]), writable=False), Connection(int(arguments[1]), readable=False)
    _end_with_parent()
    _limit()
    # The parent has ended or closed the pipe: end this process without an error.
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            for reply in replies_to(requests.recv()):
                replies.send_bytes(reply)


def start_clock(seconds: float = MAX_CPU_SECONDS) -> None:
    """Limit the processor time of this process from now on; it is killed when the time is used up."""
    # The signal's default action ends the process even in a parser that does not return to Python.
    signal.setitimer(signal.ITIMER_PROF, seconds)


def packed(reply: object) -> bytes:
    """Return a pickled reply."""
    return pickle.dumps(reply, pickle.HIGHEST_PROTOCOL)


def unpacked(reply: bytes | memoryview) -> object:
    """Return an unpickled reply; only for data from our own processes."""
    return pickle.loads(reply)  # noqa: S301


def _limit() -> None:
    os.nice(_NICENESS)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    _, hardest = resource.getrlimit(resource.RLIMIT_AS)
    within = hardest == resource.RLIM_INFINITY or hardest >= MAX_MEMORY
    # Some systems do not support this limit.
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY if within else hardest, hardest))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _retain_memory()
    # Exclude the loaded modules from garbage collection: scanning them repeatedly takes a tenth of the time.
    gc.freeze()
    gc.set_threshold(_OBJECTS_A_COLLECTION)


def _retain_memory() -> None:
    # Only glibc has this function.
    with contextlib.suppress(AttributeError, OSError):
        mallopt = ctypes.CDLL(None).mallopt
        for parameter, size in _ALLOCATION.items():
            mallopt(parameter, size)


def _widen(pipe: int) -> None:
    with contextlib.suppress(AttributeError, OSError):
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


def _end_with_parent() -> None:
    """Leave signals to the parent, and end when it does: at once on Linux, elsewhere with the next reply."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    parent = os.getppid()
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
