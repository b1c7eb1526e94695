"""One Docker container as an attempt at a crawl: its output is written to a combined log, its end is reported once.

A container that we start is attached to its Docker client. One that outlived its client, or an earlier archive-tool, is
followed with `docker logs` for its output and `docker wait` for its end.
"""

import math
import re
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, Protocol

import structlog

from webstrata.archive_tool.docker import CLIENT_FAILED, Docker, exit_code_in, is_gone, last_line
from webstrata.errors import StorageError, WebstrataError
from webstrata.model.jobs.zimit import REFUSALS, judged

log = structlog.get_logger()

_TEMP_DIR = re.compile(rb'Output to tempdir: "?(/[^"\s]+)"?')
_LONGEST_LINE = 1_048_576
_DRAIN_SECONDS = 2.0
"""How long `docker logs` may run after its container's end, as it sometimes never ends."""
_LINGER_SECONDS = 10.0
_LOOK_SECONDS = 30.0
_KILLED = 137
_UNKNOWN = 1


@dataclass(frozen=True)
class Watched:
    """The context of an attempt: its Docker client, label and log, and the callbacks of the engine that started it."""

    docker: Docker
    label: str
    log_path: Path
    grace_seconds: int
    found_temp_dir: Callable[[str], None]
    """Called with a temporary folder, under its path in the container."""
    over: Callable[[], None]
    """Called once no process of the container runs any more."""
    ended_well: Callable[[], bool]
    """Returns whether the crawl's files show that it succeeded, for a container whose exit code is unknown."""


class _Way(Protocol):
    """How a container is followed: through its client, or through `docker logs` and `docker wait`."""

    copying: "_Copying"

    def poll(self) -> int | None: ...
    def end(self, *, at_once: bool = False) -> int: ...


class ContainerAttempt:
    """A running container, or a client that is about to start one."""

    def __init__(self, watched: Watched, way: Callable[[Watched], _Way]) -> None:
        """Prepare to follow a container; nothing is started yet."""
        self._watched = watched
        self._way = way(watched)
        self._code: int | None = None
        self._trouble: WebstrataError | None = None

    @classmethod
    def start(cls, watched: Watched, arguments: Sequence[str]) -> "ContainerAttempt":
        """Run a new container; its client stays attached to it."""
        return cls(watched, lambda started: _Attached(started, arguments))

    @classmethod
    def attach(cls, watched: Watched, container: str) -> "ContainerAttempt":
        """Follow a container that is already running, from the beginning of its output."""
        return cls(watched, lambda started: _Followed(started, container, only_new=False))

    @property
    def log_path(self) -> Path | None:
        """Return its combined log."""
        return self._watched.log_path

    def poll(self) -> int | None:
        """Return its exit code once it is over; StorageError when Docker fails."""
        if self._trouble is not None:
            raise self._trouble
        if self._code is None:
            self._pass_on()
            with self._as_trouble():
                self._way.copying.check()
                code = self._poll()
            if code is not None:
                self._settle(code)
        return self._code

    def stop(self) -> int:
        """Stop it: ask first, kill after the grace period, and return its exit code; StorageError when that fails."""
        with suppress(WebstrataError):
            if (code := self.poll()) is not None:
                return code
        try:
            was_there = stop_all(self._watched)
            code = self._way.end(at_once=not was_there)
            if not was_there:
                # The client may have created its container meanwhile.
                stop_all(self._watched)
        except StorageError:
            self._settle(self._way.end(at_once=True))
            raise
        self._settle(code)
        return judged(code)

    def _poll(self) -> int | None:
        code = self._way.poll()
        if code is None:
            return None
        if code in REFUSALS:
            raise WebstrataError(f"zimit could not start (exit code {code}): {self._way.copying.last_output()}")
        return self._unless_it_runs_on(code) if code < 0 or code == CLIENT_FAILED else code

    def _unless_it_runs_on(self, code: int) -> int | None:
        """Return the exit code after the client ended; None if the container still runs, which is then followed."""
        watched = self._watched
        if running := watched.docker.running(watched.label):
            log.warning("docker.client_lost", container=running[0], exit_code=code)
            self._way.copying.close()
            self._way = _Followed(watched, running[0], only_new=True)
            return None
        if watched.ended_well():
            return 0
        if code == CLIENT_FAILED:
            raise StorageError(f"Docker failed: {self._way.copying.last_output()}")
        return 128 - code

    @contextmanager
    def _as_trouble(self) -> Iterator[None]:
        """Remember an error, so that later calls raise it again."""
        try:
            yield
        except WebstrataError as error:
            self._trouble = error
            raise

    def _settle(self, code: int) -> None:
        """Record the end, once."""
        self._way.copying.close()
        self._pass_on()
        if self._code is None:
            self._code = judged(code)
            log.info("container.ended", label=self._watched.label, exit_code=code)
            self._watched.over()

    def _pass_on(self) -> None:
        """Report the output of the container from the polling thread: a state file has one writer."""
        with suppress(Empty):
            while True:
                self._watched.found_temp_dir(self._way.copying.temp_dirs.get_nowait())


