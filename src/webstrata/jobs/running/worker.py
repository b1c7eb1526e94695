"""The worker: crawls the job that has waited longest, helps other workers if none waits, and indexes at the same
time."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import FrameType

import structlog

from webstrata.coordination.presence import present
from webstrata.db.engine import Session
from webstrata.db.queue import frontier, jobs, leases
from webstrata.errors import OUR_TROUBLE, DatabaseError, LeaseLostError, WebstrataError
from webstrata.jobs.running.leaders import WORKER_KIND
from webstrata.jobs.running.persistent import WorkerContext, index_persistent_job, run_persistent_job
from webstrata.jobs.sources.schedule import queue_due
from webstrata.jobs.watching.schedule import queue_due_watches
from webstrata.model.crawl.tasks import TaskStatus
from webstrata.model.jobs.attempts import MAX_CRAWL_RETRIES
from webstrata.model.jobs.job import JobStatus

log = structlog.get_logger()

_INDEX_LOOK_SECONDS = 1.0
"""How often an idle indexer looks for work, so that a job whose crawl just ended need not wait for the next poll."""

_RETENTION_LOOK_SECONDS = 60.0
"""How often a worker checks whether a retention pass is due."""

_OUTBOX_LOOK_SECONDS = 2.0
"""How often a worker checks whether a notification is due."""

_INTEGRITY_LOOK_SECONDS = 60.0
"""How often a worker checks whether an integrity check is due or must be continued."""

_AUDIT_LOOK_SECONDS = 1.0
"""How often a worker checks whether an audit waits."""

_LOOK_AGAIN = timedelta(seconds=5)
"""How long a job is not taken again after another process was found to work on it."""


def run_worker_loop(
    poll_interval: float = 30, run_once: bool = False, *, context: WorkerContext, site: str = ""
) -> None:
    """Run queued jobs until SIGINT or SIGTERM, or only one; while one is crawled, another is indexed.

    Other processes can read the address of the site that shows the work.
    """
    with _until_signal() as stopping, _announcing(context, site):
        log.info("worker.start", poll_interval=poll_interval, once=run_once)
        if run_once:
            _try_step(process_next_job, context, stopping)
            _try_step(deliver_notifications, context, stopping)
        else:
            _work(context, poll_interval, stopping)
    log.info("worker.stop")


@contextmanager
def _announcing(context: WorkerContext, site: str) -> Iterator[None]:
    """Register this worker for `status`, also while it is idle; a failure to register does not stop it."""
    with ExitStack() as announced:
        try:
            announced.enter_context(present(context.archive_root, kind=WORKER_KIND, site=site))
        except OUR_TROUBLE as error:
            log.error("worker.trouble", reason=str(error))
        yield


def process_next_job(context: WorkerContext, stopping: threading.Event) -> bool:
    """Run the next job through all its stages, or help with one that is under way; return whether there was one."""
    job_id = _next_to_crawl(context)
    if job_id is not None:
        _run_crawl(context, job_id, stopping)
        if not stopping.is_set() and _waits_for_index(context, job_id):
            _run_index(context, job_id, stopping)
        return True
    if index_next_job(context, stopping) or _help_other_worker(context, stopping):
        return True
    return context.audits is not None and context.audits.run_due(stopping, once=True)


def crawl_next_job(context: WorkerContext, stopping: threading.Event) -> bool:
    """Crawl the job that has waited longest, or help with a crawl; return whether there was one."""
    job_id = _next_to_crawl(context)
    if job_id is None:
        return _help_other_worker(context, stopping)
    _run_crawl(context, job_id, stopping)
    return True


def index_next_job(context: WorkerContext, stopping: threading.Event) -> bool:
    """Index the job that has waited for it longest; return whether there was one."""
    with context.database.read() as session:
        job_id = jobs.next_to_index(session, datetime.now(UTC))
    if job_id is None:
        return False
    _run_index(context, job_id, stopping)
    return True


def apply_retention(context: WorkerContext, stopping: threading.Event) -> bool:
    """Delete what is expired, if a pass is due; always returns False, so that the worker then waits."""
    if context.retention is not None:
        context.retention.run_due(datetime.now(UTC), stopping)
    return False


def deliver_notifications(context: WorkerContext, stopping: threading.Event) -> bool:
    """Deliver the notifications that are due; always returns False, so that the worker then waits."""
    if context.delivery is not None:
        context.delivery.deliver_due(stopping)
    return False


def check_integrity(context: WorkerContext, stopping: threading.Event) -> bool:
    """Check a slice of the archive's files, if a check is due; always returns False, so that the worker then waits."""
    if context.integrity is not None:
        context.integrity.run_due(datetime.now(UTC), stopping)
    return False


def run_audits(context: WorkerContext, stopping: threading.Event) -> bool:
    """Run the audits that wait; return whether there was one."""
    return context.audits is not None and context.audits.run_due(stopping)


