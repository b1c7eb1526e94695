"""A page that kills its crawler every time costs itself only, and the job says which page it was."""

import shlex
import signal
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from tests.crawl.runs import Archive, archive_of, assert_sound
from tests.jobs.rows import job_row
from tests.support.program import Program
from tests.support.waiting import wait_until
from tests.support.web_server import Answer, WebServer, linked_site, page, robots
from webstrata.db.engine import Database
from webstrata.jobs.running.queueing import queue_archive
from webstrata.model.crawl.tasks import MAX_RECLAIMS, TaskStatus

DEADLY = str(Path(__file__).parent.parent / "crawl" / "deadly_page.py")
PAGES = 12
PATIENCE_SECONDS = 120


@pytest.fixture
def program(database_url: str, tmp_path: Path) -> Program:
    settings = {"WEBSTRATA_DATABASE_URL": database_url, "WEBSTRATA_CONCURRENCY": "4"}
    crawler = shlex.join([sys.executable, DEADLY, "webstrata.archive_tool"])
    return Program(tmp_path / "data", {**settings, "WEBSTRATA_TOOL_CMD": crawler})


def deadly_site(web_server: WebServer) -> set[str]:
    """Let a site have a deadly page among others; return the URLs of the others."""
    web_server.answers |= linked_site(PAGES)
    others = {web_server.url(path) for path in web_server.answers}
    links = ("/poison", *(f"/page/{number}" for number in range(PAGES)))
    web_server.answers |= {"/": page("Home", *links), "/poison": page("Poison", text="deadly")}
    return others


def queue(program: Program, database: Database, web_server: WebServer) -> Archive:
    root = program.folder / "archive"
    return archive_of(database, root, queue_archive(database, root, (web_server.url(),)))


def is_over(database: Database) -> bool:
    row = job_row(database)
    return row.status in ("indexed", "failed", "retryable") and row.lease_owner is None


def reason_for(url: str) -> str:
    return f"1 URL was given up, because its crawler died {MAX_RECLAIMS} times: {url}"


def assert_only_the_deadly_page_is_missing(archive: Archive, others: set[str], poison: str) -> None:
    row = job_row(archive.database, archive.job_id)
    assert (row.status, row.status_reason, row.retry_count) == ("indexed", reason_for(poison), 0)
    assert row.indexed_page_count == PAGES + 1
    assert archive.urls(TaskStatus.FINISHED) == others
    assert archive.urls(TaskStatus.ERROR) == {poison}
    assert str(archive.tasks()[poison].last_error).startswith(f"{poison}: ")
    assert_sound(archive)


def test_the_same_command_again_gets_past_a_deadly_page_after_five_deaths(
    program: Program, database: Database, web_server: WebServer
) -> None:
    others, poison = deadly_site(web_server), web_server.url("/poison")
    here = replace(program, command=(sys.executable, DEADLY, "webstrata"))
    deaths = [here.run("archive", web_server.url()).returncode for _ in range(MAX_RECLAIMS)]
    assert deaths == [-signal.SIGSEGV] * MAX_RECLAIMS
    ended = here.run("archive", web_server.url())
    assert ended.returncode == 0, ended.stderr
    assert reason_for(poison) in ended.stdout
    archive = archive_of(database, program.folder / "archive", 1)
    assert_only_the_deadly_page_is_missing(archive, others, poison)
    assert web_server.paths().count("/poison") == MAX_RECLAIMS


def test_a_worker_gets_past_a_deadly_page_and_a_person_gives_it_one_more_try(
    program: Program, database: Database, web_server: WebServer
) -> None:
    others, poison = deadly_site(web_server), web_server.url("/poison")
    archive = queue(program, database, web_server)
    with program.started("worker", "--poll-interval", "0.1") as worker:
        wait_until(lambda: is_over(database), "it is over", PATIENCE_SECONDS)
        assert worker.output.count("crawl.died") == MAX_RECLAIMS
        assert_only_the_deadly_page_is_missing(archive, others, poison)
        assert program.run("resume-job", "--id", "1").returncode == 0
        wait_until(lambda: is_over(database), "it is over again", PATIENCE_SECONDS)
        assert worker.output.count("crawl.died") == MAX_RECLAIMS + 1
    assert_only_the_deadly_page_is_missing(archive, others, poison)
    web_server.answers["/poison"] = page("Healed")
    assert program.run("resume-job", "--id", "1").returncode == 0
    assert program.run("worker", "--once").returncode == 0
    row = job_row(database)
    assert (row.status, row.status_reason, row.indexed_page_count) == ("indexed", None, PAGES + 2)


@pytest.mark.soak
def test_several_workers_get_past_a_deadly_page(program: Program, database: Database, web_server: WebServer) -> None:
    others, poison = deadly_site(web_server), web_server.url("/poison")
    archive = queue(program, database, web_server)
    with ExitStack() as stack:
        for _ in range(3):
            stack.enter_context(program.started("worker", "--poll-interval", "0.1"))
        wait_until(lambda: is_over(database), "it is over", PATIENCE_SECONDS)
    assert_only_the_deadly_page_is_missing(archive, others, poison)


@pytest.mark.soak
def test_deadly_sitemaps_are_given_up_and_cost_no_page(
    program: Program, database: Database, web_server: WebServer
) -> None:
    web_server.answers |= linked_site(3)
    others = {web_server.url(path) for path in web_server.answers}
    web_server.answers["/robots.txt"] = robots(f"Sitemap: {web_server.url('/sitemap.xml')}")
    web_server.answers["/sitemap.xml"] = Answer(b"deadly", headers=(("Content-Type", "application/xml"),))
    archive = queue(program, database, web_server)
    assert program.run("worker", "--once").returncode == 0
    row = job_row(database)
    assert (row.status, row.retry_count, archive.urls(TaskStatus.FINISHED)) == ("indexed", 0, others)
    reason = f"the sitemaps were given up, because the crawler died {MAX_RECLAIMS} times while it read them"
    assert row.status_reason == reason
    assert web_server.paths().count("/sitemap.xml") == MAX_RECLAIMS


@pytest.mark.soak
def test_a_job_whose_only_page_is_deadly_has_failed_and_names_it(
    program: Program, database: Database, web_server: WebServer
) -> None:
    web_server.answers["/"] = page("Home", text="leaves")
    queue(program, database, web_server)
    assert program.run("worker", "--once").returncode == 0
    row = job_row(database)
    assert (row.status, row.retry_count) == ("failed", 0), "another try could not succeed"
    assert row.status_reason == f"{web_server.url()}: given up, because its crawler died {MAX_RECLAIMS} times"
