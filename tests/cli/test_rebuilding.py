"""`rebuild`, as its user sees it."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine
from tests.support.fetched import fetched, write_warc
from webstrata.jobs.folders.manifest import JOB_FILE


@pytest.fixture
def folder(data_dir: Path) -> Path:
    """The folder of a job of which nothing but its WARC file is left."""
    folder = data_dir / "archive" / "hc" / "20260101T120000Z__hc-20260101"
    page = "<title>Measles</title><p>Two doses.</p>"
    write_warc(folder / "warcs" / "one.warc.gz", [fetched("https://example.org/measles", page)])
    return folder


def test_a_rebuild_states_what_it_would_make_and_then_makes_it(webstrata: CommandLine, folder: Path) -> None:
    planned = webstrata("rebuild", "--dry-run")
    assert planned.code == 0
    assert f"job new of hc: hc-20260101, 1 WARC file in {folder}" in planned.out
    assert "1 source and 1 job would be restored" in planned.out
    assert not (folder / JOB_FILE).exists()
    made = webstrata("rebuild")
    assert made.code == 0
    assert "added 1 source and 1 job, indexed 1" in made.out
    assert "1 source, 1 job, 1 capture, 1 snapshot, 0 records that could not be read" in made.out
    assert "Measles" in webstrata("search", "doses").out
    assert (folder / JOB_FILE).exists(), "what was found out is written down"


def test_scripts_can_read_what_a_rebuild_made(webstrata: CommandLine, folder: Path) -> None:
    planned = json.loads(webstrata("rebuild", "--dry-run", "--json").out)
    assert planned["jobs"][0] == {
        "id": None,
        "source": "hc",
        "name": "hc-20260101",
        "output_dir": str(folder),
        "status": "indexed",
        "warc_files": 1,
    }
    made = json.loads(webstrata("rebuild", "--json").out)
    assert made["added"] == {"sources": 1, "jobs": 1, "indexed_jobs": 1}
    assert (made["totals"]["snapshots"], made["problems"], made["interrupted"]) == (1, [], False)
    assert made["change_events"] == json.loads(webstrata("changes", "--json").out)["total"] == 1


def test_problems_are_reported_and_end_in_failure(webstrata: CommandLine, folder: Path) -> None:
    (folder / JOB_FILE).write_text("{")
    ended = webstrata("rebuild")
    assert ended.code == 1
    assert f"problem: {folder / JOB_FILE}: it is not JSON" in ended.out
    assert "indexed 1" in ended.out


def test_an_empty_archive_is_no_success(webstrata: CommandLine, data_dir: Path) -> None:
    (data_dir / "archive").mkdir(parents=True)
    ended = webstrata("rebuild")
    assert (ended.code, ended.out) == (1, "")
    assert ended.message.startswith(f"there is nothing to rebuild from in {data_dir / 'archive'}")
