"""A process that has loaded the program and forks on request: each fork becomes the program, a second of CPU sooner.

Run by `tests.support.forks` and by nobody else; it ends when its socket does.
"""

import array
import gc
import importlib
import json
import os
import pkgutil
import runpy
import selectors
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import webstrata

LOADED_LATE = ("alembic.command", "granian", "psycopg", "redis", "sqlalchemy.dialects.postgresql.psycopg", "uvloop")
"""What the program loads only when it needs it."""

MOST_BYTES = 1 << 20
STREAMS = 3
"""With every request come its standard output, its standard error, and where to tell its pid and its exit code."""


class Wanted(NamedTuple):
    """A process to become: what to run, where, with which variables, and where its output goes."""

    command: list[str]
    folder: str
    environment: dict[str, str]
    output: int
    errors: int


def load() -> None:
    """Load what takes long; what does not load is left to the process that needs it, which shows the error."""
    for module in (*own_modules(), *LOADED_LATE):
        with suppress(ImportError):
            importlib.import_module(module)
    gc.collect()
    gc.freeze()
    assert len(list(Path("/proc/self/task").iterdir())) == 1, "a process with threads must not fork"


def own_modules() -> list[str]:
    """Return all of the program but what acts when it is loaded."""
    found = pkgutil.walk_packages(webstrata.__path__, "webstrata.", onerror=lambda _name: None)
    return [module.name for module in found if "__main__" not in module.name and ".migrations" not in module.name]


def serve(requests: socket.socket) -> Wanted | None:
    """Fork for every request, tell how each fork ended, and return: None at the end, in a fork what it is to become."""
    with selectors.DefaultSelector() as waiting:
        waiting.register(requests, selectors.EVENT_READ)
        while True:
            for key, _ in waiting.select():
                if key.fileobj is not requests:
                    waiting.unregister(key.fileobj)
                    tell_end(key.fd, *key.data)
                    continue
                request, output, errors, told = received(requests)
                if not request:
                    return None
                pid = os.fork()
                if pid == 0:
                    return Wanted(**json.loads(request), output=output, errors=errors)
                os.close(output)
                os.close(errors)
                os.write(told, f"{pid}\n".encode())
                waiting.register(os.pidfd_open(pid), selectors.EVENT_READ, (pid, told))


def received(requests: socket.socket) -> tuple[bytes, int, int, int]:
    """Return a request and its streams; nothing when there will be no more."""
    size = array.array("i").itemsize
    request, ancillary, _, _ = requests.recvmsg(MOST_BYTES, socket.CMSG_SPACE(STREAMS * size))
    if not request:
        return b"", -1, -1, -1
    output, errors, told = array.array("i", ancillary[0][2])
    return request, output, errors, told


def tell_end(pidfd: int, pid: int, told: int) -> None:
    """Tell the exit code of a fork, as subprocess does: a signal's number is negative."""
    os.close(pidfd)
    _, status = os.waitpid(pid, 0)
    with suppress(BrokenPipeError):
        os.write(told, f"{os.waitstatus_to_exitcode(status)}\n".encode())
    os.close(told)


def become(wanted: Wanted) -> None:
    """Make this fork look like a process that was just started, in a session of its own."""
    os.setsid()
    os.dup2(wanted.output, 1)
    os.dup2(wanted.errors, 2)
    os.closerange(3, max(int(descriptor.name) for descriptor in Path("/proc/self/fd").iterdir()) + 1)
    os.chdir(wanted.folder)
    os.environ.clear()
    os.environ.update(wanted.environment)


def run(command: list[str]) -> None:
    """Run `-m MODULE ARGUMENTS` or `SCRIPT ARGUMENTS` as the interpreter would."""
    if command[0] == "-m":
        sys.argv = command[1:]
        sys.path.insert(0, str(Path.cwd()))
        runpy.run_module(command[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = command
        sys.path.insert(0, str(Path(command[0]).parent))
        runpy.run_path(command[0], run_name="__main__")


if __name__ == "__main__":
    sys.path.pop(0)
    load()
    requests = socket.socket(fileno=int(sys.argv[1]))
    to_become = serve(requests)
    requests.detach()
    # A fork has left the loop, and ends as any interpreter ends.
    if to_become is not None:
        become(to_become)
        run(to_become.command)
