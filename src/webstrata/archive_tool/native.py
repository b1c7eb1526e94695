"""The built-in crawler, as archive-tool runs it: on behalf of a worker, or for a job of its own."""

import os
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from webstrata.app import App, build_app
from webstrata.archive_tool.arguments import Arguments
from webstrata.db import jobs, leases
from webstrata.errors import StorageError, UsageError
from webstrata.jobs.behalf import on_behalf_of
from webstrata.jobs.children import Lifeline
from webstrata.jobs.leading import in_the_lead
from webstrata.jobs.lifecycle import Runner
from webstrata.jobs.queueing import queue_tool_job
from webstrata.jobs.settling import keep_books
from webstrata.jobs.stages import DONE, NOTHING_TO_DO
from webstrata.jobs.storage import check_output
from webstrata.logs import configure_logging
from webstrata.settings import load_settings

_READABLE = stat.S_IRUSR | stat.S_IRGRP | stat.S_IROTH
_ENTERABLE = stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH


def crawled_for(told: Arguments, lifeline: Lifeline) -> int:
    """Crawl on behalf of whoever started us, and end with them; return the exit code."""
    if told.job_id is None:
        return crawled(told)
    job_id, leader = told.job_id, lifeline.leader
    with _started(told) as (app, runner):
        if told.help_only:
            return DONE if runner.help(job_id, threading.Event()) else NOTHING_TO_DO
        if leader is None:
            raise UsageError("nobody leads the job on whose behalf to work")

        def crawl() -> int:
            code = runner.crawl(job_id, leader, threading.Event(), is_tied=True)
            return _left_readable(told, code)

        return on_behalf_of(leader, app.database, job_id, crawl)


def refused(job_id: int, lifeline: Lifeline, error: UsageError) -> None:
    """Tell whoever started us why a job's options cannot be obeyed."""
    app = build_app(load_settings())

    def refuse() -> int:
        raise error

    if lifeline.leader is not None:
        on_behalf_of(lifeline.leader, app.database, job_id, refuse)
    app.close()


def crawled(told: Arguments) -> int:
    """Crawl a job, one of its own unless it is told which, as its leader; return the exit code."""
    with _started(told) as (app, runner):
        job_id = told.job_id or queue_tool_job(
            app.database, app.archive_root, name=told.name, urls=told.seeds, output_dir=told.output_dir
        )
        runner.recovery.tend()
        with in_the_lead(app.database, app.archive_root, job_id) as leader:
            _check_output(app, job_id)
            code = _left_readable(told, runner.crawl(job_id, leader, threading.Event()))
            _note(app, job_id, leader, code)
            keep_books(app.database, app.archive_root, job_id)
        summary = runner.summary(job_id)
    print(f"job {job_id} is {summary.status}{f': {summary.reason}' if summary.reason else ''}")
    print(f"{summary.captured} answers in {summary.warc_folder}; to search them: webstrata index-job --id {job_id}")
    return code


def described(told: Arguments) -> int:
    """Say what would be done."""
    settings = load_settings()
    place = Path(told.output_dir)
    print(f"would crawl {', '.join(told.seeds)} as {told.name!r} into {place}")
    print(f"with {told.initial_workers or settings.concurrency} requests under way at once")
    return DONE


@contextmanager
def _started(told: Arguments) -> Iterator[tuple[App, Runner]]:
    settings = load_settings()
    configure_logging(told.log_level or settings.log_level, settings.log_format)
    app = build_app(settings)
    runner = app.runner()
    if told.initial_workers is not None:
        runner = replace(runner, defaults=replace(runner.defaults, concurrency=told.initial_workers))
    try:
        yield app, runner
    finally:
        app.close()


def _check_output(app: App, job_id: int) -> None:
    with app.database.read() as session:
        job = jobs.load_job(session, job_id)
    check_output(app.database, job, min_free_bytes=app.settings.min_free_bytes)


def _note(app: App, job_id: int, leader: str, code: int) -> None:
    with app.database.write() as session:
        leases.set_as(session, job_id, leader, crawler_exit_code=code)


def _left_readable(told: Arguments, code: int) -> int:
    """Let everybody read what a crawl left, where that was asked for, and return the crawl's exit code."""
    if told.relax_perms:
        for folder, _, files in os.walk(told.output_dir):
            _relax(Path(folder), _READABLE | _ENTERABLE)
            for name in files:
                _relax(Path(folder, name), _READABLE)
    return code


def _relax(path: Path, more: int) -> None:
    try:
        mode = path.lstat().st_mode
        if not stat.S_ISLNK(mode) and mode & more != more:
            path.chmod(stat.S_IMODE(mode) | more)
    except FileNotFoundError:
        return
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror}") from error
