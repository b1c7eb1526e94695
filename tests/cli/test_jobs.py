"""Jobs are stopped, resumed and shown from the command line."""

import re
import signal
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine
from tests.jobs.rows import job_row, set_row
from tests.support.program import Program, free_port
from tests.support.waiting import wait_until
from webstrata.coordination.presence import present
from webstrata.db.engine import Database
from webstrata.jobs.running.job_lease import hold_lease
from webstrata.jobs.running.queueing import queue_archive

SITE = "https://example.org/"


@pytest.fixture
def job_id(database: Database, data_dir: Path) -> int:
    return queue_archive(database, data_dir / "archive", (SITE,))


def test_a_queued_job_is_stopped_and_resumed(webstrata: CommandLine, database: Database, job_id: int) -> None:
    stopped = webstrata("stop-job", "--id", str(job_id))
    assert (stopped.code, stopped.out) == (0, f"job {job_id} is stopped; to continue: webstrata resume-job {job_id}\n")
    assert job_row(database, job_id).status == "stopped"
    resumed = webstrata("resume-job", "--id", str(job_id))
    assert resumed.code == 0
    assert resumed.out.startswith(f"job {job_id} is queued")
    assert job_row(database, job_id).status == "queued"


def test_a_running_job_is_asked_to_stop(
    webstrata: CommandLine, database: Database, data_dir: Path, job_id: int
) -> None:
    with present(data_dir / "archive") as owner, hold_lease(database, job_id, owner):
        stopped = webstrata("stop-job", "--id", str(job_id))
        assert stopped.out.startswith(f"job {job_id} stops within seconds")
        assert job_row(database, job_id).stop_requested_at is not None
        resumed = webstrata("resume-job", "--id", str(job_id))
        assert (resumed.code, resumed.message) == (1, "job 1 is running already")


def test_a_job_that_no_one_crawls_any_more_is_stopped_at_once_and_resumed(
    webstrata: CommandLine, database: Database, job_id: int
) -> None:
    set_row(database, job_id, status="running")
    assert webstrata("stop-job", "--id", str(job_id)).out.startswith(f"job {job_id} is stopped;")
    set_row(database, job_id, status="running", finished_at=None, crawler_status=None)
    assert webstrata("resume-job", "--id", str(job_id)).out.startswith(f"job {job_id} is queued;")


def test_a_stop_that_waits_for_a_worker_reports_it(webstrata: CommandLine, database: Database, job_id: int) -> None:
    config = {"seeds": [SITE], "tool_options": {"engine": "zimit"}}
    set_row(database, job_id, status="running", config=config)
    stopped = webstrata("stop-job", "--id", str(job_id))
    assert stopped.out.startswith(f"job {job_id} stops as soon as a worker ends the container")
    assert webstrata("resume-job", "--id", str(job_id)).code == 0
    assert job_row(database, job_id).stop_requested_at is None


@pytest.mark.parametrize(
    ("verb", "status", "message"),
    [
        ("stop-job", "indexed", "job 1 is indexed: there is no crawl to stop"),
        ("resume-job", "queued", "job 1 is queued already"),
    ],
)
def test_what_cannot_be_done_with_a_job_is_reported_in_a_line(
    webstrata: CommandLine, database: Database, job_id: int, verb: str, status: str, message: str
) -> None:
    set_row(database, job_id, status=status)
    ended = webstrata(verb, "--id", str(job_id))
    assert (ended.code, ended.message) == (1, message)


@pytest.mark.parametrize("verb", ["stop-job", "resume-job"])
def test_a_job_that_is_not_there_is_neither_stopped_nor_resumed(webstrata: CommandLine, verb: str) -> None:
    ended = webstrata(verb, "--id", "77")
    assert (ended.code, ended.message) == (1, "there is no job 77")
    assert webstrata(verb, "--id", str(2**31)).code == 2
    assert webstrata(verb).code == 2


def test_control_characters_of_a_site_do_not_reach_the_terminal(
    webstrata: CommandLine, database: Database, job_id: int
) -> None:
    set_row(database, job_id, status="failed", status_reason="503 \x1b]0;owned\x07 [bold]so\rsorry")
    for ended in (webstrata("show-job", "--id", str(job_id)), webstrata("list-jobs")):
        assert not re.search(r"[\x00-\x09\x0b-\x1f]", ended.out)
        assert r"\x1b" in ended.out
        assert "[bold]" in ended.out


def test_a_server_stops_although_someone_watches_a_job(program: Program, database: Database) -> None:
    watched = queue_archive(database, program.folder / "archive", (SITE,))
    port = free_port()
    with program.started("serve", "--no-worker", "--port", str(port)) as server:
        connection = HTTPConnection("127.0.0.1", port, timeout=30)
        wait_until(lambda: server.process.poll() is not None or _listens(connection), "it serves")
        connection.request("GET", f"/api/admin/jobs/{watched}/events")
        stream = connection.getresponse()
        assert b"event: progress\n" in _lines(stream, 3)
        server.signal(signal.SIGINT)
        assert server.ended(15) in (0, 130)
        assert server.output.endswith("Stopped.\n")
        connection.close()


def _listens(connection: HTTPConnection) -> bool:
    try:
        connection.connect()
    except OSError:
        return False
    return True


def _lines(stream: HTTPResponse, count: int) -> list[bytes]:
    return [stream.readline() for _ in range(count)]
