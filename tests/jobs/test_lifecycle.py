"""A job's life, in one process."""

import errno
import os
import shutil
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.crawl.runs import archive_of, assert_sound
from tests.jobs.rows import job_row, set_row, status_of
from tests.support.redis import redis_process
from tests.support.waiting import wait_until
from tests.support.web_server import Answer, Request, WebServer, linked_site, page, serving
from webstrata.coordination.presence import present
from webstrata.coordination.redis_permits import RedisPermits
from webstrata.db.captures import captures
from webstrata.errors import (
    CoordinationUnavailableError,
    DatabaseError,
    LeaseLostError,
    StorageError,
    UsageError,
    WebstrataError,
)
from webstrata.jobs.running.job_lease import hold_lease
from webstrata.jobs.running.lifecycle import Runner
from webstrata.jobs.running.queueing import queue_archive, retry_job
from webstrata.jobs.sources.source_choice import source_code_of
from webstrata.model.crawl.tasks import TaskStatus
from webstrata.model.jobs.job import JobStatus
from webstrata.model.urls import parse_url


def queue(runner: Runner, web_server: WebServer, **crawl: object) -> int:
    return queue_archive(runner.database, runner.archive_root, (web_server.url(),), crawl=crawl)


@contextmanager
def living_worker(runner: Runner, job_id: int) -> Iterator[None]:
    """Lead a job, as the process that works on it does."""
    with present(runner.archive_root) as owner, hold_lease(runner.database, job_id, owner):
        yield


def test_a_job_is_crawled_and_indexed_and_its_row_has_the_result(runner: Runner, web_server: WebServer) -> None:
    web_server.answers |= linked_site(5)
    job_id = queue(runner, web_server)
    assert job_row(runner.database).status == "queued"
    summary = runner.run(job_id)
    assert (summary.status, summary.reason, summary.captured, summary.failed) == (JobStatus.INDEXED, None, 11, 0)
    assert (summary.comparison.new, summary.first_error) == (6, None)
    row = job_row(runner.database)
    assert (row.status, row.pages_crawled, row.pages_total, row.pages_failed) == ("indexed", 11, 11, 0)
    assert (row.indexed_page_count, row.warc_file_count, row.crawler_status) == (6, 1, "success")
    assert row.warc_bytes_total == sum(file.stat().st_size for file in summary.warc_folder.glob("*.warc.gz"))
    assert row.started_at is not None
    assert row.finished_at is not None
    assert row.started_at <= row.finished_at
    counts = {"pending": 0, "in_progress": 0, "finished": 11, "error": 0}
    logged = {"crawled": 11, "total": 11, "failed": 0, "limit": {"max": 1000, "hit": False}, "pendingPages": []}
    assert row.last_stats_json == {**counts, **logged}
    assert_sound(archive_of(runner.database, runner.archive_root, job_id))


def test_a_second_job_of_a_site_is_compared_with_the_first(runner: Runner, web_server: WebServer) -> None:
    web_server.answers |= linked_site(3)
    runner.run(queue(runner, web_server))
    web_server.answers |= {"/page/0": page("Page 0", "/new", text="other words"), "/new": page("New")}
    second = runner.run(queue(runner, web_server))
    assert second.job_id == 2
    assert (second.comparison.new, second.comparison.different, second.comparison.same) == (1, 1, 3)


def test_a_job_whose_every_url_failed_has_failed_and_gives_the_reason(runner: Runner, web_server: WebServer) -> None:
    web_server.answers["/"] = Answer(status=500)
    summary = runner.run(queue(runner, web_server))
    assert summary.status is JobStatus.FAILED
    assert summary.reason == f"{web_server.url()}: the server answered 500 Internal Server Error"
    assert job_row(runner.database).crawler_status == "failed"


def test_a_site_that_gives_nothing_but_errors_has_failed_and_what_it_said_can_be_read(
    runner: Runner, web_server: WebServer
) -> None:
    web_server.answers["/"] = Answer(b"no", status=403)
    job_id = queue(runner, web_server)
    summary = runner.run(job_id)
    assert (summary.status, summary.captured) == (JobStatus.FAILED, 1)
    assert summary.reason == f"{web_server.url()}: the server answered 403 Forbidden"
    assert job_row(runner.database).indexed_page_count == 1
    web_server.answers["/"] = page("Home")
    retry_job(runner.database, job_id)
    assert runner.run(job_id).status is JobStatus.INDEXED, "its seed is asked again"


