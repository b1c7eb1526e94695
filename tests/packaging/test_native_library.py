"""The native library is in a wheel when a compiler is there, and a wheel without it is one for every platform."""

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from tools.console import ROOT
from tools.native import LIBRARY

COPIED = ("pyproject.toml", ".gitignore", "README.md", "LICENSE", "CHANGELOG.md")
PACKED = LIBRARY.relative_to(ROOT / "src").as_posix()
PLATFORM = sysconfig.get_platform().replace("-", "_")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree that is built as ours is, with a package and a library that are next to nothing."""
    folder = tmp_path / "tree"
    shutil.copytree(ROOT / "tools", folder / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    for name in COPIED:
        shutil.copy(ROOT / name, folder)
    for file in ("native/one.c", "src/webstrata/__init__.py", "src/webstrata/content/__init__.py"):
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).touch()
    (folder / "native" / "one.c").write_text("int one(void);\nint one(void) { return 1; }\n", encoding="ascii")
    return folder


@pytest.fixture
def no_compiler(tmp_path: Path) -> str:
    """A PATH whose compiler compiles nothing, as one without headers."""
    program = tmp_path / "bin" / "cc"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexit 1\n", encoding="ascii")
    program.chmod(0o755)
    return str(program.parent)


def build(tree: Path, target: str, path: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", "../built"]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {"PATH": path}
    return subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)


def built(tree: Path, target: str, path: str) -> Path:
    """Return what a build made, which must be one file."""
    result = build(tree, target, path)
    assert result.returncode == 0, result.stdout + result.stderr
    (file,) = (tree.parent / "built").iterdir()
    return file


def packed(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_the_wheel_is_one_for_this_platform_and_every_python(built_wheel: Path) -> None:
    assert built_wheel.stem.split("-")[2:] == ["py3", "none", PLATFORM]
    with zipfile.ZipFile(built_wheel) as archive:
        (about,) = (archive.read(name).decode() for name in archive.namelist() if name.endswith(".dist-info/WHEEL"))
    assert f"Root-Is-Purelib: false\nTag: py3-none-{PLATFORM}\n" in about


def test_without_a_compiler_the_wheel_is_for_every_platform(tree: Path, no_compiler: str) -> None:
    wheel = built(tree, "wheel", no_compiler)
    assert wheel.name.endswith("-py3-none-any.whl")
    assert PACKED not in packed(wheel)


def test_a_library_of_other_sources_is_not_packed(tree: Path, no_compiler: str) -> None:
    (tree / "src" / PACKED).touch()
    assert PACKED not in packed(built(tree, "wheel", no_compiler))


def test_a_library_that_does_not_compile_stops_the_build(tree: Path) -> None:
    (tree / "native" / "one.c").write_text("int one(void) { return nothing; }\n", encoding="ascii")
    result = build(tree, "wheel", os.environ["PATH"])
    assert result.returncode == 1
    assert "Could not compile the native library" in result.stderr
    assert "Traceback" not in result.stderr


def test_what_is_installed_in_place_is_not_compiled_by_the_build(tree: Path) -> None:
    command = [sys.executable, "-c", "from hatchling.build import build_editable; build_editable('../built')"]
    subprocess.run(command, cwd=tree, check=True, capture_output=True)
    (wheel,) = (tree.parent / "built").iterdir()
    assert wheel.name.endswith("-py3-none-any.whl")
    assert not (tree / "src" / PACKED).exists()


def test_the_source_distribution_holds_what_the_library_is_made_with(tree: Path, tmp_path: Path) -> None:
    shutil.unpack_archive(built(tree, "sdist", os.environ["PATH"]), tmp_path / "unpacked")
    (unpacked,) = (tmp_path / "unpacked").iterdir()
    assert not (unpacked / "src" / PACKED).exists()
    assert PACKED in packed(built(unpacked, "wheel", os.environ["PATH"]))
