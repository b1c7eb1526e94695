"""Several processes on one job: they share the work and the site's patience, and outlive each other."""

import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest

from tests.crawl.runs import Archive, archive_of, assert_sound
from tests.jobs.rows import job_row, status_of
from tests.support.program import Program, Started, children_of
from tests.support.waiting import wait_until
from tests.support.web_server import Answer, Request, Script, WebServer, linked_site, page, robots
from webstrata.coordination.permits import DatabasePermits
from webstrata.coordination.presence import announced_here
from webstrata.db.engine import Database
from webstrata.db.queue import leases
from webstrata.jobs.running.queueing import queue_archive, request_stop, resume_job
from webstrata.jobs.running.recovery import Recovery
from webstrata.model.crawl.tasks import TaskStatus

SLOWNESS_SECONDS = 0.02
PATIENT_SECONDS = 0.5
HELD_SECONDS = 25
PATIENCE_SECONDS = 90
"""Workers start processes of their own, and a busy machine takes its time over each."""


@pytest.fixture
def program(database_url: str, tmp_path: Path) -> Program:
    return Program(tmp_path / "data", {"WEBSTRATA_DATABASE_URL": database_url, "WEBSTRATA_CONCURRENCY": "2"})


def queue(program: Program, database: Database, web_server: WebServer, **crawl: object) -> Archive:
    root = program.folder / "archive"
    return archive_of(database, root, queue_archive(database, root, (web_server.url(),), crawl=crawl))


@contextmanager
def workers(program: Program, count: int) -> Iterator[list[Started]]:
    """Let that many workers look for something to do, all of them before there is."""
    with ExitStack() as stack:
        started = [stack.enter_context(program.started("worker", "--poll-interval", "0.1")) for _ in range(count)]
        wait_until(lambda: all("worker.start" in worker.output for worker in started), "the workers are there")
        yield started


def is_done(database: Database) -> bool:
    status = status_of(database)
    assert status not in ("failed", "index_failed"), job_row(database).status_reason
    return status == "indexed"


def is_stopped(database: Database) -> bool:
    """Tell whether a stopped job has also been indexed as far as it came: only then it can go on."""
    row = job_row(database)
    return (row.status, row.lease_owner) == ("stopped", None)


def slowly(answer: Script, hurried: threading.Event) -> Script:
    """Let an answer take its time, so that no worker is done before the others have looked."""
    assert isinstance(answer, Answer)

    def answering(_request: Request) -> Answer:
        if hurried.is_set():
            time.sleep(SLOWNESS_SECONDS)
        else:
            hurried.wait(PATIENT_SECONDS)
        return answer

    return answering


def held(answer: Answer, until: threading.Event) -> Script:
    """Keep an answer back until something has happened."""

    def answering(_request: Request) -> Answer:
        until.wait(HELD_SECONDS)
        return answer

    return answering


def hurried() -> threading.Event:
    """Return what makes a site answer quickly: it is set."""
    event = threading.Event()
    event.set()
    return event


def slow_site(pages: int, until: threading.Event | None = None) -> dict[str, Script]:
    """Return a site that takes its time, and very much of it until something has happened."""
    event = until or hurried()
    return {path: slowly(answer, event) for path, answer in linked_site(pages).items()}


def growing_site(until: threading.Event) -> dict[str, Script]:
    """Return pages that each link to another one until something has happened, so that there is work for everybody."""

    def page_number(n: int) -> Script:
        return lambda _request: page(f"Page {n}", *(() if until.is_set() else (f"/page/{n + 3}",)))

    return {f"/page/{n}": page_number(n) for n in range(1, 1000)}


def writers(archive: Archive) -> set[str]:
    """Return which processes wrote files of the job: their names tell."""
    return {file.path.split("-")[-2] for file in archive.warc_files()}


def assert_each_page_once(archive: Archive, web_server: WebServer, pages: int) -> None:
    expected = {web_server.url(path) for path in linked_site(pages)}
    assert Counter(web_server.url(path) for path in web_server.pages()) == Counter(expected)
    assert archive.urls(TaskStatus.FINISHED) == set(archive.tasks()) == expected
    assert_sound(archive)


