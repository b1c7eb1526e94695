"""The virtual environment: made once, filled from the locks, left alone while nothing changed."""

import hashlib
import importlib.util
import subprocess
import sys
from pathlib import Path

from tools.console import ROOT, SetupError, run, say
from tools.system_packages import apt_install, may_install

VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
# dev.lock holds every pin of the other two, so an environment for developing also runs the program.
LOCKS = {"runtime": ("build", "runtime"), "dev": ("dev",)}


def pip(*arguments: str | Path) -> list[str | Path]:
    """Return the command that runs the environment's pip."""
    return [PYTHON, "-m", "pip", "--disable-pip-version-check", "--no-input", *arguments]


def lock(name: str) -> Path:
    """Return the path of a lock."""
    return ROOT / "requirements" / f"{name}.lock"


def digest(*files: Path) -> str:
    """Return what changes when a file does, or the Python that wheels are for."""
    state = hashlib.sha256(str(sys.implementation.cache_tag).encode())
    for file in files:
        state.update(file.read_bytes())
    return state.hexdigest()


def ensure(level: str) -> None:
    """Make the environment hold what `level` needs: "runtime" or "dev"."""
    if not _works():
        create(VENV)
    if not any(_is_current(candidate) for candidate in {level, "dev"}):
        _install(level)
    compile_sources(ROOT / "src")


def compile_sources(folder: Path) -> None:
    """Compile what changed in a folder, as pip does for all that it does not install in place.

    Where Python is told to write no bytecode, every process of the program would else compile it all again: half of
    what it takes to start one. What cannot be compiled is left to whoever imports it, and sees the error.
    """
    subprocess.run([PYTHON, "-m", "compileall", "-q", folder], capture_output=True, check=False)


def create(folder: Path) -> None:
    """Make a virtual environment with nothing but pip in it."""
    _require_venv_module()
    say(f"Making {folder.relative_to(ROOT)} with Python {sys.version_info.major}.{sys.version_info.minor}")
    run([sys.executable, "-m", "venv", "--clear", folder], f"Could not make {folder}.")


def _works() -> bool:
    """Say whether the environment's Python runs; one made by a Python since removed does not."""
    if not PYTHON.exists():
        return False
    return subprocess.run([PYTHON, "-c", "import pip"], capture_output=True, check=False).returncode == 0


def _require_venv_module() -> None:
    """Debian splits venv's parts off Python: bring them, or name their package."""
    if importlib.util.find_spec("ensurepip") and importlib.util.find_spec("venv"):
        return
    package = f"python{sys.version_info.major}.{sys.version_info.minor}-venv"
    if not may_install():
        raise SetupError(f"This Python cannot make environments. Install with: sudo apt-get install {package}")
    apt_install([package])


def _install(level: str) -> None:
    locks = [lock(name) for name in LOCKS[level]]
    names = " and ".join(file.name for file in locks)
    say(f"Installing the packages of {names}; the first time takes a minute")
    files = [argument for file in locks for argument in ("-r", file)]
    run(pip("install", "--require-hashes", *files), "Could not install the packages. Is the network there?")
    project = pip("install", "--no-deps", "--no-build-isolation", "--no-index", "--editable", ".")
    run(project, "Could not install Webstrata itself.")
    _stamp(level).write_text(_expected(level), encoding="ascii")


def _is_current(level: str) -> bool:
    return _stamp(level).is_file() and _stamp(level).read_text(encoding="ascii") == _expected(level)


def _stamp(level: str) -> Path:
    return VENV / f"webstrata-{level}.stamp"


def _expected(level: str) -> str:
    return digest(ROOT / "pyproject.toml", *(lock(name) for name in LOCKS[level]))