def test_a_job_whose_time_was_up_before_anything_answered_states_what_went_wrong(runner: Runner) -> None:
    with serving() as gone:
        pass
    crawl = {"max_seconds": 0.2, "max_retries": 5, "backoff_min": 60.0, "backoff_max": 60.0}
    summary = runner.run(queue(runner, gone, **crawl))
    assert summary.status is JobStatus.FAILED
    assert str(summary.reason).endswith("connection refused")


def test_a_job_that_reached_its_page_limit_states_how_much_is_left(runner: Runner, web_server: WebServer) -> None:
    web_server.answers |= linked_site(5)
    summary = runner.run(queue(runner, web_server, max_pages=2))
    assert summary.captured == 3, "two pages and the picture on one of them"
    assert summary.reason is not None
    assert summary.reason.startswith("the page limit was reached with")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_before_anything_came_back_leaves_a_stopped_job_that_continues_later(
    runner: Runner, web_server: WebServer, number: signal.Signals
) -> None:
    held = threading.Event()
    web_server.answers["/"] = (Answer(waits_for=held), page("Home"))
    job_id = queue(runner, web_server)

    def interrupt() -> None:
        wait_until(lambda: "/" in web_server.paths(), "the page was asked for")
        os.kill(os.getpid(), number)

    interrupting = threading.Thread(target=interrupt)
    handlers = {s: signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM)}
    interrupting.start()
    summary = runner.run(job_id)
    interrupting.join()
    held.set()
    assert (summary.status, summary.captured) == (JobStatus.STOPPED, 0)
    assert summary.reason == "stopped with 1 URL to go"
    assert {s: signal.getsignal(s) for s in handlers} == handlers
    assert queue(runner, web_server) == job_id
    assert runner.run(job_id).status is JobStatus.INDEXED