def test_two_workers_fetch_two_hundred_pages_with_two_hundred_requests(
    program: Program, database: Database, web_server: WebServer, redis_url: str
) -> None:
    both_work = threading.Event()
    web_server.answers |= slow_site(100, both_work)
    with workers(Program(program.folder, {**program.settings, "REDIS_URL": redis_url}), 2):
        archive = queue(program, database, web_server)
        wait_until(lambda: len(writers(archive)) == 2, "both are at work", PATIENCE_SECONDS)
        both_work.set()
        wait_until(lambda: is_done(database), "the job is done", PATIENCE_SECONDS)
    assert_each_page_once(archive, web_server, 100)
    assert len(web_server.pages()) == 201
    assert len(writers(archive)) == 2


def most_at_once(requests: list[Request]) -> int:
    """Return how many requests were under way at the same time at most, by the server's log."""
    moments = sorted((moment, step) for r in requests for moment, step in ((r.started, 1), (r.ended or r.started, -1)))
    under_way, most = 0, 0
    for _, step in moments:
        under_way += step
        most = max(most, under_way)
    return most


@pytest.mark.parametrize("shared_by", ["database", pytest.param("redis", marks=pytest.mark.soak)])
def test_four_workers_together_are_as_polite_as_one(
    program: Program, database: Database, web_server: WebServer, redis_url: str, shared_by: str
) -> None:
    all_here, two_have_written = threading.Event(), threading.Event()
    web_server.answers |= growing_site(two_have_written)
    web_server.answers["/private"] = page("Private")
    web_server.answers["/"] = page("Home", "/private", "/page/1", "/page/2", "/page/3")
    web_server.answers["/robots.txt"] = held(robots("User-agent: *", "Disallow: /private"), all_here)
    settings = program.settings if shared_by == "database" else {**program.settings, "REDIS_URL": redis_url}
    with workers(Program(program.folder, settings), 4):
        archive = queue(program, database, web_server, per_host_delay=0.3, jitter=0)
        # The one who leads, its crawler, and two who help.
        crawlers = partial(announced_here, program.folder / "archive")
        wait_until(lambda: len(crawlers()) >= 4, "several are at work", PATIENCE_SECONDS)
        all_here.set()
        wait_until(lambda: len(writers(archive)) > 1, "two have written", PATIENCE_SECONDS)
        two_have_written.set()
        wait_until(lambda: is_done(database), "the job is done", PATIENCE_SECONDS)
    log = sorted(web_server.requests, key=lambda request: request.started)
    assert "/private" not in web_server.paths()
    assert set(Counter(web_server.pages()).values()) == {1}
    assert most_at_once(log) == 1
    for earlier, later in pairwise(log):
        assert earlier.ended is not None
        assert later.started - earlier.ended >= 0.3, f"{later.path} came too soon after {earlier.path}"


def test_no_more_requests_are_under_way_than_a_host_is_given_by_all_together(
    program: Program, database: Database, web_server: WebServer
) -> None:
    two_under_way = threading.Event()
    web_server.answers |= slow_site(20, two_under_way) | {"/": linked_site(20)["/"]}
    with workers(program, 3):
        archive = queue(program, database, web_server, per_host_concurrency=2)
        wait_until(lambda: most_at_once(web_server.requests) >= 2, "two are under way", PATIENCE_SECONDS)
        two_under_way.set()
        wait_until(lambda: is_done(database), "the job is done", PATIENCE_SECONDS)
    assert most_at_once(web_server.requests) == 2
    assert_each_page_once(archive, web_server, 20)


@pytest.mark.soak
def test_what_a_site_asks_for_in_its_robots_txt_all_workers_keep(
    program: Program, database: Database, web_server: WebServer
) -> None:
    web_server.answers |= linked_site(2)
    web_server.answers["/robots.txt"] = robots("User-agent: *", "Crawl-delay: 0.4")
    with workers(program, 3):
        queue(program, database, web_server, jitter=0)
        wait_until(lambda: is_done(database), "the job is done", PATIENCE_SECONDS)
    pages = sorted((r for r in web_server.requests if r.path != "/robots.txt"), key=lambda request: request.started)
    assert len(pages) == 5
    for earlier, later in pairwise(pages):
        assert earlier.ended is not None
        assert later.started - earlier.ended >= 0.4


@pytest.mark.soak
def test_the_page_limit_holds_for_all_together(program: Program, database: Database, web_server: WebServer) -> None:
    web_server.answers |= slow_site(30)
    with workers(program, 3):
        archive = queue(program, database, web_server, max_pages=25)
        wait_until(lambda: is_done(database), "the job is done", PATIENCE_SECONDS)
    # The pictures of these pages are captured too, and are not counted.
    pages = [path for path in web_server.pages() if not path.startswith("/image/")]
    assert len(pages) == len(set(pages)) == 25
    assert len(archive.captures()) == len(web_server.pages())


