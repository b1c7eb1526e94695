"""The worker: takes the job that has waited longest, runs it, takes the next."""

import signal
import threading
from datetime import UTC, datetime
from types import FrameType

import structlog

from webstrata.db import jobs
from webstrata.errors import DatabaseError, LeaseLostError, StorageError, WebstrataError
from webstrata.jobs.lifecycle import Runner, requeue_orphans
from webstrata.model.jobs import JobStatus

log = structlog.get_logger()


def run_worker_loop(poll_interval: float = 30, run_once: bool = False, *, runner: Runner) -> None:
    """Run queued jobs until SIGINT or SIGTERM, or only one."""
    stopping = threading.Event()

    def stop(_number: int, _frame: FrameType | None) -> None:
        stopping.set()

    previous = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    log.info("worker.start", poll_interval=poll_interval, once=run_once)
    try:
        while not stopping.is_set():
            worked = _worked(runner, stopping)
            if run_once:
                break
            if not worked:
                stopping.wait(poll_interval)
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
        log.info("worker.stop")


def _worked(runner: Runner, stopping: threading.Event) -> bool:
    """Run the next job, if any; a database that is away for a while is waited for."""
    try:
        return process_next_job(runner, stopping)
    except DatabaseError as error:
        log.error("worker.database.away", reason=str(error))
        return False


def process_next_job(runner: Runner, stopping: threading.Event) -> bool:
    """Run the job that has waited longest; return whether there was one."""
    requeue_orphans(runner.database)
    with runner.database.write() as session:
        job_id = jobs.next_in_line(session, datetime.now(UTC))
        if job_id is None:
            return False
        jobs.set_job(session, job_id, status=JobStatus.RUNNING)
    try:
        if runner.run(job_id).status is JobStatus.STOPPED:
            stopping.set()
    except LeaseLostError as error:
        log.info("job.under_way", job_id=job_id, reason=str(error))
    except StorageError:
        return True
    except DatabaseError:
        return False
    except WebstrataError as error:
        log.error("job.failed", job_id=job_id, reason=str(error))
        _fail(runner, job_id, str(error))
    except Exception as error:
        log.exception("job.broken", job_id=job_id)
        _fail(runner, job_id, f"{type(error).__name__}: {error}")
    return True


def _fail(runner: Runner, job_id: int, reason: str) -> None:
    with runner.database.write() as session:
        jobs.set_job(session, job_id, status=JobStatus.FAILED, status_reason=reason)
