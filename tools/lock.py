"""Resolve requirements/*.lock from pyproject.toml: `python3 -m tools.lock [--upgrade]`."""

import argparse
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

from tools.console import CACHE, ROOT, SetupError, run, say
from tools.environment import create, lock

UV_VERSION = "0.13.7"
UV_ENVIRONMENT = CACHE / "uv"
# Names, versions and hashes for every supported Python, and nothing about where they were found.
COMPILE = (
    "pip",
    "compile",
    "--quiet",
    "--universal",
    "--python-version=3.11",
    "--generate-hashes",
    "--no-annotate",
    "--no-header",
    "--no-emit-index-url",
)


def main() -> None:
    """Write the locks; without --upgrade, pins that still fit stay."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.lock", description=__doc__)
    parser.add_argument("--upgrade", action="store_true", help="take the newest versions")
    extra = ["--upgrade"] if parser.parse_args().upgrade else []
    try:
        uv = _uv()
        for name, sources in _sources().items():
            say(f"Resolving requirements/{name}.lock")
            run([uv, *COMPILE, *extra, *sources, "--output-file", lock(name)], f"Could not resolve {name}.lock.")
    except SetupError as error:
        sys.exit(error.full)


def _sources() -> dict[str, Sequence[str | Path]]:
    """Return what each lock is made from; the first constrains the two after it, so that all agree."""
    agree = ("--constraint", lock("dev"))
    return {
        "dev": ("pyproject.toml", "--extra", "dev"),
        "runtime": ("pyproject.toml", *agree),
        "build": (_build_requirements(), *agree),
        "assets": ("requirements/assets.in", "--no-deps"),
        "npm": ("requirements/npm.in",),
    }


def _build_requirements() -> Path:
    """Write what pyproject.toml builds with to a file, as uv reads requirements only from files."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    file = CACHE / "build.in"
    file.write_text("\n".join(project["build-system"]["requires"]), encoding="utf-8")
    return file


def _uv() -> Path:
    """Return the uv of a private environment, making it when needed."""
    uv = UV_ENVIRONMENT / UV_VERSION / "bin" / "uv"
    if not uv.exists():
        create(uv.parent.parent)
        run([uv.parent / "pip", "install", f"uv=={UV_VERSION}"], "Could not install uv.")
    return uv


if __name__ == "__main__":
    main()
