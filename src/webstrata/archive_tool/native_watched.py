"""The built-in crawler under a monitor: attempts run in child processes, under the job's lease."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import structlog

from webstrata.app import App
from webstrata.archive_tool.arguments import Arguments
from webstrata.archive_tool.modes import RunMode
from webstrata.archive_tool.monitor.watching import Monitor
from webstrata.archive_tool.native_engine import NativeEngine
from webstrata.archive_tool.supervising import begin, ended_by_signals, note_end, noted, supervise
from webstrata.db.queue import frontier, jobs, leases
from webstrata.db.queue.jobs import StoredJob
from webstrata.errors import CrawlerDiedError, DatabaseError
from webstrata.jobs.running.crawl_end import JobEnding, settle_with
from webstrata.jobs.running.lifecycle import Runner
from webstrata.jobs.running.stages import FAILED, INTERRUPTED
from webstrata.model.crawl.monitoring import MonitorLimits, RecoveryAction, Trouble
from webstrata.model.jobs.job import JobStatus
from webstrata.model.words import counted
from webstrata.storage.crawl_state import CrawlState
from webstrata.storage.file_system import check_room

log = structlog.get_logger()

_ASKED_EVERY_SECONDS = 2.0
"""How often to check for a stop request, as no other process does during a pause."""


def crawl_monitored(
    arguments: Arguments,
    app: App,
    runner: Runner,
    job: StoredJob,
    leader: str,
    state: CrawlState,
    mode: RunMode,
    limits: MonitorLimits,
    *,
    is_child: bool,
) -> int:
    """Crawl a job with a monitor, settle it and return the exit code.

    CrawlerDiedError when attempts died as often as the monitor allows; the job is retried later.
    """
    with app.database.write() as session:
        # No helpers, as the monitor cannot reduce or pause them.
        leases.set_as(session, job.id, leader, helpers_welcome=False)
    engine = NativeEngine(arguments, app.database, runner.recovery, job.id, leader)
    room = partial(check_room, arguments.output_dir, runner.min_free_bytes)
    with ended_by_signals() as ended, _asked_to_stop(app, job.id, ended) as stop_requested:
        with noted(state, is_child=is_child):
            begin(state, mode, runner.defaults.overridden(job.config.crawl).concurrency, overwrite=arguments.overwrite)
        code = supervise(engine, state, Monitor(limits, state), ended, check_room=room, is_child=is_child)
        if code == INTERRUPTED and not stop_requested.is_set():
            return code
        stopped = stop_requested.is_set() or ended.is_set()
        if _is_settled(app, job.id):
            return code
        if not stopped and _has_died(state):
            raise CrawlerDiedError(_why_it_ended(state))
        return _settle(app, runner, job, leader, state, stopped=stopped)


def _has_died(state: CrawlState) -> bool:
    """Return whether a run ended because its attempts died."""
    last = next(reversed(state.decisions), None)
    return last is None or last.get("answer") != RecoveryAction.GIVE_UP or last.get("trouble") == Trouble.CRASHED


def _why_it_ended(state: CrawlState) -> str:
    return str((state.ended or {}).get("reason") or "the crawl ended before it was done")


def _settle(app: App, runner: Runner, job: StoredJob, leader: str, state: CrawlState, *, stopped: bool) -> int:
    """Settle a job that no attempt has settled: it was stopped between two, or given up."""
    if stopped:
        with app.database.read() as session:
            to_go = frontier.counts(session, job.id).pending
        ended = JobEnding(JobStatus.STOPPED, f"stopped with {counted(to_go, 'URL')} to go")
    else:
        ended = JobEnding(JobStatus.FAILED, _why_it_ended(state))
    settle_with(app.database, job, leader, ended, runner.defaults.overridden(job.config.crawl))
    note_end(state, FAILED, ended.reason or "")
    log.info("crawl.end", status=ended.status, reason=ended.reason)
    return FAILED


def _is_settled(app: App, job_id: int) -> bool:
    with app.database.read() as session:
        return jobs.load_job(session, job_id).crawl_ended is not None


@contextmanager
def _asked_to_stop(app: App, job_id: int, ended: threading.Event) -> Iterator[threading.Event]:
    """Yield an event that is set when the run ends or when the crawl is asked to stop."""
    stop_requested, over = threading.Event(), threading.Event()

    def look() -> None:
        while not over.wait(_ASKED_EVERY_SECONDS):
            try:
                with app.database.read() as session:
                    unwanted = not leases.may_crawl(session, job_id)
                    unsettled = jobs.load_job(session, job_id).crawl_ended is None
            except DatabaseError as error:
                log.warning("stop.not_looked_for", reason=str(error))
                continue
            if unwanted and unsettled:
                stop_requested.set()
                ended.set()
                return

    looking = threading.Thread(target=look, name="stop-requests", daemon=True)
    looking.start()
    try:
        yield stop_requested
    finally:
        over.set()
        looking.join()
