"""The command line, in this process where that is enough."""

import logging
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import structlog

from tests.support.program import Program
from webstrata.cli.main import run

LOGGED = re.compile(r"\{|archiving |\S+Z (WARNING|ERROR) ")
"""What a line of the log or of the progress begins with."""

CommandLine = Callable[..., "Ended"]


@dataclass(frozen=True)
class Ended:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def message(self) -> str:
        """Return the line that says what went wrong."""
        (line,) = [line for line in self.err.splitlines() if not LOGGED.match(line)]
        assert line.startswith("webstrata: ")
        assert len(line) < 400
        return line.removeprefix("webstrata: ")


@pytest.fixture
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for an archive, and no other settings than the tests' own."""
    folder = tmp_path / "data"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WEBSTRATA_DATA_DIR", str(folder))
    monkeypatch.setenv("WEBSTRATA_ALLOW_PRIVATE_NETWORKS", "127.0.0.1/32")
    monkeypatch.setenv("WEBSTRATA_MAX_RETRIES", "1")
    return folder


@pytest.fixture
def program(database_url: str, tmp_path: Path) -> Program:
    """The program as a process of its own, on each database."""
    return Program(tmp_path / "data", {"WEBSTRATA_DATABASE_URL": database_url})


@pytest.fixture
def webstrata(plain_webstrata: CommandLine, database_url: str, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """Runs a command line on each database and tells how it ended."""
    monkeypatch.setenv("WEBSTRATA_DATABASE_URL", database_url)
    return plain_webstrata


@pytest.fixture
def plain_webstrata(data_dir: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[CommandLine]:
    """Runs a command line that needs no database, or names its own, and tells how it ended."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level

    def run_command(*arguments: str) -> Ended:
        capsys.readouterr()
        code = run([*arguments])
        printed = capsys.readouterr()
        assert "Traceback" not in printed.out + printed.err
        return Ended(code, printed.out, printed.err)

    yield run_command
    root.handlers, root.level = handlers, level
    structlog.reset_defaults()
