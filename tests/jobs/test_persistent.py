"""Jobs led from one process while their stages run elsewhere: tried again, paused, given up."""

import shutil
import sys
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.jobs.rows import job_row, set_row, status_of
from tests.jobs.test_lifecycle import queue
from tests.support.web_server import Answer, WebServer, linked_site, page
from webstrata.errors import StorageError, WebstrataError
from webstrata.fetch.guard import NetworkGuard
from webstrata.jobs.progress.crawl_stats import refresh_stats
from webstrata.jobs.running.lifecycle import Runner
from webstrata.jobs.running.persistent import WorkerContext, index_persistent_job, run_persistent_job
from webstrata.jobs.running.queueing import request_stop
from webstrata.jobs.running.tool import ToolStages
from webstrata.jobs.running.worker import index_next_job, process_next_job
from webstrata.model.jobs.attempts import MAX_CRAWL_RETRIES, MAX_INDEX_DEATHS
from webstrata.storage.combined_log import parse_last_stats_from_log, statistics_of

QUIET = threading.Event()


def dying(context: WorkerContext, code: str) -> WorkerContext:
    """Return a context whose crawler and indexer do nothing but end."""
    command = (sys.executable, "-c", code)
    return replace(context, stages=ToolStages(context.database, context.archive_root, command, command))


KILLED = "import os; os.kill(os.getpid(), 9)"


def test_a_job_is_crawled_and_then_waits_to_be_indexed(
    context: WorkerContext, runner: Runner, web_server: WebServer
) -> None:
    web_server.answers |= linked_site(3)
    job_id = queue(runner, web_server)
    assert run_persistent_job(job_id, context=context) == 0
    row = job_row(runner.database)
    assert (row.status, row.crawler_exit_code, row.crawler_status) == ("completed", 0, "success")
    assert (row.crawler_stage, row.lease_owner, row.indexed_page_count) == ("initial_crawl", None, 0)
    assert row.combined_log_path is not None
    stats = parse_last_stats_from_log(Path(row.combined_log_path))
    assert stats is not None
    assert (stats["crawled"], stats["total"], stats["failed"]) == (7, 7, 0)
    assert statistics_of(Path(row.combined_log_path))[-1].crawled == 7
    assert index_next_job(context, QUIET)
    assert status_of(runner.database) == "indexed"
    assert not index_next_job(context, QUIET), "there is nothing more to index"


def test_a_site_that_is_down_is_tried_again_later_and_given_up_in_the_end(
    context: WorkerContext, runner: Runner, web_server: WebServer
) -> None:
    web_server.answers["/"] = Answer(status=500)
    queue(runner, web_server)
    for attempt in range(1, MAX_CRAWL_RETRIES + 1):
        assert process_next_job(context, QUIET)
        row = job_row(runner.database)
        assert (row.status, row.retry_count) == ("retryable", attempt)
        assert "500" in str(row.status_reason)
        assert row.not_before is not None
        assert row.not_before > datetime.now(UTC) + timedelta(seconds=30)
        assert not process_next_job(context, QUIET), "it rests"
        set_row(runner.database, not_before=None)
    assert process_next_job(context, QUIET)
    assert (status_of(runner.database), len(web_server.pages())) == ("failed", 3)


def test_a_job_that_cannot_succeed_is_not_tried_again(runner: Runner, web_server: WebServer) -> None:
    guarded = replace(runner, guard=NetworkGuard())
    queue(guarded, web_server)
    assert process_next_job(WorkerContext(runner.database, runner.archive_root, runner.recovery, guarded), QUIET)
    row = job_row(runner.database)
    assert (row.status, row.retry_count, row.not_before) == ("failed", 0, None)
    assert "WEBSTRATA_ALLOW_PRIVATE_NETWORKS=127.0.0.1 would allow it" in str(row.status_reason)
    assert web_server.requests == []


def test_a_seed_that_is_not_there_fails_its_job_at_once_for_that_reason(
    context: WorkerContext, runner: Runner, web_server: WebServer
) -> None:
    web_server.answers["/"] = Answer(b"gone", status=404)
    queue(runner, web_server)
    assert process_next_job(context, QUIET)
    row = job_row(runner.database)
    assert (row.status, row.retry_count, row.crawler_status) == ("failed", 0, "failed")
    assert row.status_reason == f"{web_server.url()}: the server answered 404 Not Found"
    assert row.indexed_page_count == 1, "what the server said can be read"


def test_a_site_that_comes_back_is_archived_by_the_retry(
    context: WorkerContext, runner: Runner, web_server: WebServer
) -> None:
    web_server.answers["/"] = (Answer(status=500), page("Home"))
    queue(runner, web_server)
    process_next_job(context, QUIET)
    set_row(runner.database, not_before=None)
    process_next_job(context, QUIET)
    assert (status_of(runner.database), job_row(runner.database).retry_count) == ("indexed", 1)


