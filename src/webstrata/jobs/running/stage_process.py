"""Runs one stage of a job in a child process; a failure is reported through the job's row."""

from collections.abc import Callable
from contextlib import suppress

import structlog

from webstrata.db.engine import Database
from webstrata.db.queue import leases
from webstrata.errors import OUR_TROUBLE, LeaseLostError, WebstrataError
from webstrata.jobs.running.stages import BROKEN, LEASE_LOST, OUR_TROUBLE_CODE, WRONG_USAGE

log = structlog.get_logger()


def on_behalf_of(leader: str, database: Database, job_id: int, stage: Callable[[], int]) -> int:
    """Run a stage and return its exit code; a failure has a code of its own, and its reason is stored."""
    try:
        return stage()
    except LeaseLostError as error:
        log.error("stage.lease.lost", job_id=job_id, reason=str(error))
        return LEASE_LOST
    except OUR_TROUBLE as error:
        return _report_failure(database, job_id, leader, str(error), OUR_TROUBLE_CODE)
    except WebstrataError as error:
        return _report_failure(database, job_id, leader, str(error), WRONG_USAGE)
    except Exception as error:
        log.exception("stage.broken", job_id=job_id)
        return _report_failure(database, job_id, leader, f"{type(error).__name__}: {error}", BROKEN)


def _report_failure(database: Database, job_id: int, leader: str, reason: str, code: int) -> int:
    """Store why a stage failed for its leader to read; if that fails, too, only the log has it."""
    log.error("stage.failed", job_id=job_id, reason=reason)
    with suppress(WebstrataError), database.write() as session:
        leases.set_as(session, job_id, leader, status_reason=reason)
    return code
