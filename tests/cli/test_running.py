"""`run`, `serve` and the worker beside them: real processes, with the demo site on its one port."""

import json
import os
import signal
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.demo.edits import made_edits, shown_edits
from tests.jobs.rows import status_of
from tests.support.databases import FreshDatabase
from tests.support.program import PYTHON, Program, Started, alive, children_of, free_port
from tests.support.waiting import wait_until
from tests.support.web_server import Answer, WebServer, linked_site, page
from webstrata.db.changes.change_lists import diff_of_event
from webstrata.db.engine import Database
from webstrata.demo.server import serve_demo
from webstrata.demo.site import DEMO_ORIGIN
from webstrata.jobs.running.queueing import queue_archive
from webstrata.model.urls import url_group

pytestmark = pytest.mark.usefixtures("demo_port")

SOON_SECONDS = 30


@dataclass(frozen=True)
class FirstStart:
    """What the first `webstrata run` printed, served and left."""

    program: Program
    output: str
    home_page: str
    found: dict[str, object]
    jobs: list[dict[str, object]]
    exit_code: int


@pytest.fixture(scope="module")
def first_start(fresh_database_url: FreshDatabase, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FirstStart]:
    with fresh_database_url() as url:
        settings = {"WEBSTRATA_DATABASE_URL": url, "WEBSTRATA_ALLOW_PRIVATE_NETWORKS": ""}
        yield started_first(Program(tmp_path_factory.mktemp("demo"), settings))


def started_first(program: Program) -> FirstStart:
    with serving(program, "run") as (server, port):
        home_page = str(answer(port, "/"))
        found = json.loads(str(answer(port, "/api/search?q=fever&view=pages")))
        known = jobs(program)
        server.signal(signal.SIGINT)
        exit_code = server.ended(SOON_SECONDS)
        return FirstStart(program, server.output, home_page, found, known, exit_code)


@pytest.fixture
def demo(first_start: FirstStart) -> Program:
    """The program over an archive of the demo site."""
    return first_start.program


