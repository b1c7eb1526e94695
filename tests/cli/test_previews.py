"""Pictures of front pages, which no command waits for."""

import subprocess
from pathlib import Path

import pytest

from tests.support.program import Program
from tests.support.waiting import wait_until
from tests.support.web_server import WebServer, page
from webstrata.cli.browser import previews_later
from webstrata.cli.browser.previews_later import ERRORS


@pytest.fixture
def picturing(tmp_path: Path, database_url: str) -> Program:
    return Program(tmp_path / "data", {"WEBSTRATA_DATABASE_URL": database_url, "WEBSTRATA_PREVIEWS": "true"})


def test_the_picture_of_a_front_page_is_taken_after_the_command(picturing: Program, web_server: WebServer) -> None:
    web_server.answers["/"] = page("Home")
    archived = picturing.run("archive", web_server.url())
    assert archived.returncode == 0, archived.stderr
    pictures = picturing.folder / "archive" / ".previews"
    wait_until(lambda: any(pictures.glob("1-*.jpg")), "the front page has a picture")
    assert (pictures / ERRORS).read_bytes() == b""


def test_a_picture_that_cannot_be_taken_costs_the_command_nothing_and_leaves_its_reason(
    picturing: Program, web_server: WebServer, tmp_path: Path
) -> None:
    broken = tmp_path / "chromium"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    web_server.answers["/"] = page("Home")
    program = Program(picturing.folder, {**picturing.environment, "WEBSTRATA_CHROMIUM": str(broken)})
    archived = program.run("archive", web_server.url())
    assert archived.returncode == 0, archived.stderr
    errors = picturing.folder / "archive" / ".previews" / ERRORS
    wait_until(lambda: b"preview.failed" in errors.read_bytes(), "the reason is in the log")


def test_a_process_that_cannot_be_started_is_logged(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    class Files:
        folder = tmp_path

    class Archive:
        def previews(self) -> Files:
            return Files()

    def refuse(*_command: object, **_how: object) -> None:
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    previews_later.start_preview(Archive(), 7)  # type: ignore[arg-type]
    assert "preview.failed" in capsys.readouterr().out