@pytest.mark.parametrize("victim", ["leader", pytest.param("helper", marks=pytest.mark.soak)])
def test_a_killed_workers_pages_are_fetched_by_the_other_at_once(
    program: Program, database: Database, web_server: WebServer, victim: str
) -> None:
    both_work = threading.Event()
    web_server.answers |= slow_site(60, both_work)
    with workers(program, 2) as both:
        archive = queue(program, database, web_server, lease_seconds=600)
        wait_until(lambda: len(writers(archive)) == 2, "both are at work", PATIENCE_SECONDS)
        leader = str(job_row(database).lease_owner).split(":")[1]
        (killed,) = [worker for worker in both if (str(worker.process.pid) == leader) == (victim == "leader")]
        killed.kill()
        both_work.set()
        wait_until(lambda: is_done(database), "the job is done", PATIENCE_SECONDS)
    assert_sound(archive)
    assert archive.urls(TaskStatus.FINISHED) == {web_server.url(path) for path in linked_site(60)}


def put_to_sleep(worker: Started, database: Database, job_id: int) -> None:
    """Freeze a worker between two of its transactions: within one it would hold up everybody."""

    def write() -> None:
        with database.write() as session:
            leases.spend(session, job_id, 0, 0)

    while True:
        signal_all(worker, signal.SIGSTOP)
        writing = threading.Thread(target=write)
        writing.start()
        writing.join(2)
        if not writing.is_alive():
            return
        signal_all(worker, signal.SIGCONT)
        writing.join()


def signal_all(worker: Started, number: signal.Signals) -> None:
    """Send a signal to a worker and to the processes that work for it."""
    for pid in (worker.process.pid, *children_of(worker.process.pid)):
        with suppress(ProcessLookupError):
            os.kill(pid, number)


@pytest.mark.soak
def test_a_worker_that_slept_too_long_finds_its_page_taken_and_changes_nothing(
    program: Program, database: Database, web_server: WebServer
) -> None:
    asked = threading.Event()
    released = threading.Event()
    stale = Answer(page("Stale").body, waits_for=released)
    fresh = page("Fresh")
    web_server.answers |= slow_site(10)

    def held_up(request: Request) -> Answer:
        first = not asked.is_set()
        asked.set()
        return stale if first else fresh

    web_server.answers["/page/3"] = held_up
    archive = queue(program, database, web_server, lease_seconds=1)
    with program.started("worker", "--poll-interval", "0.1") as sleeper:
        wait_until(asked.is_set, "the page was asked for", PATIENCE_SECONDS)
        put_to_sleep(sleeper, database, archive.job_id)
        with program.started("worker", "--poll-interval", "0.1"):
            url = web_server.url("/page/3")
            wait_until(
                lambda: archive.tasks()[url].status == "finished", "another worker took the page over", PATIENCE_SECONDS
            )
            released.set()
            signal_all(sleeper, signal.SIGCONT)
            wait_until(lambda: is_done(database), "the job is done", PATIENCE_SECONDS)
            wait_until(lambda: "crawl.lease.lost" in sleeper.output, "the sleeper noticed")
    assert_sound(archive)
    (kept,) = [record for record in archive.responses() if record.url == url]
    assert b"Fresh" in kept.block


def test_a_stop_reaches_every_worker_and_the_job_continues_when_resumed(
    program: Program, database: Database, web_server: WebServer
) -> None:
    both_work = threading.Event()
    web_server.answers |= slow_site(200, both_work)
    with workers(program, 2):
        archive = queue(program, database, web_server)
        wait_until(lambda: len(writers(archive)) == 2, "both are at work", PATIENCE_SECONDS)
        both_work.set()
        recovery = Recovery(database, program.folder / "archive", DatabasePermits(database))
        request_stop(recovery, archive.job_id)
        wait_until(lambda: is_stopped(database), "the job stops", PATIENCE_SECONDS)
        assert archive.urls(TaskStatus.IN_PROGRESS) == set()
        assert str(job_row(database).status_reason).startswith("stopped with")
        resume_job(recovery, archive.job_id)
        wait_until(lambda: is_done(database), "the job is done", PATIENCE_SECONDS)
    assert archive.urls(TaskStatus.FINISHED) == {web_server.url(path) for path in linked_site(200)}
    assert_sound(archive)
