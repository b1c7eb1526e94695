"""The index lease of a job: acquired, renewed in the background during indexing, and released."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from uuid import uuid4

import structlog

from webstrata.coordination.presence import is_gone, present
from webstrata.db.engine import Database
from webstrata.db.queue import index_leases
from webstrata.db.queue.index_leases import IndexLease
from webstrata.errors import DatabaseError, LeaseLostError

log = structlog.get_logger()

_LEASE = timedelta(seconds=60)
_RENEWED_EVERY = 10.0


@contextmanager
def holding(database: Database, archive_root: Path, job_id: int) -> Iterator[IndexLease]:
    """Hold the lease while the block lasts, and renew it; LeaseLostError while another process indexes the job.

    The lease of a process that died on this machine is taken over at once; on another machine it has to expire.
    """
    with present(archive_root) as owner:
        now = datetime.now(UTC)
        with database.write() as session:
            requested = IndexLease(job_id, uuid4().hex)
            gone = partial(is_gone, archive_root)
            lease = index_leases.take(session, requested, owner, now + _LEASE, now=now, is_dead=gone)
        over = threading.Event()
        renewing = threading.Thread(target=_renew, args=(database, lease, over), name="index lease", daemon=True)
        renewing.start()
        try:
            yield lease
        finally:
            over.set()
            renewing.join()
            with suppress(DatabaseError), database.write() as session:
                index_leases.release(session, lease)


def _renew(database: Database, lease: IndexLease, over: threading.Event) -> None:
    while not over.wait(_RENEWED_EVERY):
        try:
            with database.write() as session:
                index_leases.renew(session, lease, datetime.now(UTC), _LEASE)
        except DatabaseError as error:
            log.warning("index.lease.not_renewed", job_id=lease.job_id, reason=str(error))
        except LeaseLostError as error:
            log.error("index.lease.lost", job_id=lease.job_id, reason=str(error))
            return
