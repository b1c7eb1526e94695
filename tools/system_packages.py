"""Programs that come from the operating system: installed where we may, named where we may not."""

import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.console import SetupError, run, say, warn


@dataclass(frozen=True)
class Program:
    """Something found under any of its names, and what to install when it is not: packages, or on macOS a command."""

    names: tuple[str, ...]
    debian: str
    macos: str
    title: str = ""


REDIS = Program(names=("redis-server", "valkey-server"), debian="redis-server", macos="brew install redis")
BROWSER = Program(
    names=(
        "chromium-headless-shell",
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    ),
    debian="chromium-headless-shell",
    macos="brew install --cask chromium",
)
# Debian keeps servers here, and not every user's PATH does.
SYSTEM_FOLDERS = ("/usr/local/sbin", "/usr/sbin", "/sbin", "/snap/bin")


def find(program: Program) -> Path | None:
    """Return where the program is, or None."""
    path = os.pathsep.join((os.environ.get("PATH", os.defpath), *SYSTEM_FOLDERS))
    found = (shutil.which(name, path=path) for name in program.names)
    return next((Path(place) for place in found if place), None)


def require(*programs: Program) -> None:
    """Install the programs that are missing, or raise with the command that would."""
    missing = [program for program in programs if not find(program)]
    if not missing:
        return
    if may_install():
        apt_install([program.debian for program in missing])
    still_missing = [program for program in missing if not find(program)]
    if still_missing:
        raise SetupError(advice_here(still_missing))


def advice_here(missing: Sequence[Program]) -> str:
    """Return the line that tells the user of this machine what to install."""
    return advice(missing, sys.platform, has_apt=_has_apt())


def advice(missing: Sequence[Program], platform: str, *, has_apt: bool) -> str:
    """Return the line that tells a user of this platform what to install."""
    names = " and ".join(program.title or program.names[0] for program in missing)
    if platform == "darwin":
        commands = "; ".join(program.macos for program in missing)
        return f"Missing: {names}. Install with: {commands}"
    if has_apt:
        packages = " ".join(program.debian for program in missing)
        return f"Missing: {names}. Install with: sudo apt-get install {packages}"
    return f"Missing: {names}. Install with your system's package manager, then run this again."


def may_install() -> bool:
    """Say whether Debian packages can be installed here: it takes apt-get and root."""
    return _has_apt() and os.geteuid() == 0


def apt_install(packages: Sequence[str]) -> None:
    """Install Debian packages, with nothing that was only recommended."""
    names = " ".join(packages)
    say(f"Installing Debian packages: {names}")
    quiet = {"DEBIAN_FRONTEND": "noninteractive"}
    try:
        run(["apt-get", "update"], "apt-get update failed", quiet)
    except SetupError as error:
        # One broken third-party source must not stop a package that the other sources have.
        warn(f"{error}; going on with the package lists there are.")
    install = ["apt-get", "install", "--yes", "--no-install-recommends", *packages]
    run(install, f"Could not install the Debian packages {names}.", quiet)


def _has_apt() -> bool:
    return shutil.which("apt-get") is not None
