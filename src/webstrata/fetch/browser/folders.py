"""Work folders of browsers: locked while the worker lives, and removed by others after its death."""

import fcntl
import os
import shlex
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from webstrata.errors import StorageError
from webstrata.fetch.browser import supervisor

PREFIX = "webstrata-browser-"
_LAUNCHER = "chromium"


@contextmanager
def work_folder(program: Path) -> Iterator[Path]:
    """Yield a folder for one browser, with a launcher for its program; it is removed at the end."""
    remove_abandoned()
    try:
        folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))
        lock = _lock(folder)
        (folder / _LAUNCHER).write_text(_script(folder, program), encoding="utf-8")
        (folder / _LAUNCHER).chmod(0o700)
    except OSError as error:
        raise StorageError(f"{tempfile.gettempdir()}: {error.strerror}") from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def launcher_of(folder: Path) -> Path:
    """Return the program that starts the browser of a folder."""
    return folder / _LAUNCHER


def kill_browser(folder: Path) -> None:
    """Kill every process of the browser of a folder, for one that no longer responds."""
    with suppress(OSError, ValueError):
        os.killpg(int((folder / supervisor.PROCESS).read_text(encoding="ascii")), signal.SIGKILL)


def remove_abandoned() -> None:
    """Remove the folders of dead workers; their browsers end by themselves."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError), (folder / supervisor.LOCK).open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)


def _lock(folder: Path) -> int:
    """Lock a new folder; the lock file gets its final name after it is locked, so that it never looks abandoned."""
    unnamed = folder / "new"
    descriptor = os.open(unnamed, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    unnamed.rename(folder / supervisor.LOCK)
    return descriptor


def _script(folder: Path, program: Path) -> str:
    command = [sys.executable, "-I", "-S", supervisor.__file__, str(folder), str(program)]
    return f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n'
