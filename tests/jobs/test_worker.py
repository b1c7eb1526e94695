"""The worker's loop, in one process."""

import shutil
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import update

from tests.jobs.rows import job_row, set_row, status_of
from tests.jobs.test_lifecycle import living_worker, queue
from tests.support.web_server import WebServer, linked_site, page, serving
from webstrata.db.queue import frontier, jobs
from webstrata.db.schema.crawl_tables import CrawlTask
from webstrata.errors import DatabaseUnavailableError
from webstrata.jobs.progress.overview import archive_status
from webstrata.jobs.running import worker
from webstrata.jobs.running.lifecycle import Runner
from webstrata.jobs.running.persistent import WorkerContext
from webstrata.jobs.running.worker import process_next_job, run_worker_loop
from webstrata.model.crawl.tasks import Link, TaskStatus


def work_once(context: WorkerContext) -> bool:
    return process_next_job(context, threading.Event())


def test_an_empty_queue_is_no_work(context: WorkerContext) -> None:
    assert not work_once(context)
    run_worker_loop(run_once=True, context=context)


def test_a_worker_is_seen_while_it_has_nothing_to_do_and_leaves_nothing_behind(
    context: WorkerContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    def look(context: WorkerContext, _stopping: threading.Event) -> bool:
        seen.extend(process.doing for process in archive_status(context.database, context.archive_root, 0).processes)
        return False

    monkeypatch.setattr(worker, "process_next_job", look)
    run_worker_loop(run_once=True, context=context)
    assert seen == ["has no job"]
    assert archive_status(context.database, context.archive_root, 0).processes == ()


def test_a_queued_job_is_run_and_with_once_only_one(
    context: WorkerContext, runner: Runner, web_server: WebServer
) -> None:
    with serving({"/": page("Second")}) as second:
        web_server.answers["/"] = page("First")
        queue(runner, web_server)
        queue(runner, second)
        run_worker_loop(run_once=True, context=context)
    assert [status_of(runner.database, job_id) for job_id in (1, 2)] == ["indexed", "queued"]


def test_the_job_that_has_waited_longest_comes_first(
    context: WorkerContext, runner: Runner, web_server: WebServer
) -> None:
    with serving({"/": page("Second")}) as second:
        queue(runner, web_server)
        queue(runner, second)
        set_row(runner.database, 2, queued_at=datetime.now(UTC) - timedelta(hours=1))
        assert work_once(context)
    assert [status_of(runner.database, job_id) for job_id in (1, 2)] == ["queued", "indexed"]


def test_a_job_that_rests_is_not_taken_before_its_time(
    context: WorkerContext, runner: Runner, web_server: WebServer
) -> None:
    web_server.answers["/"] = page("Home")
    queue(runner, web_server)
    set_row(runner.database, status="retryable", not_before=datetime.now(UTC) + timedelta(minutes=1))
    assert not work_once(context)
    set_row(runner.database, not_before=datetime.now(UTC) - timedelta(seconds=1))
    assert work_once(context)
    assert status_of(runner.database) == "indexed"


@pytest.mark.parametrize("status", ["running", "indexing"])
def test_a_job_whose_worker_died_is_taken_up_at_once(
    context: WorkerContext, runner: Runner, web_server: WebServer, status: str
) -> None:
    web_server.answers |= linked_site(3)
    queue(runner, web_server)
    set_row(runner.database, status=status)
    assert work_once(context)
    assert status_of(runner.database) == "indexed"


def test_a_job_with_a_living_worker_is_left_to_it(
    context: WorkerContext, runner: Runner, web_server: WebServer
) -> None:
    job_id = queue(runner, web_server)
    with living_worker(runner, job_id):
        assert not work_once(context)
    assert status_of(runner.database) == "running"


def test_a_crawl_is_helped_with_only_while_it_has_something_to_do(
    context: WorkerContext, runner: Runner, web_server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    helped: list[int] = []

    def note(_runner: Runner, job_id: int, _interrupted: threading.Event) -> bool:
        helped.append(job_id)
        return True

    monkeypatch.setattr(Runner, "help", note)
    job_id = queue(runner, web_server)
    with living_worker(runner, job_id):
        Path(job_row(runner.database).output_dir).mkdir(parents=True, exist_ok=True)
        assert not work_once(context)
        with runner.database.write() as session:
            frontier.add_links(session, job_id, [Link(web_server.url())], 0, datetime.now(UTC))
        assert work_once(context)
        with runner.database.write() as session:
            session.execute(update(CrawlTask).values(status=TaskStatus.FINISHED))
        assert not work_once(context)
    assert helped == [job_id]


def test_a_job_that_another_process_began_in_the_same_moment_has_not_failed(
    context: WorkerContext, runner: Runner, web_server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = queue(runner, web_server)
    monkeypatch.setattr(jobs, "next_in_line", lambda *_: job_id)
    with living_worker(runner, job_id):
        assert work_once(context)
        assert status_of(runner.database) == "running"


def test_a_configuration_that_makes_no_sense_fails_the_job_with_a_reason(
    context: WorkerContext, runner: Runner, web_server: WebServer
) -> None:
    queue(runner, web_server)
    set_row(runner.database, config={"seeds": [web_server.url()], "crawl": {"speed": 1}, "colour": "red"})
    assert work_once(context)
    row = job_row(runner.database)
    assert row.status == "failed"
    assert "colour, crawl.speed" in str(row.status_reason)


def test_a_dead_workers_job_that_makes_no_sense_fails_and_the_worker_continues(
    context: WorkerContext, runner: Runner, web_server: WebServer
) -> None:
    queue(runner, web_server)
    set_row(runner.database, status="running", config={"seeds": [web_server.url()], "nonsense": 1})
    assert work_once(context)
    assert status_of(runner.database) == "failed"
    assert "nonsense" in (job_row(runner.database).status_reason or "")


def test_a_vanished_folder_pauses_the_job_and_the_worker_continues(
    context: WorkerContext, runner: Runner, web_server: WebServer
) -> None:
    with serving({"/": page("Second")}) as second:
        queue(runner, web_server)
        queue(runner, second)
        shutil.rmtree(Path(job_row(runner.database, 1).output_dir).parent)
        assert [work_once(context), work_once(context), work_once(context)] == [True, True, False]
    row = job_row(runner.database, 1)
    assert row.status == "retryable"
    assert "is gone" in str(row.status_reason)
    assert status_of(runner.database, 2) == "indexed"


def test_a_running_job_whose_folder_vanished_does_not_run_for_ever(
    context: WorkerContext, runner: Runner, web_server: WebServer
) -> None:
    queue(runner, web_server)
    shutil.rmtree(Path(job_row(runner.database).output_dir).parent)
    set_row(runner.database, status="running")
    assert work_once(context)
    row = job_row(runner.database)
    assert row.status == "retryable"
    assert "is gone" in str(row.status_reason)
    assert not work_once(context)


def test_the_worker_outlives_a_database_that_is_away_for_a_moment(
    context: WorkerContext, runner: Runner, web_server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    web_server.answers["/"] = page("Home")
    queue(runner, web_server)
    looks: list[int] = []
    really_look = jobs.next_in_line

    def next_in_line(*arguments: object) -> int | None:
        looks.append(1)
        if len(looks) == 1:
            raise DatabaseUnavailableError("nobody there")
        if status_of(runner.database) == "indexed":
            raise KeyboardInterrupt
        return really_look(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(jobs, "next_in_line", next_in_line)
    with pytest.raises(KeyboardInterrupt):
        run_worker_loop(poll_interval=0.01, context=context)
    assert len(looks) >= 3


def test_a_job_that_breaks_the_program_fails_and_the_worker_continues(
    context: WorkerContext, runner: Runner, web_server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> int:
        raise RuntimeError("a bug")

    web_server.answers["/"] = page("Home")
    queue(runner, web_server)
    monkeypatch.setattr("webstrata.jobs.running.indexing.index_job", broken)
    assert work_once(context)
    row = job_row(runner.database)
    assert row.status == "index_failed"
    assert "RuntimeError: a bug" in str(row.status_reason)
