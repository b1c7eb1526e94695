"""Stopping and resuming jobs, as people do it."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.jobs.rows import job_row, set_row, status_of
from tests.jobs.test_lifecycle import living_worker, queue
from tests.jobs.test_recovery import die_at_work
from tests.support.web_server import Answer, WebServer, page
from webstrata.errors import ConflictError, LeaseLostError, NotFoundError
from webstrata.jobs.running.lifecycle import Runner
from webstrata.jobs.running.queueing import request_stop, resume_job
from webstrata.model.jobs.job import JobStatus


def test_urls_that_failed_get_a_fresh_start_when_a_job_is_resumed(runner: Runner, web_server: WebServer) -> None:
    web_server.answers["/"] = page("Home", "/flaky")
    web_server.answers["/flaky"] = Answer(status=500)
    job_id = queue(runner, web_server, max_retries=2)
    assert runner.run(job_id).failed == 1
    assert web_server.pages().count("/flaky") == 2
    web_server.answers["/flaky"] = (Answer(status=500), page("Back"))
    resume_job(runner.recovery, job_id)
    resumed = runner.run(job_id)
    assert (resumed.status, resumed.captured, resumed.failed) == (JobStatus.INDEXED, 2, 0)
    assert web_server.pages().count("/") == 1
    assert resumed.comparison.new == 2


@pytest.mark.parametrize("status", ["stopped", "failed", "completed", "indexed", "index_failed", "retryable"])
def test_a_job_that_is_not_under_way_can_be_resumed(runner: Runner, web_server: WebServer, status: str) -> None:
    web_server.answers["/"] = page("Home")
    job_id = queue(runner, web_server)
    set_row(runner.database, status=status)
    resume_job(runner.recovery, job_id)
    assert status_of(runner.database) == "queued"
    assert runner.run(job_id).status is JobStatus.INDEXED


def test_a_job_that_is_under_way_cannot_be_resumed(runner: Runner, web_server: WebServer) -> None:
    job_id = queue(runner, web_server)
    with pytest.raises(ConflictError, match="job 1 is queued already"):
        resume_job(runner.recovery, job_id)
    with living_worker(runner, job_id):
        with pytest.raises(ConflictError, match="job 1 is running already"):
            resume_job(runner.recovery, job_id)
        set_row(runner.database, status="indexing")
        with pytest.raises(ConflictError, match="job 1 is still being indexed"):
            resume_job(runner.recovery, job_id)


def test_a_job_that_waits_in_line_is_stopped_at_once(runner: Runner, web_server: WebServer) -> None:
    job_id = queue(runner, web_server)
    request_stop(runner.recovery, job_id)
    row = job_row(runner.database)
    assert (row.status, row.status_reason) == ("stopped", "stopped before it began")
    assert row.finished_at is not None
    assert json.loads(Path(row.output_dir, "job.json").read_text())["job"]["status"] == "stopped"


def test_a_job_that_waits_again_no_longer_gives_the_reason_it_was_stopped(
    runner: Runner, web_server: WebServer
) -> None:
    job_id = queue(runner, web_server)
    request_stop(runner.recovery, job_id)
    resume_job(runner.recovery, job_id)
    row = job_row(runner.database)
    assert (row.status, row.status_reason, row.crawler_status) == ("queued", None, None)


@pytest.mark.parametrize("status", ["stopped", "failed", "completed", "indexing", "indexed", "index_failed"])
def test_where_nothing_is_crawled_there_is_nothing_to_stop(runner: Runner, web_server: WebServer, status: str) -> None:
    job_id = queue(runner, web_server)
    soon = datetime.now(UTC) + timedelta(minutes=1)
    set_row(runner.database, status=status, lease_owner="elsewhere:1:x", lease_expires_at=soon)
    with pytest.raises(ConflictError, match=f"job 1 is {status}: there is no crawl to stop"):
        request_stop(runner.recovery, job_id)


def test_a_job_that_does_not_exist_can_be_neither_stopped_nor_resumed(runner: Runner) -> None:
    with pytest.raises(NotFoundError, match="there is no job 7"):
        request_stop(runner.recovery, 7)
    with pytest.raises(NotFoundError, match="there is no job 7"):
        resume_job(runner.recovery, 7)


def test_a_stop_that_a_dead_worker_did_not_hear_is_heard_by_the_next(runner: Runner, web_server: WebServer) -> None:
    job_id = queue(runner, web_server)
    with living_worker(runner, job_id):
        request_stop(runner.recovery, job_id)
    summary = runner.run(job_id)
    assert summary.status is JobStatus.STOPPED
    assert web_server.requests == []


def test_a_job_whose_worker_died_is_stopped_at_once_and_can_continue(runner: Runner, web_server: WebServer) -> None:
    web_server.answers["/"] = page("Home")
    job_id = queue(runner, web_server)
    with pytest.raises(RuntimeError):
        die_at_work(runner, job_id, web_server.url())
    request_stop(runner.recovery, job_id)
    row = job_row(runner.database)
    assert (row.status, row.status_reason) == ("stopped", "stopped while it waited to continue (its worker died)")
    assert json.loads(Path(row.output_dir, "job.json").read_text())["job"]["status"] == "stopped"
    resume_job(runner.recovery, job_id)
    assert runner.run(job_id).status is JobStatus.INDEXED


def test_a_job_whose_worker_died_can_be_resumed_without_a_stop(runner: Runner, web_server: WebServer) -> None:
    web_server.answers["/"] = page("Home")
    job_id = queue(runner, web_server)
    with pytest.raises(RuntimeError):
        die_at_work(runner, job_id, web_server.url())
    resume_job(runner.recovery, job_id)
    assert (status_of(runner.database), job_row(runner.database).status_reason) == ("queued", None)
    assert runner.run(job_id).status is JobStatus.INDEXED


def test_a_job_that_was_stopped_while_a_worker_looked_at_it_is_not_run(runner: Runner, web_server: WebServer) -> None:
    job_id = queue(runner, web_server)
    request_stop(runner.recovery, job_id)
    with pytest.raises(LeaseLostError, match="job 1 is stopped: it waits for nobody"):
        runner.run(job_id)
    assert (status_of(runner.database), web_server.requests) == ("stopped", [])


def test_a_paused_job_that_is_stopped_continues_with_what_it_has(runner: Runner, web_server: WebServer) -> None:
    web_server.answers["/"] = page("Home")
    job_id = queue(runner, web_server)
    runner.run(job_id)
    set_row(runner.database, status="retryable", finished_at=None, indexed_page_count=0)
    request_stop(runner.recovery, job_id)
    row = job_row(runner.database)
    assert (row.status, row.status_reason) == ("stopped", "stopped while it waited to continue")
    resume_job(runner.recovery, job_id)
    assert runner.run(job_id).status is JobStatus.INDEXED
    assert job_row(runner.database).indexed_page_count == 1
    assert web_server.pages() == ["/"]


def test_a_job_whose_pages_all_forbid_archiving_is_done(runner: Runner, web_server: WebServer) -> None:
    shown = page("Home", *(f"/{n}" for n in range(20)))
    web_server.otherwise = replace(shown, headers=(*shown.headers, ("X-Robots-Tag", "noarchive")))
    job_id = queue(runner, web_server, respect_noarchive=True, respect_robots=False, max_pages=3)
    summary = runner.run(job_id)
    assert (summary.status, summary.captured) == (JobStatus.INDEXED, 3)
    assert len(web_server.requests) == 3, "what is not kept was fetched all the same"


def test_a_job_that_no_one_indexes_any_more_can_be_resumed(runner: Runner, web_server: WebServer) -> None:
    web_server.answers["/"] = page("Home")
    job_id = queue(runner, web_server)
    set_row(runner.database, status="indexing")
    resume_job(runner.recovery, job_id)
    assert runner.run(job_id).status is JobStatus.INDEXED
