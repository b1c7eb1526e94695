"""To lead a job: to hold its lease through all its stages, so that nobody else takes it up meanwhile."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta

import structlog

from webstrata.db import leases
from webstrata.db.engine import Database
from webstrata.errors import DatabaseError, LeaseLostError

log = structlog.get_logger()

_LEASE = timedelta(seconds=60)
_RENEWED_EVERY = 10.0


@contextmanager
def leading(database: Database, job_id: int, owner: str, *, helpers_welcome: bool = True) -> Iterator[None]:
    """Take a job's lease, renew it while the work lasts and give it back; LeaseLostError while another leads."""
    with database.write() as session:
        leases.lease(session, job_id, owner, datetime.now(UTC), _LEASE, helpers_welcome=helpers_welcome)
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
