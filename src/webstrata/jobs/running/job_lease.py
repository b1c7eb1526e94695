"""The job lease: a worker leads a job while it holds its lease, so that no other worker takes the job meanwhile."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import structlog

from webstrata.coordination.presence import present
from webstrata.db.engine import Database, Session
from webstrata.db.queue import leases
from webstrata.errors import OUR_TROUBLE, DatabaseError, LeaseLostError, WebstrataError
from webstrata.jobs.running.leaders import find_leader
from webstrata.model.jobs.attempts import rest_after_trouble
from webstrata.model.jobs.job import JobStatus

log = structlog.get_logger()

_LEASE = timedelta(seconds=60)
_RENEWED_EVERY = 10.0

Take = Callable[[Session, int, str, datetime, timedelta], None]
"""A function that takes a lease, for all stages or for the index alone."""


@contextmanager
def lead_job(
    database: Database, archive_root: Path, job_id: int, take: Take = leases.lease, *, helpers_welcome: bool = False
) -> Iterator[str]:
    """Hold the lease of a job; yield the owner's name.

    After a failure on our side the job is paused and retried; a job with an invalid configuration fails, as it would
    for every worker.
    """
    taken = partial(take, helpers_welcome=helpers_welcome) if take is leases.lease else take
    with structlog.contextvars.bound_contextvars(job_id=job_id):
        try:
            with (
                present(archive_root) as owner,
                _hold(database, job_id, owner, taken, archive_root),
                _failing(database, job_id, owner, take),
            ):
                yield owner
        except OUR_TROUBLE as error:
            pause(database, job_id, error)
            raise


@contextmanager
def hold_lease(database: Database, job_id: int, owner: str, *, helpers_welcome: bool = True) -> Iterator[None]:
    """Hold a job's lease while the block lasts, and renew it; LeaseLostError while another process leads the job."""
    with _hold(database, job_id, owner, partial(leases.lease, helpers_welcome=helpers_welcome)):
        yield


def pause(database: Database, job_id: int, error: Exception) -> None:
    """Pause a job, each time for longer; when the database is unavailable, the pause is only logged."""
    log.error("job.paused", job_id=job_id, reason=str(error))
    with suppress(DatabaseError), database.write() as session:
        rest = rest_after_trouble(leases.pauses(session, job_id))
        leases.pause(session, job_id, str(error), datetime.now(UTC) + rest)


@contextmanager
def _failing(database: Database, job_id: int, owner: str, take: Take) -> Iterator[None]:
    try:
        yield
    except (*OUR_TROUBLE, LeaseLostError):
        raise
    except WebstrataError as error:
        failed = JobStatus.FAILED if take is leases.lease else JobStatus.INDEX_FAILED
        with database.write() as session:
            leases.set_as(session, job_id, owner, status=failed, status_reason=str(error))
        raise


@contextmanager
def _hold(database: Database, job_id: int, owner: str, take: Take, archive_root: Path | None = None) -> Iterator[None]:
    try:
        with database.write() as session:
            take(session, job_id, owner, datetime.now(UTC), _LEASE)
    except LeaseLostError:
        other = find_leader(database, archive_root, job_id) if archive_root else None
        if other is None:
            raise
        raise LeaseLostError(str(other)) from None
    over = threading.Event()
    renewing = threading.Thread(target=_renew, args=(database, job_id, owner, over), name="lease", daemon=True)
    renewing.start()
    try:
        yield
    finally:
        over.set()
        renewing.join()
        with suppress(DatabaseError), database.write() as session:
            leases.release(session, job_id, owner)


def _renew(database: Database, job_id: int, owner: str, over: threading.Event) -> None:
    while not over.wait(_RENEWED_EVERY):
        try:
            with database.write() as session:
                leases.renew_lease(session, job_id, owner, datetime.now(UTC), _LEASE)
        except DatabaseError as error:
            log.warning("job.lease.not_renewed", job_id=job_id, reason=str(error))
        except LeaseLostError as error:
            log.error("job.lease.lost", job_id=job_id, reason=str(error))
            return
