"""The lease for computing a source's changes: acquired, renewed in the background, and released."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from uuid import uuid4

import structlog

from webstrata.coordination.presence import is_gone, present
from webstrata.db.changes import change_leases
from webstrata.db.changes.change_leases import SourceLease
from webstrata.db.engine import Database
from webstrata.errors import DatabaseError, LeaseLostError

log = structlog.get_logger()

_LEASE = timedelta(seconds=60)
_RENEWED_EVERY = 10.0
_ASKED_EVERY = 0.2


@contextmanager
def holding(
    database: Database, archive_root: Path, source_id: int, stopping: threading.Event
) -> Iterator[SourceLease | None]:
    """Wait for the lease of a source, renew it during the block and release it; yield None when stopped before."""
    with present(archive_root) as owner:
        lease = SourceLease(source_id, uuid4().hex)
        while not _try_to_take(database, archive_root, lease, owner):
            if stopping.is_set():
                yield None
                return
            time.sleep(_ASKED_EVERY)
        over = threading.Event()
        renewing = threading.Thread(target=_renew, args=(database, lease, over), name="changes lease", daemon=True)
        renewing.start()
        try:
            yield lease
        finally:
            over.set()
            renewing.join()
            with suppress(DatabaseError), database.write() as session:
                change_leases.release(session, lease)


def _try_to_take(database: Database, archive_root: Path, lease: SourceLease, owner: str) -> bool:
    now = datetime.now(UTC)
    with database.write() as session:
        return change_leases.take(session, lease, owner, now + _LEASE, now=now, is_dead=partial(is_gone, archive_root))


def _renew(database: Database, lease: SourceLease, over: threading.Event) -> None:
    while not over.wait(_RENEWED_EVERY):
        try:
            with database.write() as session:
                change_leases.renew(session, lease, datetime.now(UTC) + _LEASE)
        except DatabaseError as error:
            log.warning("changes.lease.not_renewed", source_id=lease.source_id, reason=str(error))
        except LeaseLostError as error:
            log.error("changes.lease.lost", source_id=lease.source_id, reason=str(error))
            return
