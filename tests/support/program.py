"""The `webstrata` program as its user runs it: a process of its own, with settings and a folder of its own."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from tests.support.forks import Forked, forked
from tests.support.waiting import wait_until

PYTHON = (sys.executable, "-m", "webstrata")
PATIENCE_SECONDS = 60

Process = Forked | subprocess.Popen[bytes]


@dataclass(frozen=True)
class Program:
    """The program over one archive."""

    folder: Path
    settings: Mapping[str, str] = field(default_factory=dict)
    command: tuple[str, ...] = PYTHON

    @property
    def environment(self) -> dict[str, str]:
        """Return the variables that the program gets; nothing of the test run's own settings is among them."""
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("WEBSTRATA_", "HEALTHARCHIVE_"))
        }
        defaults = {"WEBSTRATA_DATA_DIR": str(self.folder), "WEBSTRATA_ALLOW_PRIVATE_NETWORKS": "127.0.0.1/32"}
        # A browser for every job would take longer than all the rest.
        defaults["WEBSTRATA_PREVIEWS"] = "false"
        return {**kept, **defaults, **self.settings}

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run to the end."""
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
            process = self._begun(arguments, output, errors)
            try:
                code = process.wait(PATIENCE_SECONDS)
            finally:
                process.kill()
            return subprocess.CompletedProcess([*self.command, *arguments], code, _text(output), _text(errors))

    @contextmanager
    def started(self, *arguments: str) -> Iterator["Started"]:
        """Run while the block lasts, in a process group of its own; killed with all its children at the end."""
        log = self._home() / f"output-{len(list(self._home().glob('output-*')))}.log"
        with log.open("wb") as output:
            process = self._begun(arguments, output, output)
        try:
            yield Started(process, log)
        finally:
            process.kill()
            process.wait()

    def _begun(self, arguments: Sequence[str], output: BinaryIO, errors: BinaryIO) -> Process:
        program, *rest = [*self.command, *arguments]
        if program == sys.executable:
            return forked(rest, self._home(), self.environment, output, errors)
        return subprocess.Popen(
            [program, *rest],
            cwd=self._home(),
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            start_new_session=True,
        )

    def _home(self) -> Path:
        """Return where the program is started: not in the repository, whose .env is a developer's."""
        self.folder.mkdir(parents=True, exist_ok=True)
        return self.folder


@dataclass(frozen=True)
class Started:
    """A process of the program, under way."""

    process: Process
    log: Path

    @property
    def output(self) -> str:
        """Return what it has printed so far."""
        return self.log.read_text(errors="replace")

    def signal(self, number: signal.Signals) -> None:
        """Send a signal."""
        self.process.send_signal(number)

    def ended(self, seconds: float = PATIENCE_SECONDS) -> int:
        """Wait for its end and return its exit code."""
        try:
            wait_until(lambda: self.process.poll() is not None, "the program ends", seconds)
        except TimeoutError as error:
            raise TimeoutError(f"{error}\n{self.output}") from None
        return self.process.wait()

    def kill(self) -> None:
        """End it as a power cut would."""
        self.process.kill()
        self.process.wait()


def _text(file: BinaryIO) -> str:
    file.seek(0)
    return file.read().decode(errors="replace").replace("\r\n", "\n")


def free_port() -> int:
    """Return a port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def listens(port: int) -> bool:
    """Tell whether a program of this machine answers on a port."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/health", timeout=5) as response:
            return int(response.status) == 200
    except OSError:
        return False


def children_of(pid: int) -> set[int]:
    """Return the processes that descend from one."""
    parents = {int(stat.parent.name): _parent(stat) for stat in Path("/proc").glob("[0-9]*/stat")}
    found: set[int] = set()
    new = {pid}
    while new:
        new = {child for child, parent in parents.items() if parent in new} - found
        found |= new
    return found


def alive(pid: int) -> bool:
    """Tell whether a process runs; one that only waits to be noticed as dead does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def _parent(stat: Path) -> int:
    try:
        return int(stat.read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0
