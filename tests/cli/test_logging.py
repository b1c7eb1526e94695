"""What commands log: those that end by themselves only what a person must know, those that stay everything."""

import json
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine
from tests.support.program import Program, free_port, listens
from tests.support.waiting import wait_until
from tests.support.web_server import WebServer, linked_site, page


def test_a_command_that_ends_by_itself_logs_nothing_unless_asked(program: Program, web_server: WebServer) -> None:
    web_server.answers.update(linked_site(3))
    for command in (
        ("archive", web_server.url()),
        ("run-job", "--name", "one", "--seeds", web_server.url("/page/0")),
        ("index-job", "--id", "1", "--again"),
        ("search", "marmalade"),
    ):
        ended = program.run(*command)
        assert (ended.returncode, ended.stderr) == (0, ""), command
        assert ended.stdout
    (log, *_) = (program.folder / "archive").rglob("*.combined.log")
    assert "crawl.end" in log.read_text(encoding="utf-8"), "the log file still has every line"
    asked = replace(program, settings={**program.settings, "WEBSTRATA_LOG_LEVEL": "INFO"})
    lines = asked.run("archive", web_server.url()).stderr.splitlines()
    assert "crawl.start" in [json.loads(line)["event"] for line in lines]


def test_what_it_warns_of_is_text_for_people(
    plain_webstrata: CommandLine, monkeypatch: pytest.MonkeyPatch, data_dir: Path
) -> None:
    monkeypatch.setenv("HEALTHARCHIVE_MOTTO", "onwards")
    monkeypatch.setenv("HEALTHARCHIVE_CHANGE_TRACKING_ENABLED", "1")
    for verb in ("check-env", "list-jobs"):
        (line,) = plain_webstrata(verb).err.splitlines()
        assert "WARNING settings.ignored" in line
        assert "HEALTHARCHIVE_MOTTO" in line
        assert "CHANGE_TRACKING" not in line
    monkeypatch.setenv("HEALTHARCHIVE_LOG_LEVEL", "CRITICAL")
    assert plain_webstrata("list-jobs").err == ""


def test_a_worker_and_what_it_starts_log_every_step(program: Program, web_server: WebServer) -> None:
    web_server.answers["/"] = page("Home")
    assert program.run("sources", "add", "home", web_server.url()).returncode == 0
    assert program.run("create-job", "--source", "home").returncode == 0
    lines = program.run("worker", "--once").stderr.splitlines()
    assert {"crawl.start", "crawl.end"} <= {json.loads(line)["event"] for line in lines}


def test_the_server_behind_serve_keeps_its_chatter_to_itself(program: Program) -> None:
    port = free_port()
    with program.started("serve", "--port", str(port), "--no-worker") as server:
        wait_until(lambda: listens(port), "it serves")
        server.signal(signal.SIGINT)
        server.ended()
        lines = [line for line in server.output.splitlines() if not line.startswith("{")]
        assert "granian" not in server.output.lower()
        assert "Spawning" not in server.output
    assert lines == [f"Serving on http://127.0.0.1:{port}/ (Ctrl-C to stop)", "Stopped."]
