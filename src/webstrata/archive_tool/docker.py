"""Docker through its command-line client: start, follow, stop and list containers.

Every call has a time limit, and every error is one line. The client runs in its own session, so that a signal to our
process group ends neither the client nor the container.
"""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from webstrata.errors import StorageError
from webstrata.logs import harmless

CLIENT_FAILED = 125
"""Exit code of the client when Docker itself failed, not the container."""

_WITHOUT_DOCKER = "the built-in crawler (--engine native) needs no Docker"
_RUNNING = ("running", "paused", "restarting")
_GONE = "no such container"
_LONGEST_SAID = 300
_INTERRUPT_SECONDS = 2.0


@dataclass(frozen=True)
class Container:
    """A container and its state, as Docker names it."""

    id: str
    state: str

    @property
    def runs(self) -> bool:
        """Return whether there is a process in it that has not ended."""
        return self.state in _RUNNING


@dataclass(frozen=True)
class Docker:
    """A Docker client, and the engine that it talks to."""

    program: str = "docker"
    patience_seconds: float = 30.0
    """The time limit of a call; an engine under load is slow."""

    def check(self) -> None:
        """Raise StorageError, with what to do about it, unless there is a client that reaches an engine."""
        self._ask_engine("version", "--format", "{{.Server.Version}}")

    def containers(self, label: str) -> list[Container]:
        """Return the containers with a label in any state, newest first."""
        found = self._ask_engine(
            "ps", "--all", "--no-trunc", "--filter", f"label={label}", "--format", "{{.ID}} {{.State}}"
        )
        return [Container(*line.split()[:2]) for line in found.splitlines() if len(line.split()) > 1]

    def running(self, label: str) -> list[str]:
        """Return the ids of the containers with a label that run, newest first."""
        return [container.id for container in self.containers(label) if container.runs]

    def start(self, arguments: Sequence[str]) -> "subprocess.Popen[bytes]":
        """Start a command of the client, with its output and errors in a pipe."""
        return self._open_process(arguments, errors=subprocess.STDOUT)

    def ran(self, arguments: Sequence[str], patience_seconds: float) -> None:
        """Run a command of the client to its end; StorageError when it fails."""
        result = self._run(arguments, patience_seconds)
        if result.returncode:
            raise StorageError(f"docker {arguments[0]}: {last_line(result.stderr)}")

    def logs(self, container: str, *, only_new: bool) -> "subprocess.Popen[bytes]":
        """Follow the output of a container, from its beginning or from now on."""
        return self.start(["logs", "--follow", *(["--tail", "0"] if only_new else []), container])

    def waiting(self, container: str) -> "subprocess.Popen[bytes]":
        """Start to wait for a container's end; `exit_code_in` reads the result."""
        return self.start(["wait", container])

    def interrupt_crawler(self, container: str) -> bool:
        """Ask the crawler in a container to save its state and end; False when no crawler runs there.

        `docker stop` would only signal zimit, which kills its crawler before that can save its state.
        """
        try:
            found = self._run(["exec", container, "sh", "-c", "kill -INT $(pidof node)"], _INTERRUPT_SECONDS)
        except StorageError:
            return False
        return found.returncode == 0

    def ends_within(self, container: str, seconds: float) -> bool:
        """Wait for a container's end for a while, and return whether it came."""
        waiting = self.waiting(container)
        try:
            waiting.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            waiting.kill()
            waiting.communicate()
            return False
        return True

    def stop(self, container: str, grace_seconds: int) -> None:
        """Stop a container, and kill it after the grace period; no error when it does not exist."""
        self._unless_gone("stop", "-t", str(grace_seconds), container, patience=grace_seconds)

    def remove(self, container: str) -> None:
        """Kill a container if it runs, and remove it; one that is gone is no error."""
        self._unless_gone("rm", "--force", container)

    def _unless_gone(self, *arguments: str, patience: float = 0) -> None:
        result = self._run(arguments, self.patience_seconds + patience)
        # With --rm a container may disappear before or while it is removed here.
        harmless_refusals = (_GONE, "is not running", "is already in progress")
        if result.returncode and not any(word in result.stderr.lower() for word in harmless_refusals):
            raise StorageError(f"docker {arguments[0]}: {last_line(result.stderr)}")

    def _ask_engine(self, *arguments: str) -> str:
        result = self._run(arguments, self.patience_seconds)
        if result.returncode:
            reason = last_line(result.stderr)
            raise StorageError(f"Docker's engine does not respond ({reason}): start it; {_WITHOUT_DOCKER}")
        return result.stdout

    def _run(self, arguments: Sequence[str], patience: float) -> "subprocess.CompletedProcess[str]":
        process = self._open_process(arguments, errors=subprocess.PIPE)
        try:
            output, errors = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise StorageError(f"docker {arguments[0]} did not respond in {patience:g} s") from None
        decoded = (output.decode(errors="replace"), errors.decode(errors="replace"))
        return subprocess.CompletedProcess(arguments, process.returncode, *decoded)

    def _open_process(self, arguments: Sequence[str], *, errors: int) -> "subprocess.Popen[bytes]":
        try:
            return subprocess.Popen(  # noqa: S603 - what the operator asked to be crawled, no shell in between
                [self.program, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
            )
        except FileNotFoundError:
            raise StorageError(f"{self.program} was not found: install Docker; {_WITHOUT_DOCKER}") from None
        except OSError as error:
            raise StorageError(f"{self.program} cannot be run: {error.strerror}; {_WITHOUT_DOCKER}") from error


def last_line(output: str) -> str:
    """Return the last line of a client's output that is not empty, short enough for a message."""
    lines = [line.strip() for line in output.splitlines() if line.strip() and not _is_advice(line)]
    return harmless(lines[-1].removeprefix("docker: "))[:_LONGEST_SAID] if lines else "it says nothing"


def exit_code_in(output: str) -> int | None:
    """Return the exit code that `docker wait` printed, or None when it printed none."""
    last = output.split()[-1:]
    return int(last[0]) if last and last[0].isdecimal() else None


def is_gone(output: str) -> bool:
    """Return whether a client's output means that there is no such container."""
    return _GONE in output.lower()


def _is_advice(line: str) -> bool:
    return line.startswith(("See 'docker", "Run 'docker"))