def test_a_crawler_that_is_killed_before_it_gets_anywhere_costs_a_retry_and_reports_it(
    context: WorkerContext, runner: Runner, web_server: WebServer
) -> None:
    job_id = queue(runner, web_server)
    assert run_persistent_job(job_id, context=dying(context, KILLED), max_retries=1) == -9
    row = job_row(runner.database)
    assert (row.status, row.retry_count, row.crawler_exit_code) == ("retryable", 1, -9)
    set_row(runner.database, not_before=None)
    run_persistent_job(job_id, context=dying(context, KILLED), max_retries=1)
    row = job_row(runner.database)
    assert (row.status, row.status_reason) == ("failed", "the crawler was killed (SIGKILL) before it was done")


def test_an_indexer_that_dies_at_the_same_place_again_and_again_is_given_up(
    context: WorkerContext, runner: Runner, web_server: WebServer
) -> None:
    web_server.answers["/"] = page("Home")
    job_id = queue(runner, web_server)
    run_persistent_job(job_id, context=context)
    with pytest.raises(WebstrataError, match=f"SIGKILL.*{MAX_INDEX_DEATHS} times"):
        index_persistent_job(job_id, context=dying(context, KILLED))
    row = job_row(runner.database)
    assert (row.status, row.lease_owner) == ("index_failed", None)
    assert "the indexer was killed" in str(row.status_reason)


def test_trouble_that_lasts_makes_a_job_rest_longer_each_time(
    context: WorkerContext, runner: Runner, web_server: WebServer
) -> None:
    job_id = queue(runner, web_server)
    folder = Path(job_row(runner.database).output_dir)
    shutil.rmtree(folder.parent)
    rests = []
    for _ in range(3):
        with pytest.raises(StorageError, match="is gone"):
            run_persistent_job(job_id, context=context)
        row = job_row(runner.database)
        assert (row.status, row.retry_count) == ("retryable", 0)
        assert row.not_before is not None
        rests.append(round((row.not_before - datetime.now(UTC)).total_seconds() / 60))
    assert rests == [1, 2, 4]
    folder.parent.mkdir()
    web_server.answers["/"] = page("Home")
    run_persistent_job(job_id, context=context)
    assert (status_of(runner.database), job_row(runner.database).pause_count) == ("completed", 0)


def test_a_disk_that_is_too_full_pauses_the_job_before_anything_is_fetched(
    context: WorkerContext, runner: Runner, web_server: WebServer
) -> None:
    job_id = queue(runner, web_server)
    with pytest.raises(StorageError, match="must stay free"):
        run_persistent_job(job_id, context=replace(context, min_free_bytes=10**18))
    assert (status_of(runner.database), web_server.requests) == ("retryable", [])


def test_what_a_stopped_crawl_brought_is_indexed_by_the_worker_that_finds_it(
    context: WorkerContext, runner: Runner, web_server: WebServer
) -> None:
    web_server.answers["/"] = page("Home")
    job_id = queue(runner, web_server)
    run_persistent_job(job_id, context=context)
    set_row(runner.database, status="retryable", finished_at=None)
    request_stop(runner.recovery, job_id)
    assert index_next_job(context, QUIET)
    row = job_row(runner.database)
    assert (row.status, row.indexed_page_count) == ("stopped", 1)
    assert not index_next_job(context, QUIET)


def test_a_crawl_is_indexed_while_it_lasts(context: WorkerContext, runner: Runner, web_server: WebServer) -> None:
    over = threading.Event()
    web_server.answers |= linked_site(3)
    web_server.answers["/page/2"] = Answer(b"late", waits_for=over)
    job_id = queue(runner, web_server)
    indexed: list[int] = []

    def seen() -> None:
        while not indexed:
            pages = job_row(runner.database).indexed_page_count
            if pages:
                indexed.append(pages)
            elif over.wait(0.05):
                return
        over.set()

    looking = threading.Thread(target=seen)
    looking.start()
    run_persistent_job(job_id, context=replace(context, index_every_seconds=0.1))
    looking.join()
    assert indexed


def test_the_row_of_a_crawl_by_another_tool_is_filled_from_its_log_and_state(
    runner: Runner, web_server: WebServer
) -> None:
    job_id = queue(runner, web_server)
    folder = Path(job_row(runner.database).output_dir)
    log = folder / "archive_initial_crawl_-_attempt_1_20260501_120000.combined.log"
    details = '{"crawled":9,"total":12,"pending":2,"failed":1,"limit":{"max":0,"hit":false},"pendingPages":["x"]}'
    log.write_text(
        '{"timestamp":"2026-05-01T12:00:00Z","logLevel":"info","context":"crawlStatus","message":"Crawl statistics",'
        f'"details":{details}}}\n'
    )
    (folder / ".archive_state.json").write_text("{}")
    refresh_stats(runner.database, job_id)
    row = job_row(runner.database)
    assert (row.pages_crawled, row.pages_total, row.pages_failed) == (9, 12, 1)
    assert (row.combined_log_path, row.state_file_path) == (str(log), str(folder / ".archive_state.json"))
    assert row.last_stats_json is not None
    assert row.last_stats_json["pendingPages"] == ["x"]