def _work(context: WorkerContext, poll_interval: float, stopping: threading.Event) -> None:
    """Crawl here; index, apply retention, deliver and check files in threads: stages run in their own processes."""
    beside = (
        ("index", index_next_job, min(poll_interval, _INDEX_LOOK_SECONDS)),
        ("retention", apply_retention, _RETENTION_LOOK_SECONDS),
        ("notifications", deliver_notifications, _OUTBOX_LOOK_SECONDS),
        ("integrity", check_integrity, _INTEGRITY_LOOK_SECONDS),
        ("audits", run_audits, min(poll_interval, _AUDIT_LOOK_SECONDS)),
    )
    threads = [
        threading.Thread(target=_repeat, args=(step, context, look, stopping), name=n) for n, step, look in beside
    ]
    for thread in threads:
        thread.start()
    try:
        _repeat(crawl_next_job, context, poll_interval, stopping)
    finally:
        stopping.set()
        for thread in threads:
            thread.join()


def _repeat(
    step: Callable[[WorkerContext, threading.Event], bool],
    context: WorkerContext,
    pause: float,
    stopping: threading.Event,
) -> None:
    while not stopping.is_set():
        if not _try_step(step, context, stopping):
            stopping.wait(pause)


def _try_step(
    step: Callable[[WorkerContext, threading.Event], bool], context: WorkerContext, stopping: threading.Event
) -> bool:
    """Run a step; while the database is not available, wait for it."""
    try:
        return step(context, stopping)
    except OUR_TROUBLE as error:
        log.error("worker.trouble", reason=str(error))
        return False


def _next_to_crawl(context: WorkerContext) -> int | None:
    """Clean up after dead workers, queue what is due, and return the job to crawl next."""
    context.recovery.tend()
    queue_due(context.database, context.archive_root, datetime.now(UTC))
    queue_due_watches(context.database, context.archive_root, datetime.now(UTC))
    with context.database.read() as session:
        return _select_next_crawl_job(session)


def _select_next_crawl_job(session: Session) -> int | None:
    """Return the queued or retryable job with the earliest `queued_at` (none first), then `created_at`, then id."""
    return jobs.next_in_line(session, datetime.now(UTC))


def _waits_for_index(context: WorkerContext, job_id: int) -> bool:
    with context.database.read() as session:
        return jobs.waits_for_index(session, job_id, datetime.now(UTC))


def _run_crawl(context: WorkerContext, job_id: int, stopping: threading.Event) -> None:
    with _settled_whatever_happens(context, job_id, JobStatus.FAILED):
        run_persistent_job(job_id, context=context, interrupted=stopping, max_retries=MAX_CRAWL_RETRIES)


def _run_index(context: WorkerContext, job_id: int, stopping: threading.Event) -> None:
    with _settled_whatever_happens(context, job_id, JobStatus.INDEX_FAILED):
        index_persistent_job(job_id, context=context, interrupted=stopping)


@contextmanager
def _settled_whatever_happens(context: WorkerContext, job_id: int, failed: JobStatus) -> Iterator[None]:
    """Confine a failure to the job, which fails or is paused with the reason; the worker continues."""
    try:
        yield
    except LeaseLostError as error:
        log.info("job.under_way", job_id=job_id, reason=str(error))
        with context.database.write() as session:
            leases.postpone(session, job_id, datetime.now(UTC) + _LOOK_AGAIN)
    except DatabaseError:
        raise
    except OUR_TROUBLE:
        return  # the job was paused, and this was logged
    except WebstrataError as error:
        log.error("job.failed", job_id=job_id, reason=str(error))
        _fail(context, job_id, failed, str(error))
    except Exception as error:
        log.exception("job.broken", job_id=job_id)
        _fail(context, job_id, failed, f"{type(error).__name__}: {error}")


def _help_other_worker(context: WorkerContext, stopping: threading.Event) -> bool:
    """Help with a crawl that another worker leads, if one has enough work.

    A crawl with too little work gets no helper, as one takes a second to start.
    """
    with context.database.read() as session:
        under_way = [
            job
            for job in leases.helpable(session, datetime.now(UTC))
            if frontier.has_any(session, job.job_id, TaskStatus.PENDING, TaskStatus.IN_PROGRESS)
        ]
    return any(Path(job.output_dir).is_dir() and _help_crawl(context, job.job_id, stopping) for job in under_way)


def _help_crawl(context: WorkerContext, job_id: int, stopping: threading.Event) -> bool:
    """Help with a crawl; an error is logged, and the job continues without the helper."""
    try:
        return context.stages.help(job_id, stopping)
    except OUR_TROUBLE:
        raise
    except WebstrataError as error:
        log.error("job.help.failed", job_id=job_id, reason=str(error))
    except Exception:
        log.exception("job.help.broken", job_id=job_id)
    return False


def _fail(context: WorkerContext, job_id: int, status: JobStatus, reason: str) -> None:
    with context.database.write() as session:
        leases.fail(session, job_id, reason, status)


@contextmanager
def _until_signal() -> Iterator[threading.Event]:
    """Yield what is set by the first SIGINT or SIGTERM."""
    stopping = threading.Event()

    def stop(_number: int, _frame: FrameType | None) -> None:
        stopping.set()

    previous = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stopping
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
