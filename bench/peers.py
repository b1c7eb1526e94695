"""Environments with what we are compared with: made once, apart from ours."""

import subprocess
import venv
from pathlib import Path

_ENVIRONMENTS = Path(__file__).parents[1] / ".cache" / "envs"


def environment(name: str, *packages: str) -> str:
    """Return the Python of an environment with a peer in it."""
    folder = _ENVIRONMENTS / name
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
    return str(python)
