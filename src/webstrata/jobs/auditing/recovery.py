"""Recovery of audits whose worker died: they return to the queue, at once if the worker was on this machine."""

import socket
from datetime import UTC, datetime
from pathlib import Path

import structlog

from webstrata.coordination.domain_locks import DomainLocks
from webstrata.coordination.presence import announced_here, is_dead
from webstrata.db.auditing import queue
from webstrata.db.engine import Database

log = structlog.get_logger()


def requeue_audits(database: Database, archive_root: Path, max_attempts: int, locks: DomainLocks) -> None:
    """Return the sessions of dead workers to the queue; those with too many attempts are marked as failed.

    Their domains are released: otherwise a session would wait until the lock of its own earlier attempt expires.
    """
    with database.read() as session:
        owners = queue.lease_owners(session)
    if not owners:
        return
    dead = _dead_among(archive_root, owners)
    with database.write() as session:
        requeued = queue.requeue_abandoned(session, datetime.now(UTC), dead, max_attempts)
    for audit, token in requeued:
        locks.release_abandoned(audit.url, audit.id, token)
        log.warning("audit.requeued", session_id=audit.id, status=audit.status, attempts=audit.attempts)


def _dead_among(archive_root: Path, owners: set[str]) -> list[str]:
    """Return the dead owners of this machine, including those that were cleaned up already."""
    here, announced = f"{socket.gethostname()}:", set(announced_here(archive_root))
    return [
        owner for owner in owners if owner.startswith(here) and (owner not in announced or is_dead(archive_root, owner))
    ]
