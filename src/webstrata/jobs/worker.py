"""The worker: takes the job that has waited longest, runs it, takes the next."""

import signal
import threading
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

import structlog

from webstrata.db import jobs, leases
from webstrata.errors import OUR_TROUBLE, DatabaseError, LeaseLostError, WebstrataError
from webstrata.jobs.lifecycle import Runner

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
    except OUR_TROUBLE as error:
        log.error("worker.trouble", reason=str(error))
        return False


def process_next_job(runner: Runner, stopping: threading.Event) -> bool:
    """Run the job that has waited longest, or help with one that is under way; return whether there was one."""
    runner.recovery.tend()
    with runner.database.read() as session:
        job_id = jobs.next_in_line(session, datetime.now(UTC))
    return _ran(runner, job_id, stopping) if job_id is not None else _helped(runner, stopping)


def _ran(runner: Runner, job_id: int, stopping: threading.Event) -> bool:
    try:
        runner.run(job_id, interrupted=stopping, helpers_welcome=True)
    except LeaseLostError as error:
        log.info("job.under_way", job_id=job_id, reason=str(error))
    except DatabaseError:
        return False
    except OUR_TROUBLE:
        return True
    except WebstrataError as error:
        log.error("job.failed", job_id=job_id, reason=str(error))
        _fail(runner, job_id, str(error))
    except Exception as error:
        log.exception("job.broken", job_id=job_id)
        _fail(runner, job_id, f"{type(error).__name__}: {error}")
    return True


def _helped(runner: Runner, stopping: threading.Event) -> bool:
    """Help with a crawl that another worker leads, if there is one that can use it."""
    with runner.database.read() as session:
        under_way = leases.helpable(session, datetime.now(UTC))
    return any(Path(job.output_dir).is_dir() and _lent_a_hand(runner, job.job_id, stopping) for job in under_way)


def _lent_a_hand(runner: Runner, job_id: int, stopping: threading.Event) -> bool:
    """Help; whatever goes wrong here is the helper's trouble, the job goes on without it."""
    try:
        return runner.help(job_id, stopping)
    except OUR_TROUBLE:
        raise
    except WebstrataError as error:
        log.error("job.help.failed", job_id=job_id, reason=str(error))
    except Exception:
        log.exception("job.help.broken", job_id=job_id)
    return False


def _fail(runner: Runner, job_id: int, reason: str) -> None:
    with runner.database.write() as session:
        leases.fail(session, job_id, reason)
