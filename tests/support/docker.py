"""Docker as archive-tool finds it here: a stand-in first in the PATH, told by tests what its containers do."""

import os
import shlex
import signal
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.fetched import fetched, write_warc
from tests.support.waiting import wait_until

PROGRAM = Path(__file__).parents[1] / "archive_tool" / "stand_in_docker.py"
RUN = f"import sys; sys.path.append({str(PROGRAM.parent)!r}); from stand_in_docker import main; main(sys.argv[1:])"
PAGE_URL, OTHER_URL = "https://example.org/", "https://example.org/other"


@dataclass(frozen=True)
class StandIn:
    """The stand-in's engine and its containers."""

    home: Path
    program: Path

    def zimit_does(self, *runs: str) -> None:
        """Let the next runs of zimit take these steps, separated by semicolons; later ones crawl without trouble."""
        for number, steps in enumerate(runs, len(self.begun) + 1):
            lines = "\n".join(step.strip() for step in steps.split(";"))
            (self.home / "scenarios" / str(number)).write_text(lines)

    def let(self, name: str) -> None:
        """Let containers go on that wait for this."""
        (self.home / name).touch()

    def engine(self, condition: str) -> None:
        """Let the engine be up, down or hung."""
        (self.home / "engine").write_text(condition)

    @property
    def begun(self) -> list[list[str]]:
        """Return what zimit was told, run by run."""
        found = sorted((self.home / "begun").iterdir(), key=lambda run: int(run.name))
        return [run.read_text().split("\n") for run in found]

    @property
    def calls(self) -> list[str]:
        """Return every call of the client."""
        return (self.home / "calls").read_text().splitlines()

    @property
    def following(self) -> set[str]:
        """Return what was called to follow a container and has found it: logs, wait."""
        return set((self.home / "following").read_text().split())

    @property
    def running(self) -> list[str]:
        """Return the containers that run."""
        return [folder.name for folder in (self.home / "containers").iterdir() if (folder / "pid").exists()]

    def kill_client(self, container: str) -> None:
        """Kill the client that a container was run by, as a lack of memory would; the container goes on."""
        os.kill(int((self.home / "containers" / container / "client").read_text()), signal.SIGKILL)

    def wait_for_run(self, number: int) -> None:
        """Wait until zimit was begun so many times."""
        wait_until(lambda: len(self.begun) >= number, f"zimit is run {number} times")

    def wait_for_following(self) -> None:
        """Wait until somebody follows a container's log and waits for its end."""
        wait_until(lambda: self.following == {"logs", "wait"}, "a container is followed")

    def close(self) -> None:
        """End what is left."""
        for container in self.running:
            with suppress(FileNotFoundError, ProcessLookupError):
                os.killpg(int((self.home / "containers" / container / "pid").read_text()), signal.SIGKILL)


@pytest.fixture
def docker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    home, program = tmp_path / "docker", tmp_path / "bin" / "docker"
    for name in ("scenarios", "containers", "removed", "begun", "warcs"):
        (home / name).mkdir(parents=True)
    (home / "calls").touch()
    (home / "following").touch()
    write_warc(home / "warcs" / "page.warc.gz", [fetched(PAGE_URL)])
    write_warc(home / "warcs" / "other.warc.gz", [fetched(OTHER_URL, "<title>Other</title><p>More.")])
    program.parent.mkdir()
    # Imported, and not run, it is compiled once and not each time.
    called = shlex.join([sys.executable, "-ISE", "-c", RUN])
    program.write_text(f'#!/bin/sh\nexport STAND_IN_DOCKER={shlex.quote(str(home))}\nexec {called} "$@"\n')
    program.chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    stand_in = StandIn(home, program)
    stand_in.engine("up")
    yield stand_in
    stand_in.close()
