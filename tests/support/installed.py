"""The product as a user gets it: a built wheel, installed into a clean environment without a network."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tools import wheelhouse
from tools.console import ROOT


@pytest.fixture(scope="session")
def built_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this tree."""
    folder = tmp_path_factory.mktemp("wheel")
    _run([sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", folder, ROOT])
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="session")
def installed_webstrata(built_wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `webstrata` command of an environment with nothing but the wheel and what it requires."""
    environment = tmp_path_factory.mktemp("installed") / "venv"
    _run([sys.executable, "-m", "venv", "--without-pip", environment])
    # The developer's pip installs for the other Python; --isolated keeps the machine's own pip settings out of it.
    pip = [sys.executable, "-m", "pip", "--isolated", f"--python={environment / 'bin' / 'python'}"]
    _run([*pip, "install", "--no-index", f"--find-links={wheelhouse.WHEELS}", built_wheel])
    return environment / "bin" / "webstrata"


def _run(command: Sequence[str | Path]) -> None:
    result = subprocess.run(
        [str(part) for part in command],
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
