"""The VPN's command: run without a shell and within a time limit; its output is discarded."""

import os
import signal
import subprocess
import threading
import time
from contextlib import suppress
from dataclasses import dataclass

from webstrata.errors import OptionsError
from webstrata.model.crawl.monitoring import VpnCommand

_LOOK_EVERY = 0.05
_GRACE_SECONDS = 5.0
"""How long a command that must end may take to clean up."""


@dataclass(frozen=True)
class Rotation:
    """The result of a change of the VPN."""

    went_well: bool
    summary: str
    """The reason of a failure without the command and its output, which may contain secrets."""
    exit_code: int | None = None
    seconds: float = 0.0


def rotate(vpn: VpnCommand, ended: threading.Event, grace: float = _GRACE_SECONDS) -> Rotation:
    """Run the VPN's command and return its result; at the time limit the command and its children are stopped."""
    began = time.monotonic()
    try:
        process = _start_command(vpn)
    except OptionsError as error:
        return Rotation(went_well=False, summary=str(error))
    except FileNotFoundError:
        return Rotation(went_well=False, summary="the VPN's command was not found")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it contains a NUL character"
        return Rotation(went_well=False, summary=f"the VPN's command could not be run: {reason}")
    limit = vpn.time_limit.total_seconds()
    while process.poll() is None and time.monotonic() - began < limit and not ended.is_set():
        ended.wait(min(_LOOK_EVERY, limit))
    code = process.poll()
    seconds = round(time.monotonic() - began, 1)
    if code is None:
        _end(process, grace)
        why = "was ended with the crawl" if ended.is_set() else f"did not end within {limit:g} seconds and was killed"
        return Rotation(went_well=False, summary=f"the VPN's command {why}", seconds=seconds)
    return Rotation(code == 0, f"the VPN's command {_how(code)} after {seconds:g} seconds", code, seconds)


def _start_command(vpn: VpnCommand) -> subprocess.Popen[bytes]:
    # In its own session, so that its process group can be ended and Ctrl-C does not reach it. Processes that it leaves
    # running after success are the VPN and are not stopped.
    return subprocess.Popen(  # noqa: S603 - the operator's own command
        vpn.words(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _end(process: subprocess.Popen[bytes], grace: float) -> None:
    """Stop a command and its children, first with SIGTERM, then with SIGKILL."""
    _signal(process, signal.SIGTERM)
    deadline = time.monotonic() + grace
    while not _is_over(process) and time.monotonic() < deadline:
        time.sleep(_LOOK_EVERY)
    # Even if the command itself has ended, as its children may still run.
    _signal(process, signal.SIGKILL)
    process.wait()


def _is_over(process: subprocess.Popen[bytes]) -> bool:
    """Return whether a process has ended, without reaping it, so that its group's id is not reused."""
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _how(code: int) -> str:
    return f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