def test_a_full_disk_pauses_a_job_and_reports_it(
    runner: Runner, web_server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    web_server.answers |= linked_site(3)
    job_id = queue(runner, web_server)
    with monkeypatch.context() as patch:
        patch.setattr("webstrata.warc.writer.os.fdatasync", full)
        with pytest.raises(StorageError, match="No space left on device"):
            runner.run(job_id)
    assert_paused(runner, "No space left on device")
    assert runner.run(job_id).status is JobStatus.INDEXED
    assert job_row(runner.database).retry_count == 0
    assert_sound(archive_of(runner.database, runner.archive_root, job_id))


def test_a_redis_that_is_gone_pauses_a_job_and_costs_no_page(
    runner: Runner, web_server: WebServer, tmp_path: Path
) -> None:
    web_server.answers |= linked_site(10)
    last = web_server.answers["/page/3"]
    assert isinstance(last, Answer)
    with redis_process(tmp_path) as (url, redis):

        def gone(_request: Request) -> Answer:
            redis.kill()
            redis.wait()
            return last

        web_server.answers["/page/3"] = gone
        job_id = queue(runner, web_server, per_host_delay=0.01)
        with pytest.raises(CoordinationUnavailableError):
            replace(runner, permits=RedisPermits(url)).run(job_id)
    assert_paused(runner, "Redis")
    archive = archive_of(runner.database, runner.archive_root, job_id)
    assert archive.urls(TaskStatus.ERROR) | archive.urls(TaskStatus.IN_PROGRESS) == set()
    assert runner.run(job_id).status is JobStatus.INDEXED
    assert archive.urls(TaskStatus.FINISHED) == {web_server.url(path) for path in linked_site(10)}
    assert_sound(archive)


def test_a_job_interrupted_while_it_was_indexed_is_only_indexed(
    runner: Runner, web_server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> int:
        raise StorageError("No space left on device")

    web_server.answers |= linked_site(3)
    job_id = queue(runner, web_server, max_pages=4)
    with monkeypatch.context() as patch:
        patch.setattr("webstrata.jobs.running.indexing.index_job", full)
        with pytest.raises(StorageError):
            runner.run(job_id)
    before, asked = job_row(runner.database), len(web_server.requests)
    assert runner.run(job_id).status is JobStatus.INDEXED
    after = job_row(runner.database)
    assert (after.started_at, after.finished_at) == (before.started_at, before.finished_at)
    assert len(web_server.requests) == asked


def test_a_signal_that_came_before_the_crawl_stops_it(runner: Runner, web_server: WebServer) -> None:
    interrupted = threading.Event()
    interrupted.set()
    assert runner.run(queue(runner, web_server), interrupted=interrupted).status is JobStatus.STOPPED
    assert web_server.requests == []


def test_a_job_that_makes_no_sense_has_failed_whoever_runs_it(runner: Runner, web_server: WebServer) -> None:
    urls = (web_server.url(),)
    job_id = queue_archive(runner.database, runner.archive_root, urls, plugins=("no-such-plugin",))
    with pytest.raises(WebstrataError, match="no-such-plugin"):
        runner.run(job_id)
    row = job_row(runner.database)
    assert (row.status, row.lease_owner) == ("failed", None)
    assert "no-such-plugin" in str(row.status_reason)


def assert_paused(runner: Runner, reason: str) -> None:
    row = job_row(runner.database)
    assert row.status == "retryable"
    assert reason in str(row.status_reason)
    assert row.not_before is not None
    assert row.not_before > datetime.now(UTC) + timedelta(seconds=10)


def test_a_database_that_refuses_pauses_a_job_instead_of_leaving_it_running(
    runner: Runner, web_server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refusing(*_: object) -> None:
        raise DatabaseError("the database refuses")

    web_server.answers["/"] = page("Home")
    with monkeypatch.context() as patch:
        patch.setattr(captures, "acknowledge", refusing)
        with pytest.raises(DatabaseError):
            runner.run(queue(runner, web_server))
    assert_paused(runner, "the database refuses")
    assert runner.run(1).status is JobStatus.INDEXED


def test_a_folder_that_vanished_pauses_a_job(runner: Runner, web_server: WebServer) -> None:
    job_id = queue(runner, web_server)
    shutil.rmtree(Path(job_row(runner.database).output_dir).parent)
    with pytest.raises(StorageError, match="the folder of job 1 is gone"):
        runner.run(job_id)
    assert_paused(runner, "the folder of job 1 is gone")


def test_an_archive_root_that_was_moved_is_named(runner: Runner, web_server: WebServer, tmp_path: Path) -> None:
    web_server.answers["/"] = page("Home")
    elsewhere = replace(runner, archive_root=tmp_path / "elsewhere")
    with pytest.raises(StorageError, match="is not in the archive root"):
        elsewhere.run(queue(runner, web_server))


def test_a_missing_file_in_the_middle_of_the_work_is_not_taken_for_a_missing_folder(
    runner: Runner, web_server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: object, **__: object) -> int:
        raise FileNotFoundError(errno.ENOENT, "No such file or directory", "something-else")

    web_server.answers["/"] = page("Home")
    monkeypatch.setattr("webstrata.jobs.running.indexing.index_job", missing)
    with pytest.raises(FileNotFoundError, match="something-else"):
        runner.run(queue(runner, web_server))


def test_two_processes_do_not_work_on_one_job(runner: Runner, web_server: WebServer) -> None:
    web_server.answers["/"] = page("Home")
    job_id = queue(runner, web_server)
    with living_worker(runner, job_id):
        with pytest.raises(LeaseLostError, match="job 1 is being worked on by another process"):
            runner.run(job_id)
        assert status_of(runner.database) == "running"
    assert web_server.requests == []
    assert runner.run(job_id).status is JobStatus.INDEXED


def test_asking_again_for_a_site_whose_job_runs_leaves_that_job_alone(runner: Runner, web_server: WebServer) -> None:
    job_id = queue(runner, web_server)
    with living_worker(runner, job_id):
        assert queue(runner, web_server, max_pages=7) == job_id
    row = job_row(runner.database)
    assert (row.status, row.config and row.config["crawl"]) == ("running", {})


@pytest.mark.parametrize("status", ["stopped", "running", "indexing", "retryable", "queued"])
def test_a_job_that_was_cut_off_continues_with_the_settings_that_are_given_now(
    runner: Runner, web_server: WebServer, status: str
) -> None:
    job_id = queue(runner, web_server, max_pages=1, max_depth=3)
    set_row(runner.database, status=status, not_before=datetime.now(UTC) + timedelta(hours=1))
    assert queue(runner, web_server, max_pages=5) == job_id
    row = job_row(runner.database)
    assert (row.status, row.config and row.config["crawl"]) == ("queued", {"max_pages": 5, "max_depth": 3})
    assert row.not_before is None or row.not_before <= datetime.now(UTC)


@pytest.mark.parametrize("status", ["indexed", "completed", "failed", "index_failed"])
def test_a_job_that_ended_is_followed_by_a_new_one(runner: Runner, web_server: WebServer, status: str) -> None:
    first = queue(runner, web_server)
    set_row(runner.database, status=status)
    second = queue(runner, web_server)
    assert second != first
    folders = {job_row(runner.database, job_id).output_dir for job_id in (first, second)}
    assert len(folders) == 2
    assert all(Path(folder).is_dir() for folder in folders)


def test_other_addresses_of_a_site_are_another_job(runner: Runner, web_server: WebServer) -> None:
    first = queue(runner, web_server)
    second = queue_archive(runner.database, runner.archive_root, (web_server.url("/part"),))
    assert first != second


def test_a_cut_off_job_whose_folder_is_gone_is_followed_by_a_new_one(runner: Runner, web_server: WebServer) -> None:
    first = queue(runner, web_server)
    shutil.rmtree(job_row(runner.database).output_dir)
    assert queue(runner, web_server) != first


def test_a_job_that_someone_is_about_to_run_is_held_back_from_workers(runner: Runner, web_server: WebServer) -> None:
    urls = (web_server.url(),)
    queue_archive(runner.database, runner.archive_root, urls, hold=timedelta(minutes=1))
    row = job_row(runner.database)
    assert row.not_before is not None
    assert row.not_before > datetime.now(UTC) + timedelta(seconds=30)
    web_server.answers["/"] = page("Home")
    runner.run(1)
    assert job_row(runner.database).not_before is None


@pytest.mark.parametrize(
    "url", ["", "not a url", "ftp://example.org/", "http://", "mailto:a@example.org", "http://[::1"]
)
def test_what_is_no_address_is_refused_by_name(runner: Runner, url: str) -> None:
    with pytest.raises(UsageError, match="is not a web address"):
        queue_archive(runner.database, runner.archive_root, (url,))
    assert not runner.archive_root.exists()


def test_credentials_in_an_address_are_not_kept(runner: Runner, web_server: WebServer) -> None:
    url = web_server.url("/#part").replace("http://", "http://user:secret@")
    queue_archive(runner.database, runner.archive_root, (url,))
    config = job_row(runner.database).config
    assert config is not None
    assert config["seeds"] == [web_server.url()]


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("https://www.Example.org/x", "example-org"),
        ("http://127.0.0.1:8089/", "127-0-0-1-8089"),
        ("http://[::1]:8080/", "1-8080"),
        ("https://é.example/", "xn-9ca-example"),
    ],
)
def test_a_source_is_named_after_its_host(url: str, code: str) -> None:
    assert source_code_of(parse_url(url).href) == code


@pytest.mark.parametrize(
    "crawl",
    [
        {"max_pages": "many"},
        {"concurrency": 0},
        {"concurrency": 2.5},
        {"respect_robots": 1},
        {"speed": 3},
        {"user_agent": None},
    ],
)
def test_a_setting_that_makes_no_sense_is_an_error_that_names_it(
    runner: Runner, web_server: WebServer, crawl: dict[str, object]
) -> None:
    with pytest.raises(WebstrataError, match=next(iter(crawl))):
        runner.run(queue(runner, web_server, **crawl))
    assert web_server.requests == []


def test_what_a_job_states_overrides_the_settings(runner: Runner, web_server: WebServer) -> None:
    web_server.answers |= linked_site(3)
    runner.run(queue(runner, web_server, user_agent="somebody-else/2", max_depth=0, fetch_timeout=5))
    assert {request.header("user-agent") for request in web_server.requests} == {"somebody-else/2"}
    assert web_server.pages() == ["/"]


def test_a_redirect_to_another_host_is_recorded_and_not_followed(runner: Runner, web_server: WebServer) -> None:
    with serving({"/": page("Elsewhere")}) as elsewhere:
        web_server.answers["/"] = Answer(status=301, headers=(("Location", elsewhere.url()),))
        assert runner.run(queue(runner, web_server)).captured == 1
        assert elsewhere.requests == []
