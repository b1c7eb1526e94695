"""A plugin of somebody else, in a wheel that was built and installed as any other."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.assets.archives import SITE, Archive, html, png
from tools.console import ROOT

PROJECT = Path(__file__).parent / "third_party"


def run(command: list[str | Path], **environment: str) -> subprocess.CompletedProcess[str]:
    result = subprocess.run(
        [str(part) for part in command],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that the wheel was installed into, and nothing else."""
    folder = tmp_path_factory.mktemp("third-party")
    project, wheels, target = folder / "project", folder / "wheels", folder / "installed"
    shutil.copytree(PROJECT, project)
    run([sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", wheels, project])
    (wheel,) = wheels.glob("*.whl")
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--isolated", "install", "--no-index", "--no-deps"]
    run([*pip, "--target", target, wheel])
    return target


def test_a_wheel_s_plugins_are_found_through_both_groups_and_used(archive: Archive, installed: Path) -> None:
    job = archive.job(html("/", "word by word"), png("/logo.png", b"logo"))
    url = archive.database.url.render_as_string(hide_password=False)
    done = run([sys.executable, "-m", "tests.assets.running", url, archive.root, str(job)], PYTHONPATH=str(installed))
    told = json.loads(done.stdout)
    assert told["plugins"] == ["page", "media", "listing", "words", "shout"]
    assert (told["summary"]["new"], told["summary"]["failed"]) == (5, 0)
    assert "this plugin needs a newer program" in done.stderr
    assert archive.content(f"words of {SITE}/", 1) == b"2\n"
    assert archive.content(f"shout of {SITE}/logo.png", 1) == b"LOGO"
    (version,) = archive.versions(f"words of {SITE}/")
    assert (version.tags, version.metadata, version.normalized_path) == (("words",), {"words": 2}, "words.txt")


def test_without_the_wheel_there_are_only_the_built_in_plugins(archive: Archive) -> None:
    job = archive.job(html("/", "word by word"))
    url = archive.database.url.render_as_string(hide_password=False)
    done = run([sys.executable, "-m", "tests.assets.running", url, archive.root, str(job)], PYTHONPATH="")
    assert json.loads(done.stdout)["plugins"] == ["page", "media", "listing"]
