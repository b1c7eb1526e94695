"""Kill -9 at any moment, start again: the archive is what an undisturbed run would have left."""

import random
import subprocess
import sys
import threading
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import func, select

from tests.crawl.runs import Archive, archive_of, assert_sound
from tests.support.program import Program, Started
from tests.support.waiting import wait_until
from tests.support.web_server import Answer, WebServer, linked_site
from webstrata.coordination.permits import DatabasePermits
from webstrata.db.engine import Database
from webstrata.db.schema.tables import ArchiveJob, Snapshot
from webstrata.jobs.running.queueing import queue_archive, resume_job
from webstrata.jobs.running.recovery import Recovery
from webstrata.model.crawl.tasks import TaskStatus

SLOW = (sys.executable, str(Path(__file__).with_name("slow_disk.py")))


@pytest.fixture
def program(database_url: str, tmp_path: Path) -> Program:
    settings = {"WEBSTRATA_DATABASE_URL": database_url, "WEBSTRATA_CONCURRENCY": "3"}
    return Program(tmp_path / "data", settings, SLOW)


def killed_at_a_random_moment(program: Program, web_server: WebServer, last: str, chance: random.Random) -> bool:
    """Start the program and kill it; return whether it was still at work."""
    before = len(web_server.requests)
    patience = chance.choice([0, 0, 2, 5, 10, 20])

    def is_at_work() -> bool:
        asked = web_server.paths()[before:]
        return len(asked) > patience or last in asked

    with program.started("archive", web_server.url()) as crawling:
        wait_until(lambda: is_at_work() or crawling.process.poll() is not None, "it is at work")
        try:
            crawling.process.wait(chance.uniform(0, 0.2))
        except subprocess.TimeoutExpired:
            crawling.kill()
            return True
        assert crawling.process.returncode == 0, crawling.output
    return False


def test_killed_again_and_again_the_archive_ends_whole(
    program: Program, database: Database, web_server: WebServer
) -> None:
    survive(program, database, web_server, pages=40, kills=3)


@pytest.mark.soak
@pytest.mark.timeout(1200)
def test_killed_a_hundred_times_the_archive_ends_whole(
    program: Program, database: Database, web_server: WebServer
) -> None:
    survive(program, database, web_server, pages=600, kills=100)


@pytest.mark.soak
@pytest.mark.timeout(1200)
def test_workers_killed_in_turn_while_others_continue_lose_nothing(
    program: Program, database: Database, web_server: WebServer
) -> None:
    web_server.answers |= linked_site(400)
    expected = {web_server.url(path) for path in linked_site(400)}
    root = program.folder / "archive"
    archive = archive_of(database, root, queue_archive(database, root, (web_server.url(),)))
    seed = random.randrange(1 << 30)
    chance = random.Random(seed)
    with ExitStack() as stack:
        at_work = [stack.enter_context(worker_of(program)) for _ in range(2)]
        for _ in range(30):
            wait_for_requests(web_server, database)
            at_work.pop(chance.randrange(len(at_work))).kill()
            at_work.append(stack.enter_context(worker_of(program)))
        wait_until(lambda: is_over(database), "the job ends", 300)
        # A page may have lost all its workers by chance: a person would give it another try.
        while archive.urls(TaskStatus.ERROR):
            resume_job(Recovery(database, program.folder / "archive", DatabasePermits(database)), archive.job_id)
            wait_until(lambda: is_over(database), "the job ends", 300)
    assert_complete(archive, expected, f"random seed {seed}")


def wait_for_requests(web_server: WebServer, database: Database) -> None:
    """Wait until some more pages were asked for, if there are any left."""
    before = len(web_server.requests)
    wait_until(lambda: len(web_server.requests) > before + 10 or is_over(database), "they are at work")


def worker_of(program: Program) -> AbstractContextManager[Started]:
    return program.started("worker", "--poll-interval", "0.1")


def is_over(database: Database) -> bool:
    with database.read() as session:
        return session.scalar(select(ArchiveJob.status)) == "indexed"


def survive(program: Program, database: Database, web_server: WebServer, *, pages: int, kills: int) -> None:
    """Archive a site with that many kills on the way, and make sure that everything is there.

    The last picture is held back until only one kill is left: however slow the machine, all kills but that one find
    the program crawling; the last one may find it indexing, or come too late.
    """
    web_server.answers |= linked_site(pages)
    last = f"/image/{pages - 1}.png"
    picture, held = web_server.answers[last], threading.Event()
    assert isinstance(picture, Answer)
    web_server.answers[last] = replace(picture, waits_for=held)
    seed = random.randrange(1 << 30)
    chance = random.Random(seed)
    for _ in range(kills - 1):
        while not killed_at_a_random_moment(program, web_server, last, chance):
            try_given_up_again(program, database)
    held.set()
    if killed_at_a_random_moment(program, web_server, last, chance):
        ended = program.run("archive", web_server.url())
        assert ended.returncode == 0, ended.stderr
    archive = archive_of(database, program.folder / "archive", 1)
    while archive.urls(TaskStatus.ERROR):
        try_given_up_again(program, database)
        assert program.run("archive", web_server.url()).returncode == 0
    assert_complete(archive, {web_server.url(path) for path in linked_site(pages)}, f"random seed {seed}")
    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(ArchiveJob)) == 1
        assert session.scalar(select(func.count()).select_from(Snapshot)) == pages + 1
        assert session.scalar(select(ArchiveJob.status)) == "indexed"


def try_given_up_again(program: Program, database: Database) -> None:
    """Do what a person would do about pages that were under way at five kills by chance."""
    assert archive_of(database, program.folder / "archive", 1).urls(TaskStatus.ERROR)
    resumed = program.run("resume-job", "--id", "1")
    assert resumed.returncode == 0, resumed.stderr


def assert_complete(archive: Archive, expected: set[str], message: str) -> None:
    assert {capture.url for capture in archive.captures()} == expected, message
    assert archive.urls(TaskStatus.FINISHED) == set(archive.tasks()) == expected, message
    assert_sound(archive)
