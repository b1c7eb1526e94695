"""kill -9 of the worker, the crawler and the indexer: the job ends indexed without a hand, nobody is left running."""

import os
import random
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from tests.crawl.runs import Archive, archive_of, assert_sound
from tests.jobs.rows import job_row, status_of
from tests.support.program import Program, Started, alive, children_of
from tests.support.waiting import wait_until
from tests.support.web_server import Answer, Request, Script, WebServer, linked_site
from webstrata.db.engine import Database
from webstrata.jobs.running.queueing import queue_archive
from webstrata.model.crawl.tasks import TaskStatus

PAGES = 15
PATIENCE_SECONDS = 100
SLOWNESS_SECONDS = 0.03


@pytest.fixture
def program(database_url: str, tmp_path: Path) -> Program:
    settings = {"WEBSTRATA_DATABASE_URL": database_url, "WEBSTRATA_CONCURRENCY": "2"}
    return Program(tmp_path / "data", {**settings, "WEBSTRATA_INDEX_WHILE_CRAWLING_SECONDS": "0.5"})


@pytest.fixture
def archive(program: Program, database: Database, web_server: WebServer) -> Archive:
    """A queued job of a site that takes its time."""
    web_server.answers |= {path: slowly(answer) for path, answer in linked_site(PAGES).items()}
    root = program.folder / "archive"
    return archive_of(database, root, queue_archive(database, root, (web_server.url(),)))


def slowly(answer: Script) -> Script:
    assert isinstance(answer, Answer)

    def answering(_request: Request) -> Answer:
        time.sleep(SLOWNESS_SECONDS)
        return answer

    return answering


def working_for(worker: Started, verb: str, but_not: str = "--help-only") -> list[int]:
    """Return the processes among a worker's that do something."""
    found = []
    for pid in children_of(worker.process.pid):
        with suppress(OSError):
            told = Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
            if verb in told and but_not not in told:
                found.append(pid)
    return found


def kill(pids: list[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def assert_complete(archive: Archive, database: Database, web_server: WebServer) -> None:
    """Make sure that the archive is what an uninterrupted run leaves."""
    row = job_row(database, archive.job_id)
    assert (row.status, row.retry_count, row.indexed_page_count) == ("indexed", 0, PAGES + 1)
    assert archive.urls(TaskStatus.FINISHED) == {web_server.url(path) for path in linked_site(PAGES)}
    assert_sound(archive)


def run_to_the_end(program: Program, database: Database, seen: set[int]) -> None:
    """Let a worker finish what there is, and make sure that it leaves nobody behind."""
    with program.started("worker", "--poll-interval", "0.1") as worker:
        wait_until(lambda: "worker.start" in worker.output, "the worker is there", PATIENCE_SECONDS)
        wait_until(lambda: status_of(database) == "indexed", f"it is indexed\n{worker.output}", PATIENCE_SECONDS)
        seen |= children_of(worker.process.pid)
        worker.signal(signal.SIGTERM)
        assert worker.ended() == 0, worker.output
        assert "Traceback" not in worker.output
    wait_until(lambda: not any(map(alive, seen)), "nothing is left running", 20)


def test_a_killed_crawler_and_a_killed_indexer_are_followed_by_others_without_a_hand(
    program: Program, database: Database, web_server: WebServer, archive: Archive
) -> None:
    with program.started("worker", "--poll-interval", "0.1") as worker:
        wait_until(lambda: len(archive.captures()) > 3, "pages came back", PATIENCE_SECONDS)
        kill(working_for(worker, "webstrata.archive_tool"))

        def indexer_is_killed() -> bool:
            found = working_for(worker, "index-job", but_not="--so-far")
            kill(found)
            return bool(found)

        wait_until(indexer_is_killed, "the indexer was killed", PATIENCE_SECONDS)
        wait_until(lambda: status_of(database) == "indexed", f"it is indexed\n{worker.output}", PATIENCE_SECONDS)
        assert "crawl.died" in worker.output
        assert "index.died" in worker.output
    assert_complete(archive, database, web_server)
    row = job_row(database)
    logs = [file.name for file in Path(row.output_dir).glob("*.combined.log")]
    assert (len(logs), row.crawler_stage, row.crawler_exit_code) == (2, "resume_crawl", 0), worker.output


def test_a_job_whose_worker_was_killed_is_stopped_at_once_and_its_crawler_leaves_nothing_behind(
    program: Program, database: Database, web_server: WebServer, archive: Archive
) -> None:
    with program.started("worker", "--poll-interval", "0.1") as worker:
        wait_until(lambda: len(archive.captures()) > 3, "pages came back", PATIENCE_SECONDS)
        crawlers = children_of(worker.process.pid)
        kill([worker.process.pid])
        stopped = program.run("stop-job", "--id", "1")
        assert stopped.stdout == "job 1 is stopped; to continue: webstrata resume-job 1\n", stopped.stderr
        assert job_row(database).status_reason == "stopped while it waited to continue (its worker died)"
        wait_until(lambda: not any(map(alive, crawlers)), "the crawler has ended", 20)
    assert status_of(database) == "stopped"
    assert archive.urls(TaskStatus.IN_PROGRESS) == set()
    assert program.run("worker", "--once").returncode == 0
    row = job_row(database)
    assert (row.status, row.indexed_page_count > 3) == ("stopped", True), "what it brought is indexed"
    assert program.run("resume-job", "--id", "1").returncode == 0
    run_to_the_end(program, database, set())
    assert_complete(archive, database, web_server)


def kill_at_random(program: Program, database: Database, chance: random.Random, seen: set[int]) -> bool:
    """Let a worker work for a moment, then kill it, its crawler or its indexer; tell whether the job is done."""
    with program.started("worker", "--poll-interval", "0.1") as worker:
        wait_until(lambda: "worker.start" in worker.output, "the worker is there", PATIENCE_SECONDS)
        moment = time.monotonic() + chance.uniform(0, 3)
        wait_until(lambda: time.monotonic() > moment or status_of(database) == "indexed", "some time passed")
        seen |= children_of(worker.process.pid)
        victims: list[Callable[[], list[int]]] = [
            lambda: [worker.process.pid],
            lambda: working_for(worker, "webstrata.archive_tool"),
            lambda: working_for(worker, "index-job"),
        ]
        kill(chance.choice(victims)())
        return status_of(database) == "indexed"


def killed_again_and_again(program: Program, database: Database, rounds: int, seed: int) -> None:
    chance, seen = random.Random(seed), set[int]()
    for _ in range(rounds):
        if kill_at_random(program, database, chance, seen):
            break
    run_to_the_end(program, database, seen)


def test_random_kills_change_nothing(
    program: Program, database: Database, web_server: WebServer, archive: Archive
) -> None:
    killed_again_and_again(program, database, rounds=2, seed=4)
    assert_complete(archive, database, web_server)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10))
def test_many_random_kills_change_nothing(
    program: Program, database: Database, web_server: WebServer, archive: Archive, seed: int
) -> None:
    killed_again_and_again(program, database, rounds=10, seed=seed)
    assert_complete(archive, database, web_server)
