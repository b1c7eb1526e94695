"""Runs the built-in crawler for archive-tool: for a worker, or for a job of its own."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import structlog

from webstrata.app import App, build_app
from webstrata.archive_tool.arguments import Arguments
from webstrata.archive_tool.modes import EarlierRuns, RunMode, run_mode
from webstrata.archive_tool.permissions import relax
from webstrata.cli.start import start_logging
from webstrata.db.captures import captures
from webstrata.db.engine import Session
from webstrata.db.queue import frontier, jobs, leases
from webstrata.errors import UsageError
from webstrata.jobs.folders.job_folders import check_output
from webstrata.jobs.running.children import Lifeline
from webstrata.jobs.running.crawl_end import write_folder_records
from webstrata.jobs.running.job_lease import lead_job
from webstrata.jobs.running.lifecycle import Runner
from webstrata.jobs.running.queueing import queue_tool_job
from webstrata.jobs.running.stage_process import on_behalf_of
from webstrata.jobs.running.stages import DONE, NOTHING_TO_DO
from webstrata.model.actors import COMMAND_LINE
from webstrata.model.crawl.tasks import TaskStatus
from webstrata.model.words import counted
from webstrata.settings import load_settings
from webstrata.storage.crawl_state import CrawlState

log = structlog.get_logger()


def crawl_for_worker(arguments: Arguments, lifeline: Lifeline) -> int:
    """Crawl a job for the worker that started this process, and end with the worker; return the exit code."""
    if arguments.job_id is None:
        return crawl_job(arguments)
    job_id, leader = arguments.job_id, lifeline.leader
    with _start_app(arguments) as (app, runner):
        if arguments.help_only:
            return DONE if runner.help(job_id, threading.Event()) else NOTHING_TO_DO
        if leader is None:
            raise UsageError("the leader of this job is unknown")
        crawl = partial(_crawl_led_job, arguments, app, runner, job_id, leader, is_child=True)
        return on_behalf_of(leader, app.database, job_id, crawl)


def report_refusal(job_id: int, lifeline: Lifeline, error: UsageError) -> None:
    """Report the reason why a job's options are invalid to the worker that started this process."""
    app = build_app(load_settings())

    def refuse() -> int:
        raise error

    if lifeline.leader is not None:
        on_behalf_of(lifeline.leader, app.database, job_id, refuse)
    app.close()


def crawl_job(arguments: Arguments) -> int:
    """Crawl a job, a new one unless the arguments name one, and hold its lease; return the exit code."""
    with _start_app(arguments) as (app, runner):
        job_id = arguments.job_id or queue_tool_job(
            app.database,
            app.archive_root,
            name=arguments.name,
            urls=arguments.seeds,
            output_dir=arguments.output_dir,
            passthrough=arguments.passthrough,
        )
        runner.recovery.tend()
        with lead_job(app.database, app.archive_root, job_id) as leader:
            _check_output(app, job_id)
            code = _crawl_led_job(arguments, app, runner, job_id, leader)
            _note(app, job_id, leader, code)
            write_folder_records(app.database, app.archive_root, job_id)
        summary = runner.summary(job_id)
    print(f"job {job_id} is {summary.status}{f': {summary.reason}' if summary.reason else ''}")
    urls = counted(summary.captured, "URL")
    print(f"{urls} in {summary.warc_folder}; to search them: webstrata index-job --id {job_id}")
    return code


def found_for(session: Session, job_id: int, state: CrawlState, *, revived: bool = False) -> EarlierRuns:
    """Return the state of earlier runs of a job, whose URLs and WARC files are in the database.

    With `revived`, failed URLs count as unfinished, as they will be queued again.
    """
    unfinished = (TaskStatus.PENDING, TaskStatus.IN_PROGRESS, *((TaskStatus.ERROR,) if revived else ()))
    _, size = captures.warc_totals(session, job_id)
    return EarlierRuns(
        can_go_on=frontier.has_any(session, job_id, *unfinished),
        has_warcs=size > 0,
        overwrite_is_under_way=state.overwrite_is_under_way,
    )


@contextmanager
def _start_app(arguments: Arguments) -> Iterator[tuple[App, Runner]]:
    settings = load_settings()
    start_logging(settings, quiet=True, level=arguments.log_level)
    for flag in arguments.without_effect():
        log.warning("option.without_effect", flag=flag)
    app = build_app(settings).acting_as(COMMAND_LINE)
    runner = replace(app.runner(), concurrency=arguments.workers_now)
    if arguments.initial_workers is not None:
        runner = replace(runner, defaults=replace(runner.defaults, concurrency=arguments.initial_workers))
    try:
        yield app, runner
    finally:
        app.close()


def _crawl_led_job(
    arguments: Arguments, app: App, runner: Runner, job_id: int, leader: str, *, is_child: bool = False
) -> int:
    """Crawl a job whose lease is held, with or without a monitor, and return the exit code."""
    with app.database.read() as session:
        job = jobs.load_job(session, job_id)
        arguments = replace(arguments, output_dir=Path(job.output_dir))
        workers = runner.defaults.overridden(job.config.crawl).concurrency
        state = CrawlState(arguments.output_dir, workers)
        mode = run_mode(found_for(session, job_id, state), overwrite=arguments.overwrite)
    log.info("run.mode", mode=mode, job_id=job_id)
    if mode is RunMode.OVERWRITE:
        _begin_anew(app, job_id, leader)
    limits = arguments.monitor_limits()
    if limits is None:
        begins_anew = arguments.overwrite and mode in (RunMode.FRESH, RunMode.OVERWRITE)
        code = _crawl_here(runner, job_id, leader, state, begins_anew=begins_anew, is_child=is_child)
    else:
        from webstrata.archive_tool.native_watched import crawl_monitored

        code = crawl_monitored(arguments, app, runner, job, leader, state, mode, limits, is_child=is_child)
    return _left_readable(arguments, code)


def _crawl_here(
    runner: Runner, job_id: int, leader: str, state: CrawlState, *, begins_anew: bool, is_child: bool
) -> int:
    """Crawl in this process; only an overwrite is recorded, for the run that resumes it."""
    if begins_anew:
        state.overwrite_is_under_way = True
        state.save()
    code = runner.crawl(job_id, leader, threading.Event(), is_child=is_child)
    if code == DONE and state.overwrite_is_under_way:
        state.overwrite_is_under_way = False
        state.save()
    return code


def _begin_anew(app: App, job_id: int, leader: str) -> None:
    """Restart a job's crawl at its seeds, with its full limits; its captures stay."""
    with app.database.write() as session:
        leases.set_as(session, job_id, leader, responses_count=0, response_bytes_total=0, requisites_count=0)
        frontier.forget(session, job_id)


def _check_output(app: App, job_id: int) -> None:
    with app.database.read() as session:
        job = jobs.load_job(session, job_id)
    check_output(app.database, job, min_free_bytes=app.settings.min_free_bytes)


def _note(app: App, job_id: int, leader: str, code: int) -> None:
    with app.database.write() as session:
        leases.set_as(session, job_id, leader, crawler_exit_code=code)


def _left_readable(arguments: Arguments, code: int) -> int:
    """Make a crawl's files readable for all users, if configured, and return the crawl's exit code."""
    if arguments.relax_perms:
        for refusal in relax(arguments.output_dir):
            log.warning("permissions.not_relaxed", reason=refusal)
    return code
