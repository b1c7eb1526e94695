"""The report that a run leaves beside its files."""

import errno
import json
import logging
import os
import platform
import threading
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import structlog

from tests.crawl.runs import CONFIG
from tests.jobs.rows import job_row, set_row
from tests.support.waiting import wait_until
from tests.support.web_server import Answer, WebServer, linked_site, page
from webstrata import __version__
from webstrata.db.captures import captures
from webstrata.db.engine import Database
from webstrata.db.queue import frontier, jobs, run_reports
from webstrata.errors import StorageError
from webstrata.jobs.progress import run_report
from webstrata.jobs.progress.run_report import RunEnd, report_path, write_run_report
from webstrata.jobs.running.lifecycle import Runner
from webstrata.jobs.running.queueing import queue_archive, request_stop, resume_job
from webstrata.logs import configure_logging
from webstrata.model.crawl.run_reports import CrawlReport, HostReport
from webstrata.model.crawl.tasks import Link
from webstrata.model.jobs.job import JobConfig, JobStatus

STARTED = datetime(2026, 5, 1, 12, tzinfo=UTC)
COMPLETED = RunEnd(JobStatus.COMPLETED, None, STARTED + timedelta(seconds=4))
REPORT = CrawlReport(8, 100, {"timeout": 2}, {"example.org": HostReport(8, 100, 2)}, 3.5)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "archive" / "site" / "job"
    made.mkdir(parents=True)
    return made


@pytest.fixture
def job_id(database: Database, folder: Path) -> int:
    """A job whose run has just ended."""
    config = JobConfig(
        ("https://user:hunter2@example.org/",),
        crawl={"max_pages": 5},
        scope={"deny_paths": ("/private",)},
        tool_options={"vpn_password": "s3cret"},
    )
    with database.write() as session:
        source = jobs.ensure_source(session, "site", name="Site", base_url=None)
        made = jobs.add_job(session, source, name="site-1", output_dir=str(folder), config=config, queued_at=STARTED)
        frontier.add_links(session, made, [Link("https://example.org/"), Link("https://example.org/a")], 0, STARTED)
        warc = captures.add_warc_file(session, made, "site/job/warcs/one.warc.gz")
        captures.acknowledge(session, warc, 1234)
        run_reports.write(session, made, "here:1:x", REPORT, datetime.now(UTC))
    set_row(database, made, status="running", started_at=STARTED)
    return made


