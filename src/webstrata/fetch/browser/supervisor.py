"""Runs Chromium for a worker and ends it with the worker: started as a script, with the standard library alone.

Arguments: the work folder, the program, and the program's arguments. The worker locks a file in the work folder while
it lives. When the lock is free, the worker is dead: the browser is killed and the folder removed. If this process is
killed, the kernel kills the browser (on Linux).
"""

import ctypes
import fcntl
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

LOCK = "lock"
PROCESS = "process"
_PROFILE = "--user-data-dir="
_PIPES = (3, 4)
"""The file descriptors of the pipes between Playwright and the browser."""
_PR_SET_PDEATHSIG = 1


def main(folder: Path, program: str, arguments: list[str]) -> int:
    """Run the program until it ends or its worker dies; return its exit code."""
    (folder / PROCESS).write_text(str(os.getpid()), encoding="ascii")
    command = [program, *(_in_folder(folder, argument) for argument in arguments)]
    browser = subprocess.Popen(command, pass_fds=_PIPES, preexec_fn=_die_with_parent)  # noqa: PLW1509, S603
    # The pipes must be open only in the browser; otherwise neither side would notice that the other ended.
    for descriptor in _PIPES:
        os.close(descriptor)
    threading.Thread(target=_wait_for_death, args=(folder,), daemon=True).start()
    return browser.wait()


def _in_folder(folder: Path, argument: str) -> str:
    """Return an argument with the profile moved to our folder; the one that Playwright made is removed."""
    if not argument.startswith(_PROFILE):
        return argument
    shutil.rmtree(argument.removeprefix(_PROFILE), ignore_errors=True)
    return f"{_PROFILE}{folder / 'profile'}"


def _wait_for_death(folder: Path) -> None:
    """Wait for the worker's death; then remove the folder and kill all processes of the browser, including this one."""
    try:
        with (folder / LOCK).open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
    except FileNotFoundError:
        # The worker removed its folder: it is about to close the browser itself.
        return
    group = os.getpgrp()
    if os.fork() == 0:
        os.setsid()
        os.killpg(group, signal.SIGKILL)
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(0)


def _die_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:]))
