"""`run-job`, `run-db-job`, `index-job` and `check-archive-tool`: single stages, run by hand or for a worker."""

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from webstrata.cli.jobs import AsJson, WhichJob
from webstrata.cli.start import start_logging, started
from webstrata.errors import WebstrataError

if TYPE_CHECKING:
    from webstrata.app import App

verbs = typer.Typer()

_HELP_SECONDS = 60


@verbs.command("check-archive-tool")
def check_archive_tool() -> None:
    """Make sure that the program which crawls can be run."""
    from webstrata.jobs.tool import tool_command
    from webstrata.settings import load_settings

    settings = load_settings()
    start_logging(settings, quiet=True)
    command = tool_command(settings.tool_cmd)
    try:
        ended = subprocess.run(  # noqa: S603 - what the operator set
            [*command, "--help"], stdin=subprocess.DEVNULL, capture_output=True, timeout=_HELP_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise WebstrataError(f"{command[0]} cannot be run: {error} (WEBSTRATA_TOOL_CMD)") from None
    if ended.returncode:
        raise WebstrataError(f"{command[0]} --help ended with exit code {ended.returncode} (WEBSTRATA_TOOL_CMD)")
    print(f"{' '.join(command)} is ready")


@verbs.command("run-job")
def run_job(
    name: Annotated[str, typer.Option(help="What the job is called.", show_default=False)],
    seeds: Annotated[
        list[str], typer.Option("--seeds", metavar="URL", help="Where to begin; may be given more than once.")
    ],
    more_seeds: Annotated[list[str] | None, typer.Argument(metavar="[URL...]", help="More of them.")] = None,
    initial_workers: Annotated[int | None, typer.Option(min=1, max=256, help="Requests under way at once.")] = None,
    output_dir: Annotated[
        Path | None, typer.Option(help="Its folder, inside the archive root. Default: a new one.")
    ] = None,
    log_level: Annotated[str | None, typer.Option(help="How much archive-tool logs.")] = None,
) -> None:
    """Crawl at once with archive-tool; what it brings is indexed by `index-job`, or by a worker."""
    from webstrata.jobs.tool import RuntimeArchiveJob, tool_command

    with started(quiet=True) as app, _interruptible() as interrupted:
        code = RuntimeArchiveJob(name, (*seeds, *(more_seeds or ()))).run(
            initial_workers,
            log_level=log_level,
            output_dir_override=output_dir,
            archive_root=app.archive_root,
            command=tool_command(app.settings.tool_cmd),
            interrupted=interrupted,
        )
    _leave(code, interrupted, "archive-tool")


@verbs.command("run-db-job")
def run_db_job(job_id: WhichJob) -> None:
    """Crawl a queued job at once with archive-tool; what it brings is indexed by `index-job`, or by a worker."""
    from webstrata.jobs.persistent import run_persistent_job

    with started(quiet=True) as app, _interruptible() as interrupted:
        crew = app.crew()
        code = run_persistent_job(job_id, crew=crew, interrupted=interrupted)
        job = crew.load(job_id)
    print(f"job {job_id} is {job.status}{f': {job.status_reason}' if job.status_reason else ''}")
    _leave(code, interrupted, "the crawl")


@verbs.command("index-job")
def index_job(
    job_id: WhichJob,
    again: Annotated[bool, typer.Option("--again", help="Read everything again, also what is indexed.")] = False,
    as_json: AsJson = False,
    tied: Annotated[bool, typer.Option("--tied", hidden=True)] = False,
    so_far: Annotated[bool, typer.Option("--so-far", hidden=True)] = False,
) -> None:
    """Make a job's captures searchable, also those of a folder that was registered."""
    if tied:
        raise typer.Exit(_index_for_another(job_id, so_far=so_far))
    with started(quiet=True) as app, _interruptible() as interrupted:
        code = _index_here(app, job_id, interrupted, again=again)
        job = app.crew().load(job_id)
        pages = _pages_of(app, job_id)
    if as_json:
        print(json.dumps({"job": job_id, "status": job.status, "reason": job.status_reason, "pages": pages}))
    elif code == 0:
        print(f"job {job_id} is {job.status}: {pages:,} pages can be searched")
    if code and not interrupted.is_set():
        raise WebstrataError(job.status_reason or f"job {job_id} could not be indexed")
    _leave(code, interrupted, "the index")


def _index_here(app: "App", job_id: int, interrupted: threading.Event, *, again: bool) -> int:
    from webstrata.cli.progress import watching_index
    from webstrata.db import leases
    from webstrata.jobs.leading import in_the_lead
    from webstrata.jobs.settling import keep_books

    runner = app.runner()
    runner.recovery.tend()
    with (
        in_the_lead(app.database, app.archive_root, job_id, leases.lease_for_index) as leader,
        watching_index(job_id) as watcher,
    ):
        code = runner.index(job_id, leader, interrupted, watcher.indexed, advanced=watcher.advanced, again=again)
        keep_books(app.database, app.archive_root, job_id)
    return code


def _pages_of(app: "App", job_id: int) -> int:
    from webstrata.db import catalog

    with app.database.read() as session:
        job = catalog.job(session, job_id)
    return job.indexed_page_count if job else 0


def _index_for_another(job_id: int, *, so_far: bool) -> int:
    """Index on behalf of the worker that started us, and end with it."""
    from webstrata.jobs.behalf import on_behalf_of
    from webstrata.jobs.children import Lifeline

    with _interruptible() as interrupted:
        lifeline = Lifeline.taken_up()
        with started() as app:
            runner, leader = app.runner(), lifeline.leader
            if so_far or leader is None:
                return runner.index_so_far(job_id, interrupted)
            return on_behalf_of(leader, app.database, job_id, partial(runner.index, job_id, leader, interrupted))


@contextmanager
def _interruptible() -> Iterator[threading.Event]:
    """Yield what is set by SIGINT and SIGTERM."""
    interrupted = threading.Event()

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        interrupted.set()

    previous = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield interrupted
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def _leave(code: int, interrupted: threading.Event, what: str) -> None:
    """Leave as interrupted or failed, if so it was."""
    if interrupted.is_set():
        raise KeyboardInterrupt
    if code:
        print(f"webstrata: {what} ended with exit code {code}", file=sys.stderr)
        raise typer.Exit(1)