class _Attached:
    """A container through the client that runs it."""

    def __init__(self, watched: Watched, arguments: Sequence[str]) -> None:
        self._watched = watched
        self._client = watched.docker.start(arguments)
        self.copying = _Copying(self._client, watched.log_path)
        self._was_seen = False
        self._gone_since: float | None = None
        self._next_look = time.monotonic() + _LOOK_SECONDS

    def poll(self) -> int | None:
        code = self._client.poll()
        if code is None and time.monotonic() >= self._next_look:
            return self._check_container()
        return code

    def end(self, *, at_once: bool = False) -> int:
        """End the client, whose container is over or was never created, and return its exit code."""
        with suppress(subprocess.TimeoutExpired):
            return self._client.wait(0 if at_once else _DRAIN_SECONDS)
        self._client.terminate()
        with suppress(subprocess.TimeoutExpired):
            return self._client.wait(_DRAIN_SECONDS)
        self._client.kill()
        self._client.wait()
        return _KILLED

    def _check_container(self) -> int | None:
        """End a client that does not notice the end of its container; return the exit code, None while it runs."""
        now = time.monotonic()
        self._next_look = now + _LOOK_SECONDS
        try:
            is_there = bool(self._watched.docker.running(self._watched.label))
        except StorageError as error:
            # Errors are ignored: a client whose Docker daemon died ends by itself; a slow response should end no crawl.
            log.warning("docker.slow", reason=str(error))
            return None
        self._was_seen = self._was_seen or is_there
        if is_there or not self._was_seen:
            self._gone_since = None
            return None
        self._gone_since = self._gone_since or now
        self._next_look = now + _LINGER_SECONDS / 2
        if now - self._gone_since < _LINGER_SECONDS:
            return None
        log.warning("docker.client_lingers", label=self._watched.label)
        self.end()
        return 0 if self._watched.ended_well() else 1


class _Followed:
    """A container that another client started."""

    def __init__(self, watched: Watched, container: str, *, only_new: bool) -> None:
        self._watched, self._container = watched, container
        self._waiting = watched.docker.waiting(container)
        self.copying = _Copying(watched.docker.logs(container, only_new=only_new), watched.log_path)

    def poll(self) -> int | None:
        if self._waiting.poll() is None:
            return None
        output = self._waiting.communicate()[0].decode(errors="replace")
        code = exit_code_in(output)
        if self._waiting.returncode == 0 and code is not None:
            return code
        if is_gone(output):
            return 0 if self._watched.ended_well() else 1
        if self._container not in self._watched.docker.running(self._watched.label):
            raise StorageError(f"Docker no longer finds the container: {last_line(output)}")
        self._waiting = self._watched.docker.waiting(self._container)
        return None

    def end(self, *, at_once: bool = False) -> int:
        """Return the exit code of a container that was stopped."""
        if self._waiting.returncode is None:
            with suppress(subprocess.TimeoutExpired):
                output, _ = self._waiting.communicate(timeout=0 if at_once else _DRAIN_SECONDS)
                code = exit_code_in(output.decode(errors="replace"))
                return _UNKNOWN if code is None else code
            self._waiting.kill()
            self._waiting.communicate()
        return _UNKNOWN


class _Copying:
    """Copies what a client prints into a log, line by line, in a thread of its own."""

    def __init__(self, client: "subprocess.Popen[bytes]", target: Path) -> None:
        self.temp_dirs: SimpleQueue[str] = SimpleQueue()
        self._trouble: StorageError | None = None
        self._client, self._target = client, target
        self._last: deque[bytes] = deque(maxlen=20)
        self._thread = threading.Thread(target=self._copy, name="container-log", daemon=True)
        self._thread.start()

    def check(self) -> None:
        """Raise StorageError when the log cannot be written."""
        if self._trouble is not None:
            raise self._trouble

    def last_output(self) -> str:
        """Return the last line that is not empty, once the log is complete."""
        self.close()
        return last_line(b"".join(self._last).decode(errors="replace"))

    def close(self) -> None:
        """Wait for the rest of the output, and end a client that continues without any."""
        self._thread.join(_DRAIN_SECONDS)
        if self._client.poll() is None:
            self._client.kill()
        self._client.wait()
        self._thread.join(_DRAIN_SECONDS)

    def _copy(self) -> None:
        assert self._client.stdout is not None
        with self._client.stdout as source:
            try:
                with self._target.open("ab", buffering=0) as target:
                    self._copy_lines(source, target)
            except OSError as error:
                self._trouble = StorageError(f"{self._target}: {error.strerror or error}")
                # Continue reading after an error, because the client would block otherwise.
                while source.read1():  # type: ignore[attr-defined]
                    pass

    def _copy_lines(self, source: IO[bytes], target: IO[bytes]) -> None:
        while line := source.readline(_LONGEST_LINE):
            target.write(line)
            self._last.append(line)
            if found := _TEMP_DIR.search(line):
                self.temp_dirs.put(found[1].decode(errors="replace"))


def stop_all(watched: Watched) -> bool:
    """Stop every container of a label, remove all of them, and return whether any was running."""
    docker = watched.docker
    found = docker.containers(watched.label)
    for container in found:
        if container.runs:
            log.info("container.stop", container=container.id, grace_seconds=watched.grace_seconds)
            with suppress(StorageError):
                _stop(docker, container.id, watched.grace_seconds)
    for container in docker.containers(watched.label) if found else ():
        log.warning("container.remove", container=container.id, state=container.state)
        docker.remove(container.id)
    return any(container.runs for container in found)


def _stop(docker: Docker, container: str, grace_seconds: int) -> None:
    """Stop a crawler so that it saves its state: after one signal it finishes its open pages, after two it ends at
    once."""
    for _ in range(2):
        if not docker.interrupt_crawler(container):
            break
        if docker.ends_within(container, grace_seconds / 4):
            return
    docker.stop(container, math.ceil(grace_seconds / 2))
