"""Other people's programs, each in an environment of its own under .cache/, made when it is first wanted."""

import shutil
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path

from tools.console import CACHE
from tools.replay_assets import npm

ENVIRONMENTS = CACHE / "envs"
STAMP = "requirements.txt"


def foreign_programs(name: str, requirements: Sequence[str]) -> Path:
    """Return the folder of an environment's programs; it holds what was asked for and nothing else."""
    folder = ENVIRONMENTS / name
    wanted = "\n".join([sys.version, *requirements])
    stamp = folder / STAMP
    if not stamp.is_file() or stamp.read_text(encoding="utf-8") != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        run([sys.executable, "-m", "venv", "--without-pip", folder])
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", f"--python={folder / 'bin' / 'python'}"]
        run([*pip, "install", *requirements])
        stamp.write_text(wanted, encoding="utf-8")
    return folder / "bin"


def npm_package(name: str) -> Path:
    """Return the folder of an npm package's files; the name ends with its version."""
    folder = ENVIRONMENTS / name.replace("/", "-")
    if not (folder / "package").is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        run([npm(), "pack", "--ignore-scripts", "--pack-destination", folder, name])
        (packed,) = folder.glob("*.tgz")
        with tarfile.open(packed) as archive:
            archive.extractall(folder, filter="data")
    return folder / "package"


def run(command: Sequence[str | Path], folder: Path | None = None) -> str:
    """Run a program and return what it wrote; when it fails, all it said is the failure's message."""
    arguments = [str(part) for part in command]
    result = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout
