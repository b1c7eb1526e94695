"""Who changed what, as a person at a terminal meets it; every command that changes something is in it."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine
from tests.web.archive import Answer, write_warc


@pytest.fixture
def lines(plain_webstrata: CommandLine, sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """Command lines on one kind of database: what is said does not depend on it."""
    monkeypatch.setenv("WEBSTRATA_DATABASE_URL", sqlite_url)
    return plain_webstrata


def logged(webstrata: CommandLine) -> list[tuple[str, str, str]]:
    found = json.loads(webstrata("audit-log", "--json", "--limit", "100").out)
    return [(entry["actor"], entry["action"], entry["target"]) for entry in reversed(found)]


def test_nothing_was_changed_yet_in_a_new_archive(lines: CommandLine) -> None:
    assert lines("audit-log").out == "The audit log is empty.\n"
    assert lines("audit-log", "--target", "job:1").out == "No matching entries.\n"
    assert json.loads(lines("audit-log", "--json").out) == []


def test_every_command_that_changes_something_is_written_down(webstrata: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "sources.yaml"
    file.write_text("other:\n  name: Other\n  seeds: [https://other.example/]\n")
    for command in (
        ("sources", "add", "site", "example.org"),
        ("sources", "import", str(file)),
        ("sources", "schedule", "site", "7d"),
        ("sources", "pause", "site"),
        ("sources", "resume", "site"),
        ("sources", "parameters", "site", "id"),
        ("regroup", "--source", "site"),
        ("sources", "disable", "site"),
        ("sources", "enable", "site"),
        ("sources", "remove", "other"),
        ("sources", "run", "site"),
        ("stop-job", "--id", "1"),
        ("resume-job", "--id", "1"),
    ):
        assert webstrata(*command).code == 0, command
    site, job = "source:site", "job:1"
    assert logged(webstrata) == [
        ("command line", action, target)
        for action, target in (
            ("source.add", site),
            ("source.add", "source:other"),
            ("source.schedule", site),
            ("source.pause", site),
            ("source.resume", site),
            ("source.parameters", site),
            ("source.regroup", site),
            ("source.disable", site),
            ("source.enable", site),
            ("source.remove", "source:other"),
            ("job.create", job),
            ("job.stop", job),
            ("job.resume", job),
        )
    ]


def test_folders_indexes_and_rebuilds_are_written_down(lines: CommandLine, data_dir: Path, tmp_path: Path) -> None:
    lines("sources", "add", "site", "example.org")
    folder = tmp_path / "warcs"
    folder.mkdir()
    write_warc(folder / "a.warc.gz", [Answer("https://example.org/", "Hello", "Hello, world.")])
    registered = ("register-job-dir", "--source", "site", "--output-dir", str(folder), "--index")
    assert lines(*registered).code == 0
    assert lines("rebuild", "--missing").code == 0
    assert [entry[1:] for entry in logged(lines)][1:] == [
        *(("job.register", "job:1"), ("job.index", "job:1"), ("archive.rebuild", "archive")),
    ]


def test_an_entry_states_when_who_and_what_in_one_line(lines: CommandLine) -> None:
    lines("sources", "add", "site", "example.org")
    lines("sources", "schedule", "site", "7d")
    newest, oldest = lines("audit-log").out.splitlines()
    assert "Z  source.schedule source:site  by command line  " in newest
    assert json.loads(newest.partition("command line")[2]) == {
        "before": {"schedule": None},
        "after": {"schedule": "7d"},
    }
    assert "source.add source:site" in oldest
    assert lines("audit-log", "--limit", "1").out.splitlines()[-1] == "1 more: --offset 1"
    assert "source.add" in lines("audit-log", "--limit", "1", "--offset", "1").out
    assert len(lines("audit-log", "--action", "source.add").out.splitlines()) == 1
