"""The product as a user gets it: a built wheel, installed into a clean environment without a network."""

import fcntl
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tools import wheelhouse
from tools.console import ROOT


@pytest.fixture(scope="session")
def built_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this tree."""
    build: list[str | Path] = [sys.executable, "-m", "build", "--no-isolation", "--wheel", ROOT, "--outdir"]
    folder = _made_once(tmp_path_factory, "wheel", lambda folder: _run([*build, folder]))
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="session")
def installed_webstrata(built_wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `webstrata` command of an environment with nothing but the wheel and what it requires."""
    environment = _made_once(tmp_path_factory, "installed", lambda folder: _install(built_wheel, folder))
    return environment / "bin" / "webstrata"


def _install(wheel: Path, environment: Path) -> None:
    _run([sys.executable, "-m", "venv", "--without-pip", environment])
    # The developer's pip installs for the other Python; --isolated keeps the machine's own pip settings out of it.
    pip = [sys.executable, "-m", "pip", "--isolated", f"--python={environment / 'bin' / 'python'}"]
    _run([*pip, "install", "--no-index", f"--find-links={wheelhouse.WHEELS}", wheel])


def _made_once(tmp_path_factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """Return a folder that was filled by the first of a run's processes that asked for it; the others waited."""
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    folder, made = shared / name, shared / f"{name}.made"
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            make(folder)
            made.touch()
    return folder


def _run(command: Sequence[str | Path]) -> None:
    result = subprocess.run(
        [str(part) for part in command],
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
