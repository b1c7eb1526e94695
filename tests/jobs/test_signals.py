"""Jobs in processes of their own: stopped, killed, fought over."""

import signal
import threading
from collections import Counter
from pathlib import Path

import pytest

from tests.crawl.runs import archive_of, assert_sound
from tests.jobs.rows import job_row, status_of
from tests.support.program import Program, alive, children_of, free_port
from tests.support.waiting import wait_until
from tests.support.web_server import Answer, WebServer, linked_site, page, serving
from webstrata.db.engine import Database
from webstrata.jobs.running.queueing import queue_archive
from webstrata.model.crawl.tasks import TaskStatus

PAGES = 10
SOON_SECONDS = 30
PATIENCE_SECONDS = 90
"""A worker starts processes of its own, and a busy machine takes its time over each."""


@pytest.fixture
def program(database_url: str, tmp_path: Path) -> Program:
    return Program(tmp_path / "data", {"WEBSTRATA_DATABASE_URL": database_url})


@pytest.fixture
def held(web_server: WebServer) -> threading.Event:
    """A site whose pages 7, 8 and 9 do not answer before this is set."""
    event = threading.Event()
    web_server.answers |= linked_site(PAGES)
    for n in (7, 8, 9):
        quick = web_server.answers[f"/page/{n}"]
        assert isinstance(quick, Answer)
        web_server.answers[f"/page/{n}"] = (Answer(quick.body, waits_for=event), quick)
    return event


def under_way(web_server: WebServer) -> bool:
    return {"/page/7", "/page/8", "/page/9"} <= set(web_server.paths())


def captured(database: Database, program: Program) -> int:
    return len(archive_of(database, program.folder / "archive", 1).captures()) if status_of(database) else 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_archive_ends_in_seconds_and_the_same_command_continues(
    program: Program, database: Database, web_server: WebServer, held: threading.Event, number: signal.Signals
) -> None:
    with program.started("archive", web_server.url()) as archiving:
        wait_until(lambda: under_way(web_server) and captured(database, program) >= 15, "pages came back")
        archiving.signal(number)
        assert archiving.ended(SOON_SECONDS) == 130
        assert "Traceback" not in archiving.output
        assert "the same command again" in archiving.output
    held.set()
    row = job_row(database)
    assert row.status == "stopped"
    assert str(row.status_reason).startswith("stopped with")
    assert row.indexed_page_count > 0
    archive = archive_of(database, program.folder / "archive", 1)
    assert archive.urls(TaskStatus.IN_PROGRESS) == set()
    assert_sound(archive)
    had = {capture.url for capture in archive.captures()}
    before = Counter(web_server.paths())
    assert program.run("archive", web_server.url()).returncode == 0
    again = Counter(web_server.paths()) - before
    assert not {web_server.url(path) for path in again} & had
    assert archive.urls(TaskStatus.FINISHED) == {web_server.url(path) for path in linked_site(PAGES)}
    assert status_of(database) == "indexed"
    assert_sound(archive)


def test_a_second_process_follows_the_first_and_ends_as_it_does(
    program: Program, database: Database, web_server: WebServer, held: threading.Event
) -> None:
    with program.started("archive", web_server.url()) as first:
        wait_until(lambda: under_way(web_server), "the first is at work")
        led = f"job 1 is being worked on by another process (another command, process {first.process.pid} on"
        leaving, staying = program.started("archive", web_server.url()), program.started("archive", web_server.url())
        with leaving as third:
            wait_until(lambda: led in third.output, "the third follows")
            third.signal(signal.SIGINT)
            assert third.ended(SOON_SECONDS) == 130
            assert "the crawl of job 1 continues: watch it with webstrata show-job --id 1" in third.output
            assert third.output.splitlines()[-1].endswith("stop it with webstrata stop-job --id 1")
        assert status_of(database) == "running"
        with staying as second:
            wait_until(lambda: led in second.output, "the second follows")
            held.set()
            assert (first.ended(), second.ended()) == (0, 0)
            summary = first.output.partition("archived")[2]
            assert summary
            assert second.output.partition("archived")[2] == summary
    assert status_of(database) == "indexed"
    assert_sound(archive_of(database, program.folder / "archive", 1))


def test_a_follower_takes_over_when_the_leader_dies(
    program: Program, database: Database, web_server: WebServer, held: threading.Event
) -> None:
    with program.started("archive", web_server.url()) as first, program.started("archive", web_server.url()) as second:
        wait_until(lambda: "job 1 is being worked on" in first.output + second.output, "one follows the other")
        leads, follows = (second, first) if "being worked on" in first.output else (first, second)
        leads.kill()
        held.set()
        assert follows.ended() == 0
    assert status_of(database) == "indexed"
    assert_sound(archive_of(database, program.folder / "archive", 1))


