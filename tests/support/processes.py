"""Servers that a test run starts, and ends."""

import pwd
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.support.waiting import wait_until

STOP_SECONDS = 20


class ServerDiedError(Exception):
    """A server ended before it was ready; the message is its log."""


@contextmanager
def running(
    command: Sequence[str | Path],
    log: Path,
    is_ready: Callable[[], bool],
    *,
    user: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a server from when it is ready until the block ends.

    Its own session keeps Ctrl-C in the terminal from ending it under a test that still uses it.
    """
    with log.open("wb") as output:
        process = subprocess.Popen(
            [str(part) for part in command],
            cwd=log.parent,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            user=user,
            group=None if user is None else _group_of(user),
            extra_groups=None if user is None else [],
        )
        try:
            wait_until(lambda: _alive(process, log) and is_ready(), f"{command[0]} is ready; see {log}")
            yield process
        finally:
            stop(process)


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a process: asked first, killed when it does not listen."""
    process.send_signal(signal.SIGINT)
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _alive(process: subprocess.Popen[bytes], log: Path) -> bool:
    if process.poll() is not None:
        raise ServerDiedError(f"exit status {process.returncode}\n{log.read_text(errors='replace')}")
    return True


def _group_of(user: str) -> int:
    return pwd.getpwnam(user).pw_gid
