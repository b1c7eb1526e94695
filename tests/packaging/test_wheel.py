import os
import subprocess
import zipfile
from pathlib import Path

import pytest

from tools.console import ROOT

SOURCE = ROOT / "src"


@pytest.fixture(scope="module")
def packed(built_wheel: Path) -> set[str]:
    with zipfile.ZipFile(built_wheel) as archive:
        return set(archive.namelist())


def test_the_wheel_holds_every_file_of_the_package(packed: set[str]) -> None:
    files = (file for file in (SOURCE / "webstrata").rglob("*") if file.is_file())
    expected = {file.relative_to(SOURCE).as_posix() for file in files if "__pycache__" not in file.parts}
    assert {name for name in packed if name.startswith("webstrata/")} == expected


@pytest.mark.parametrize(
    "pattern",
    [
        "webstrata/web/static/vendor/htmx.min.js",
        "webstrata/web/static/vendor/htmx-sse.min.js",
        "webstrata/web/replay_static/vendor/wabac.js",
        "webstrata/web/templates/*.html",
        "webstrata/web/static/*.css",
        "webstrata/db/migrations/versions/*.py",
        "webstrata/jobs/sources/baseline_sources.yaml",
        "webstrata/demo/content/edition1/*.toml",
        "webstrata/demo/content/edition2/*.toml",
        "webstrata/py.typed",
        "webstrata-*.dist-info/licenses/LICENSE",
    ],
)
def test_the_wheel_holds_what_the_program_reads_at_run_time(packed: set[str], pattern: str) -> None:
    assert [name for name in packed if Path(name).match(pattern)]


def test_the_wheel_holds_nothing_but_the_package_and_its_metadata(packed: set[str]) -> None:
    assert {Path(name).parts[0].partition("-")[0] for name in packed} == {"webstrata"}


def test_the_installed_command_shows_its_help(installed_webstrata: Path, tmp_path: Path) -> None:
    clean = {"PATH": os.defpath, "HOME": str(tmp_path)}
    result = subprocess.run(
        [installed_webstrata, "--help"], cwd=tmp_path, env=clean, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    assert "archive" in result.stdout


def test_the_old_name_is_installed_too(installed_webstrata: Path, tmp_path: Path) -> None:
    old_name = installed_webstrata.with_name("ha-backend")
    result = subprocess.run([old_name, "--help"], cwd=tmp_path, env={}, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "Usage: ha-backend" in " ".join(result.stdout.split())