def answer(port: int, path: str) -> str | None:
    """Return what is served, or None while nothing is."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as response:
            return str(response.read().decode())
    except urllib.error.HTTPError:
        raise
    except OSError:
        return None


@contextmanager
def serving(program: Program, *arguments: str) -> Iterator[tuple[Started, int]]:
    """Start something that serves, and wait until it does."""
    port = free_port()
    with program.started(*arguments, "--port", str(port)) as server:
        wait_until(lambda: gone(server) or answer(port, "/api/health") is not None, "it serves")
        assert not gone(server), server.output
        try:
            yield server, port
        finally:
            left = children_of(server.process.pid)
            server.kill()
            wait_until(lambda: not any(map(alive, left)), "its children have ended")


def gone(server: Started) -> bool:
    return server.process.poll() is not None


def jobs(program: Program) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(program.run("list-jobs", "--json").stdout)
    return sorted(found, key=lambda job: str(job["id"]))


def test_the_first_start_archives_both_editions_and_serves_them(first_start: FirstStart) -> None:
    printed = first_start.output
    assert printed.index("edition 1 (job 1, indexed)") < printed.index("edition 2 (job 2, indexed)")
    assert printed.index("edition 2 (job 2, indexed)") < printed.index("Serving on http://127.0.0.1:")
    assert "changed  0 pages" not in printed.partition("edition 2")[2]
    assert "Northvale" in first_start.home_page
    assert first_start.found["total"] != 0
    assert [job["status"] for job in first_start.jobs] == ["indexed", "indexed"]
    assert first_start.exit_code in (0, 130)
    assert "Traceback" not in printed


def test_a_second_start_archives_the_second_edition_and_keeps_what_is_there(first_start: FirstStart) -> None:
    demo = first_start.program
    before = {file: file.read_bytes() for file in demo.folder.rglob("*.warc.gz")}
    with serving(demo, "run") as (server, _):
        assert "edition 1" not in server.output
        assert "edition 2 (job 3, indexed)" in server.output
        assert "new  0 pages" in server.output
    assert jobs(demo)[:2] == first_start.jobs
    assert {file: file.read_bytes() for file in before} == before


def test_the_changes_of_the_demo_are_exactly_the_edits_that_were_made(first_start: FirstStart) -> None:
    program, made = first_start.program, made_edits()
    listed = json.loads(program.run("changes", "--json", "--limit", "1000").stdout)
    events = {event["normalized_url_group"]: event for event in listed["results"] if event["to_job_id"] == 2}
    kinds = {group: event["change_type"] for group, event in events.items()}
    other = {"/en/news/flu-clinics": "unavailable", "/en/news/thermometer-recall": "new_page"}
    assert kinds == dict.fromkeys(made, "updated") | {url_group(DEMO_ORIGIN + path): other[path] for path in other}
    database = Database(program.settings["WEBSTRATA_DATABASE_URL"])
    with database.read() as session:
        shown = {group: shown_edits(str(diff_of_event(session, events[group]["id"]))) for group in made}
    database.dispose()
    assert shown == made
    assert listed["template_changes"] == []
    fever = events[url_group(f"{DEMO_ORIGIN}/en/guidance/fever-in-children")]
    assert "a dose changed: 4 hours, 5 doses, 75 mg/kg → 6 hours, 4 doses, 60 mg/kg" in [
        reason["text"] for reason in fever["reasons"]
    ]


@pytest.mark.parametrize(
    ("number", "to_all"),
    [(signal.SIGINT, False), (signal.SIGINT, True), (signal.SIGTERM, False)],
    ids=["SIGINT", "Ctrl-C in a terminal", "SIGTERM"],
)
def test_a_stop_leaves_no_process_behind(demo: Program, number: signal.Signals, to_all: bool) -> None:
    with serving(demo, "serve") as (server, port):
        children = children_of(server.process.pid)
        assert len(children) >= 2
        if to_all:
            os.killpg(server.process.pid, number)
        else:
            server.signal(number)
        assert server.ended(SOON_SECONDS) in (0, 130)
        assert not any(map(alive, children))
        assert answer(port, "/api/health") is None
        assert server.output.endswith("Stopped.\n")
        assert "Traceback" not in server.output


def test_a_stop_of_all_processes_at_once_is_no_failure(demo: Program) -> None:
    """As a service manager does it; here the server is the last to notice."""
    with serving(demo, "serve") as (server, _):
        everyone = {server.process.pid, *children_of(server.process.pid)}
        server.signal(signal.SIGSTOP)
        for pid in everyone:
            os.kill(pid, signal.SIGTERM)
        wait_until(lambda: sum(map(alive, everyone)) == 1, "its children have ended", SOON_SECONDS)
        server.signal(signal.SIGCONT)
        assert server.ended(SOON_SECONDS) == 0
        assert "Stopped.\n" in server.output


def test_a_closed_terminal_ends_the_server(demo: Program) -> None:
    with serving(replace(demo, command=("env", "--default-signal=HUP", *PYTHON)), "serve") as (server, port):
        children = children_of(server.process.pid)
        server.signal(signal.SIGHUP)
        assert server.ended(SOON_SECONDS) == 0
        assert not any(map(alive, children))
        assert answer(port, "/api/health") is None


def test_a_server_that_nohup_started_outlives_its_terminal(demo: Program) -> None:
    with serving(replace(demo, command=("nohup", *PYTHON)), "serve", "--no-worker") as (server, port):
        server.signal(signal.SIGHUP)
        wait_until(lambda: answer(port, "/api/health") is not None, "it serves on")
        server.signal(signal.SIGTERM)
        assert server.ended(SOON_SECONDS) == 0


def test_a_killed_server_leaves_no_process_behind_either(demo: Program) -> None:
    with serving(demo, "serve") as (server, port):
        children = children_of(server.process.pid)
        assert len(children) >= 2
        server.kill()
        wait_until(lambda: not any(map(alive, children)), "its children have ended", SOON_SECONDS)
        assert answer(port, "/api/health") is None


def test_a_killed_servers_job_is_taken_up_by_the_next_worker(
    program: Program, database: Database, web_server: WebServer
) -> None:
    held = threading.Event()
    web_server.answers |= {**linked_site(3), "/page/1": (Answer(waits_for=held), page("Page 1"))}
    with serving(program, "serve") as (server, _):
        queue_archive(database, program.folder / "archive", (web_server.url(),))
        wait_until(lambda: "/page/1" in web_server.paths(), "the worker is at work")
        children = children_of(server.process.pid)
        server.kill()
        wait_until(lambda: not any(map(alive, children)), "its children have ended", SOON_SECONDS)
    held.set()
    # Its worker may have had the time to put the job back in line.
    assert status_of(database) in ("running", "queued")
    assert program.run("worker", "--once").returncode == 0
    assert status_of(database) == "indexed"


def test_the_demo_states_when_its_port_is_taken(demo: Program) -> None:
    with serve_demo(1):
        ended = demo.run("run", "--port", str(free_port()))
    assert ended.returncode == 1
    assert f"webstrata: the demo site needs {DEMO_ORIGIN}, but another program listens there\n" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_site_is_archived_and_served_in_one_go(program: Program, database: Database, web_server: WebServer) -> None:
    web_server.answers |= linked_site(3)
    with serving(program, "run", web_server.url()) as (server, port):
        assert f"archived  {web_server.url()} (job 1, indexed)" in server.output
        assert json.loads(str(answer(port, "/api/search?q=marmalade&view=pages")))["total"] == 3
    assert status_of(database) == "indexed"


def test_the_worker_beside_a_server_runs_what_is_queued(
    program: Program, database: Database, web_server: WebServer
) -> None:
    web_server.answers |= linked_site(3)
    with serving(program, "serve") as (_, port):
        queue_archive(database, program.folder / "archive", (web_server.url(),))
        wait_until(lambda: status_of(database) == "indexed", "the job was run")
        assert json.loads(str(answer(port, "/api/search?q=marmalade&view=pages")))["total"] == 3


def workers_beside(server: Started) -> list[int]:
    """Return the workers among a server's processes."""
    found = []
    for pid in children_of(server.process.pid):
        try:
            if b"\0worker\0" in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(pid)
        except OSError:
            continue
    return found


def test_a_worker_that_dies_beside_a_server_is_followed_by_another(
    program: Program, database: Database, web_server: WebServer
) -> None:
    web_server.answers |= linked_site(3)
    with serving(program, "serve") as (server, _):
        wait_until(lambda: len(workers_beside(server)) == 1, "a worker is there")
        (first,) = workers_beside(server)
        os.kill(first, signal.SIGKILL)
        queue_archive(database, program.folder / "archive", (web_server.url(),))
        wait_until(lambda: status_of(database) == "indexed", "the job was run")
        (second,) = workers_beside(server)
        server.signal(signal.SIGINT)
        server.ended(SOON_SECONDS)
    assert not alive(second)


def test_without_a_worker_what_is_queued_stays_queued(
    program: Program, database: Database, web_server: WebServer
) -> None:
    with serving(program, "serve", "--no-worker") as (server, port):
        queue_archive(database, program.folder / "archive", (web_server.url(),))
        assert workers_beside(server) == []
        assert answer(port, "/") is not None
        server.signal(signal.SIGINT)
        server.ended(SOON_SECONDS)
    assert (status_of(database), web_server.requests) == ("queued", [])
