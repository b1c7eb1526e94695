"""Jobs without a source: shown, stopped and resumed like others, but neither picked by workers nor indexed."""

import json
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine
from tests.jobs.rows import job_row, set_row
from tests.web.archive import Answer, write_warc
from webstrata.db.engine import Database
from webstrata.db.queue import jobs
from webstrata.db.schema.tables import ArchiveJob

SEED = "https://health.example/"
NO_SOURCE = "job 1 has no source: webstrata register-job-dir --source CODE --output-dir FOLDER gives it one"


@pytest.fixture
def folder(database: Database, data_dir: Path) -> Path:
    """The folder of a queued job without a source; its parent is there, and the folder itself is not."""
    folder = data_dir / "archive" / "unsorted" / "one"
    folder.parent.mkdir(parents=True)
    with database.write() as session:
        config = {"seeds": [SEED]}
        session.add(ArchiveJob(name="one", output_dir=str(folder), config=config, queued_at=datetime.now(UTC)))
    return folder


def test_a_job_without_a_source_is_shown_stopped_resumed_and_tried_again(
    webstrata: CommandLine, database: Database, folder: Path
) -> None:
    assert " –  " in webstrata("list-jobs").out
    (listed,) = json.loads(webstrata("list-jobs", "--json").out)
    shown = json.loads(webstrata("show-job", "--id", "1", "--json").out)
    assert [(job["id"], job["name"], job["source_code"]) for job in (listed, shown)] == [(1, "one", "")] * 2
    assert webstrata("show-job", "--id", "1").code == 0
    assert webstrata("stop-job", "--id", "1").out.startswith("job 1 is stopped")
    assert webstrata("resume-job", "--id", "1").out.startswith("job 1 is queued")
    set_row(database, status="failed")
    assert webstrata("retry-job", "--id", "1").out.startswith("job 1 is retryable")
    assert webstrata("status").code == 0


@pytest.mark.parametrize("status", ["completed", "stopped", "index_failed", "indexed"])
def test_a_job_without_a_source_cannot_be_indexed(
    webstrata: CommandLine, database: Database, folder: Path, status: str
) -> None:
    set_row(database, status=status)
    ended = webstrata("index-job", "--id", "1")
    assert (ended.code, ended.message) == (1, NO_SOURCE)
    assert job_row(database).status == status


def test_no_worker_picks_a_job_without_a_source(database: Database, folder: Path) -> None:
    now = datetime.now(UTC)
    with database.read() as session:
        assert jobs.next_in_line(session, now) is None
    set_row(database, status="completed")
    with database.read() as session:
        assert jobs.next_to_index(session, now) is None


def test_the_built_in_crawler_refuses_a_job_without_a_source(
    webstrata: CommandLine, database: Database, folder: Path
) -> None:
    ended = webstrata("run-db-job", "--id", "1")
    assert (ended.code, ended.message) == (1, NO_SOURCE)
    assert (job_row(database).status, job_row(database).status_reason) == ("failed", NO_SOURCE)


def test_another_tool_crawls_a_job_without_a_source_into_a_new_folder_and_a_source_can_be_given_later(
    webstrata: CommandLine, database: Database, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_warc(tmp_path / "one.warc.gz", [Answer(SEED, "Fever", "What to do about a fever.")])
    copied = f"shutil.copy({str(tmp_path / 'one.warc.gz')!r}, {str(folder)!r})"
    monkeypatch.setenv("HEALTHARCHIVE_TOOL_CMD", f'{sys.executable} -c "import shutil; {copied}"')
    ended = webstrata("run-db-job", "--id", "1")
    assert (ended.code, ended.out) == (0, "job 1 is completed\n"), ended.err
    assert webstrata("sources", "add", "health", SEED).code == 0
    registered = webstrata("register-job-dir", "--source", "health", "--output-dir", str(folder), "--index")
    assert registered.code == 0, registered.err
    row = job_row(database)
    assert (row.id, row.status, row.indexed_page_count) == (1, "indexed", 1)
    assert webstrata("register-job-dir", "--source", "health", "--output-dir", str(folder)).code == 1