def test_a_job_that_the_servers_worker_crawls_is_watched_where_it_is_served(
    program: Program, database: Database, web_server: WebServer, held: threading.Event
) -> None:
    port = free_port()
    with program.started("serve", "--port", str(port)) as server:
        queue_archive(database, program.folder / "archive", (web_server.url(),))
        wait_until(lambda: under_way(web_server), "the worker is at work")
        refused = program.run("run-db-job", "--id", "1")
        assert refused.returncode == 1
        assert "the server's worker, process" in refused.stderr
        ways_out = f"watch it at http://127.0.0.1:{port}/jobs/1, stop it with webstrata stop-job --id 1"
        assert refused.stderr.strip().endswith(ways_out)
        with program.started("archive", web_server.url()) as following:
            wait_until(lambda: ways_out in following.output, "it follows")
            held.set()
            assert following.ended() == 0
            assert "job 1, indexed" in following.output
        left = children_of(server.process.pid)
        server.kill()
        wait_until(lambda: not any(map(alive, left)), "its children have ended")


def test_an_idle_worker_leaves_at_once(program: Program) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        with program.started("worker", "--poll-interval", "60") as worker:
            wait_until(lambda: "worker.start" in worker.output, "the worker waits")
            worker.signal(number)
            assert worker.ended(SOON_SECONDS) == 0
            assert "worker.stop" in worker.output


def queue(database: Database, program: Program, web_server: WebServer) -> int:
    return queue_archive(database, program.folder / "archive", (web_server.url(),))


def test_a_stopped_worker_leaves_its_job_to_the_next(
    program: Program, database: Database, web_server: WebServer, held: threading.Event
) -> None:
    queue(database, program, web_server)
    with program.started("worker", "--poll-interval", "60") as worker:
        wait_until(lambda: under_way(web_server), "the worker is at work", PATIENCE_SECONDS)
        worker.signal(signal.SIGTERM)
        assert worker.ended(SOON_SECONDS) == 0
    held.set()
    row = job_row(database)
    assert (row.status, row.status_reason, row.stop_requested_at) == ("queued", "its worker ended", None)
    assert program.run("worker", "--once").returncode == 0
    assert status_of(database) == "indexed"
    assert_sound(archive_of(database, program.folder / "archive", 1))


def test_a_killed_workers_job_is_taken_up_by_the_next_worker_and_completed(
    program: Program, database: Database, web_server: WebServer, held: threading.Event
) -> None:
    queue(database, program, web_server)
    with program.started("worker") as worker:
        wait_until(
            lambda: under_way(web_server) and captured(database, program) >= 15, "pages came back", PATIENCE_SECONDS
        )
        left = children_of(worker.process.pid)
        worker.kill()
    assert left
    wait_until(lambda: not any(map(alive, left)), "its crawler has ended too")
    held.set()
    assert status_of(database) == "running"
    archive = archive_of(database, program.folder / "archive", 1)
    assert archive.urls(TaskStatus.IN_PROGRESS) == set(), "what was under way was given back"
    had = {capture.url for capture in archive.captures()}
    before = Counter(web_server.paths())
    with program.started("worker", "--poll-interval", "0.1") as worker:
        wait_until(lambda: status_of(database) == "indexed", "the job was completed", PATIENCE_SECONDS)
        worker.signal(signal.SIGTERM)
        assert worker.ended(SOON_SECONDS) == 0
    assert not {web_server.url(path) for path in Counter(web_server.paths()) - before} & had
    assert archive.urls(TaskStatus.FINISHED) == {web_server.url(path) for path in linked_site(PAGES)}
    assert_sound(archive)


def test_an_archive_beside_a_worker_is_not_taken_from_it(
    program: Program, database: Database, web_server: WebServer
) -> None:
    web_server.answers["/"] = page("Home")
    with program.started("worker", "--poll-interval", "0.1") as worker:
        wait_until(lambda: "worker.start" in worker.output, "the worker waits")
        for _ in range(2):
            ended = program.run("archive", web_server.url())
            assert ended.returncode == 0, ended.stderr
        with serving({"/": page("Other")}) as other:
            queue(database, program, other)
            wait_until(lambda: status_of(database, 3) == "indexed", "the worker still works", PATIENCE_SECONDS)
        worker.signal(signal.SIGTERM)
        assert worker.ended(SOON_SECONDS) == 0
        assert "job.under_way" not in worker.output
    assert {status_of(database, job_id) for job_id in (1, 2)} == {"indexed"}
