"""`archive` indexes beside its crawl: pages and their assets are there before it ends, whichever process is killed."""

import os
import signal
import threading
from pathlib import Path

import pytest
from sqlalchemy import func, select

from tests.crawl.runs import archive_of, assert_sound
from tests.jobs.rows import job_row, status_of
from tests.support.program import Program, Started, alive, children_of
from tests.support.waiting import wait_until
from tests.support.web_server import Answer, WebServer, linked_site
from webstrata.db.engine import Database
from webstrata.db.schema.asset_tables import Asset, AssetVersion
from webstrata.db.schema.tables import Snapshot

PAGES = 8
PATIENCE_SECONDS = 60
LATE = "/page/7"


@pytest.fixture
def program(database_url: str, tmp_path: Path) -> Program:
    settings = {"WEBSTRATA_DATABASE_URL": database_url, "WEBSTRATA_INDEX_WHILE_CRAWLING_SECONDS": "0.2"}
    return Program(tmp_path / "data", {**settings, "WEBSTRATA_MAX_RETRIES": "1"})


@pytest.fixture
def may_end(web_server: WebServer) -> threading.Event:
    """A site whose last page is sent only once the event is set: until then its crawl lasts."""
    event = threading.Event()
    web_server.answers |= linked_site(PAGES)
    late = web_server.answers[LATE]
    assert isinstance(late, Answer)
    web_server.answers[LATE] = Answer(late.body, waits_for=event)
    return event


def count(database: Database, column: object) -> int:
    with database.read() as session:
        return session.scalar(select(func.count(column))) or 0  # type: ignore[arg-type]


def wait_until_indexed_beside(database: Database, started: Started) -> None:
    """Wait until all pages but the late one are indexed and have assets, while the crawl goes on."""

    def is_indexed() -> bool:
        return count(database, Snapshot.id) == PAGES and count(database, AssetVersion.id) == PAGES

    wait_until(is_indexed, f"pages are indexed beside the crawl\n{started.output}", PATIENCE_SECONDS)
    assert status_of(database) == "running"


def indexers_of(started: Started) -> list[int]:
    told = {pid: _command(pid) for pid in children_of(started.process.pid)}
    return [pid for pid, command in told.items() if "--so-far" in command]


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode()
    except OSError:
        return ""


def assert_complete(database: Database, program: Program) -> None:
    row = job_row(database)
    assert (row.status, row.indexed_page_count, row.index_problem_count) == ("indexed", PAGES + 1, 0)
    with database.read() as session:
        kinds = session.execute(select(Asset.plugin, func.count()).group_by(Asset.plugin)).all()
    assert dict(map(tuple, kinds)) == {"page": PAGES + 1, "media": PAGES}  # type: ignore[arg-type]
    assert count(database, AssetVersion.id) == 2 * PAGES + 1, "nothing is doubled"
    assert_sound(archive_of(database, program.folder / "archive", 1))


def test_a_page_can_be_searched_and_has_its_asset_before_the_crawl_ends(
    program: Program, database: Database, web_server: WebServer, may_end: threading.Event
) -> None:
    with program.started("archive", web_server.url()) as archiving:
        wait_until_indexed_beside(database, archiving)
        beside = indexers_of(archiving)
        may_end.set()
        assert archiving.ended() == 0, archiving.output
    assert beside
    assert not any(map(alive, beside))
    assert_complete(database, program)


def test_a_killed_indexer_is_followed_by_another_and_the_crawl_continues(
    program: Program, database: Database, web_server: WebServer, may_end: threading.Event
) -> None:
    with program.started("archive", web_server.url()) as archiving:
        wait_until_indexed_beside(database, archiving)
        killed = indexers_of(archiving)
        for pid in killed:
            os.kill(pid, signal.SIGKILL)
        wait_until(lambda: "index.so_far.failed" in archiving.output, archiving.output, PATIENCE_SECONDS)
        may_end.set()
        assert archiving.ended() == 0, archiving.output
    assert_complete(database, program)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_an_archive_command_that_ends_takes_its_indexer_along_and_can_be_repeated(
    program: Program, database: Database, web_server: WebServer, may_end: threading.Event, number: signal.Signals
) -> None:
    with program.started("archive", web_server.url()) as archiving:
        wait_until_indexed_beside(database, archiving)
        beside = indexers_of(archiving)
        archiving.signal(number)
        assert archiving.ended() != 0
        wait_until(lambda: not any(map(alive, beside)), "the indexer has ended", PATIENCE_SECONDS)
    may_end.set()
    done = program.run("archive", web_server.url())
    assert done.returncode == 0, done.stderr
    assert_complete(database, program)


def test_an_archive_command_has_an_option_to_index_at_the_end(
    program: Program, database: Database, web_server: WebServer, may_end: threading.Event
) -> None:
    waiting = Program(program.folder, {**program.settings, "WEBSTRATA_INDEX_WHILE_CRAWLING_SECONDS": "0"})
    may_end.set()
    done = waiting.run("archive", web_server.url())
    assert done.returncode == 0, done.stderr
    assert_complete(database, program)
