"""What set-up says to a person, and how it runs other programs."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache"


class SetupError(Exception):
    """Set-up cannot go on; the message is one line, what a program said about it comes apart."""

    def __init__(self, message: str, output: str = "") -> None:
        super().__init__(message)
        self.output = output

    @property
    def full(self) -> str:
        """Return everything there is to say, the line that matters last."""
        return f"{self.output}\n{self}".lstrip("\n")


def say(line: str) -> None:
    """Tell the user what is happening."""
    print(line, flush=True)


def warn(line: str) -> None:
    """Tell the user what does not work, where going on makes sense."""
    print(f"Warning: {line}", file=sys.stderr, flush=True)


def run(command: Sequence[str | Path], failure: str, environment: Mapping[str, str] | None = None) -> None:
    """Run a program without its noise; when it fails, raise `failure` with the noise."""
    result = subprocess.run(
        [str(part) for part in command],
        cwd=ROOT,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if result.returncode != 0:
        raise SetupError(failure, result.stdout)
