"""Kill -9 at any moment, start again: the archive is what an undisturbed run would have left."""

import random
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import func, select

from tests.crawl.runs import Archive, archive_of, assert_sound
from tests.support.program import Program
from tests.support.waiting import wait_until
from tests.support.web_server import WebServer, linked_site
from webstrata.db.engine import Database
from webstrata.db.tables import ArchiveJob, Snapshot
from webstrata.model.tasks import TaskStatus

SLOW = (sys.executable, str(Path(__file__).with_name("slow_disk.py")))


@pytest.fixture
def program(database_url: str, tmp_path: Path) -> Program:
    settings = {"WEBSTRATA_DATABASE_URL": database_url, "WEBSTRATA_CONCURRENCY": "3"}
    return Program(tmp_path / "data", settings, SLOW)


def killed_at_a_random_moment(program: Program, web_server: WebServer, chance: random.Random) -> bool:
    """Start the program and kill it; return whether it was still at work."""
    before = len(web_server.requests)
    patience = chance.choice([0, 0, 2, 5, 10, 20])
    with program.started("archive", web_server.url()) as crawling:
        wait_until(
            lambda: len(web_server.requests) > before + patience or crawling.process.poll() is not None, "it is at work"
        )
        try:
            crawling.process.wait(chance.uniform(0, 0.2))
        except subprocess.TimeoutExpired:
            crawling.kill()
            return True
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


def survive(program: Program, database: Database, web_server: WebServer, *, pages: int, kills: int) -> None:
    """Archive a site with that many kills on the way, and make sure that everything is there."""
    web_server.answers |= linked_site(pages)
    seed = random.randrange(1 << 30)
    chance = random.Random(seed)
    killed = sum(killed_at_a_random_moment(program, web_server, chance) for _ in range(kills))
    assert killed > 0, "no kill found the program at work"
    ended = program.run("archive", web_server.url())
    assert ended.returncode == 0, ended.stderr
    archive = archive_of(database, program.folder / "archive", 1)
    assert_complete(archive, {web_server.url(path) for path in linked_site(pages)}, f"random seed {seed}")
    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(ArchiveJob)) == 1
        assert session.scalar(select(func.count()).select_from(Snapshot)) == pages + 1
        assert session.scalar(select(ArchiveJob.status)) == "indexed"


def assert_complete(archive: Archive, expected: set[str], message: str) -> None:
    assert {capture.url for capture in archive.captures()} == expected, message
    assert archive.urls(TaskStatus.FINISHED) == set(archive.tasks()) == expected, message
    assert_sound(archive)