def written(folder: Path, job_id: int) -> dict[str, Any]:
    found = json.loads((folder / f"run-{job_id}.json").read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def test_a_report_states_what_was_run_how_and_what_came_of_it(database: Database, job_id: int, folder: Path) -> None:
    write_run_report(database, job_id, COMPLETED, CONFIG)
    report = written(folder, job_id)
    assert report["run"] == {
        "id": job_id,
        "name": "site-1",
        "source": "site",
        "status": "completed",
        "reason": None,
        "started_at": "2026-05-01T12:00:00+00:00",
        "finished_at": "2026-05-01T12:00:04+00:00",
        "seconds": 4.0,
    }
    assert report["counts"] == {"pending": 2, "in_progress": 0, "finished": 0, "error": 0}
    assert report["report"] == {
        "responses": 8,
        "requisites": 0,
        "bytes": 100,
        "errors": {"timeout": 2},
        "hosts": {"example.org": {"responses": 8, "bytes": 100, "errors": 2}},
        "rate": 2.0,
    }
    assert report["warc_files"] == [{"path": "site/job/warcs/one.warc.gz", "bytes": 1234, "captures": 0}]


def test_the_configuration_is_the_effective_one(database: Database, job_id: int, folder: Path) -> None:
    write_run_report(database, job_id, COMPLETED, CONFIG.overridden({"max_pages": 5}))
    config = written(folder, job_id)["config"]
    assert config["crawl"]["max_pages"] == 5
    assert config["crawl"]["user_agent"] == CONFIG.user_agent
    assert config["scope"]["deny_paths"] == ["/private"]
    assert config["scope"]["allowed_domains"] == ["example.org:80", "example.org:443"]


def test_no_secret_is_in_a_report(database: Database, job_id: int, folder: Path) -> None:
    write_run_report(database, job_id, COMPLETED, CONFIG)
    text = (folder / f"run-{job_id}.json").read_text(encoding="utf-8")
    assert "hunter2" not in text
    assert "s3cret" not in text
    for part in (str(database.url.database), str(folder.parents[1])):
        assert part not in text


def test_the_environment_names_programs_and_the_kind_of_database(
    database: Database, database_kind: str, job_id: int, folder: Path
) -> None:
    write_run_report(database, job_id, COMPLETED, CONFIG)
    assert written(folder, job_id)["environment"] == {
        "webstrata": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "database": database_kind,
    }


def test_a_later_run_takes_the_place_of_an_earlier(database: Database, job_id: int, folder: Path) -> None:
    stopped = RunEnd(JobStatus.STOPPED, "stopped with 2 URLs to go", STARTED)
    write_run_report(database, job_id, stopped, CONFIG)
    assert written(folder, job_id)["run"]["reason"] == "stopped with 2 URLs to go"
    write_run_report(database, job_id, COMPLETED, CONFIG)
    assert written(folder, job_id)["run"]["status"] == "completed"
    assert [path.name for path in folder.iterdir()] == [f"run-{job_id}.json"]


def test_a_full_disk_costs_the_report_and_nothing_else(
    database: Database, job_id: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_run_report(database, job_id, COMPLETED, CONFIG)
    before = written(folder, job_id)
    faults = []

    def full(descriptor: int) -> None:
        faults.append(descriptor)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    failed = RunEnd(JobStatus.FAILED, "nothing could be fetched", STARTED)
    monkeypatch.setattr(os, "fsync", full)
    lines = _logged(lambda: write_run_report(database, job_id, failed, CONFIG))
    assert faults
    assert "run.report.failed" in lines
    assert "No space left on device" in lines
    assert written(folder, job_id) == before
    assert [path.name for path in folder.iterdir()] == [report_path(folder, job_id).name]


def run_report_of(runner: Runner, job_id: int) -> dict[str, Any]:
    return written(Path(job_row(runner.database, job_id).output_dir), job_id)


def test_a_run_that_is_completed_leaves_its_report(runner: Runner, web_server: WebServer) -> None:
    web_server.answers |= linked_site(3)
    job_id = queue_archive(runner.database, runner.archive_root, (web_server.url(),), crawl={"max_depth": 5})
    summary = runner.run(job_id)
    report = run_report_of(runner, job_id)
    assert (report["run"]["status"], report["run"]["id"]) == ("completed", job_id)
    assert report["counts"] == {"pending": 0, "in_progress": 0, "finished": 7, "error": 0}
    assert report["report"]["responses"] == 7
    assert list(report["report"]["hosts"]) == [web_server.origin.removeprefix("http://")]
    assert report["config"]["crawl"]["max_depth"] == 5
    (warc,) = report["warc_files"]
    assert (warc["captures"], warc["bytes"]) == (7, (runner.archive_root / warc["path"]).stat().st_size)
    assert report_path(summary.warc_folder.parent, job_id).is_file()


def test_a_run_that_failed_leaves_its_report(runner: Runner, web_server: WebServer) -> None:
    web_server.answers |= {"/": Answer(status=503), "/robots.txt": Answer(status=404)}
    job_id = queue_archive(runner.database, runner.archive_root, (web_server.url(),))
    assert runner.run(job_id).status is JobStatus.FAILED
    report = run_report_of(runner, job_id)
    assert report["run"]["status"] == "failed"
    assert "503" in report["run"]["reason"]
    assert report["report"]["errors"] == {"http_503": 1}
    assert report["warc_files"] == []


def test_a_run_that_was_stopped_leaves_its_report_and_the_next_one_its_own(
    runner: Runner, web_server: WebServer
) -> None:
    held = threading.Event()
    web_server.answers |= {"/": page("Home", "/slow"), "/slow": Answer(page("Slow").body, waits_for=held)}
    job_id = queue_archive(runner.database, runner.archive_root, (web_server.url(),))

    def stop() -> None:
        wait_until(lambda: "/slow" in web_server.paths(), "the slow page was asked for")
        request_stop(runner.recovery, job_id)

    stopping = threading.Thread(target=stop)
    stopping.start()
    runner.run(job_id)
    stopping.join()
    held.set()
    report = run_report_of(runner, job_id)
    assert (report["run"]["status"], report["run"]["reason"]) == ("stopped", "stopped with 1 URL to go")
    assert report["report"]["responses"] == 1
    resume_job(runner.recovery, job_id)
    runner.run(job_id)
    later = run_report_of(runner, job_id)
    assert (later["run"]["status"], later["counts"]["finished"], later["report"]["responses"]) == ("completed", 2, 1)
    assert later["run"]["started_at"] > report["run"]["finished_at"]


def test_a_run_whose_report_cannot_be_written_is_not_lost(
    runner: Runner, web_server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    web_server.answers |= linked_site(2)
    faults = []

    def refuse(path: Path, _data: bytes) -> None:
        faults.append(path)
        raise StorageError(f"{path}: No space left on device")

    monkeypatch.setattr(run_report, "write_atomically", refuse)
    job_id = queue_archive(runner.database, runner.archive_root, (web_server.url(),))
    assert runner.run(job_id).status is JobStatus.INDEXED
    assert faults


def _logged(work: Any) -> str:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    lines = StringIO()
    configure_logging(format="text", stream=lines)
    try:
        work()
    finally:
        root.handlers[:], root.level = handlers, level
        logging.captureWarnings(False)
        structlog.reset_defaults()
    return lines.getvalue()
