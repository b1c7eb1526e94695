"""The installed program does its main job, with nothing around it but what the wheel requires."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.warcs import records
from tests.support.web_server import WebServer, linked_site

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(installed_webstrata: Path, tmp_path: Path) -> Run:
    environment = {
        "PATH": os.defpath,
        "HOME": str(tmp_path),
        "WEBSTRATA_DATA_DIR": str(tmp_path / "data"),
        "WEBSTRATA_ALLOW_PRIVATE_NETWORKS": "127.0.0.1/32",
    }

    def run_program(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [str(installed_webstrata), *arguments]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    return run_program


def test_the_installed_program_explains_itself(run: Run) -> None:
    shown = run("--help")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "archive" in shown.stdout


def test_the_installed_program_archives_a_site_and_finds_what_it_says(
    run: Run, web_server: WebServer, tmp_path: Path
) -> None:
    web_server.answers |= linked_site(3)
    archived = run("archive", web_server.url())
    assert archived.returncode == 0, archived.stderr
    (warc,) = (tmp_path / "data" / "archive").rglob("*.warc.gz")
    captured = {record.url for record in records(warc) if record.kind == "response"}
    assert captured == {web_server.url(path) for path in linked_site(3)}
    found = json.loads(run("search", "marmalade", "number2", "--json").stdout)
    assert found["results"][0]["url"] == web_server.url("/page/2")
