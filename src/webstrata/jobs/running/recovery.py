"""Recovery after dead workers: their jobs are queued again, and half-written WARC records are removed."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import structlog

from webstrata.coordination.permits import DEFAULT_DELAY, PermitStore
from webstrata.coordination.presence import announced_here, bury
from webstrata.db.engine import Database
from webstrata.db.operations import operations
from webstrata.db.operations.operations import Operation
from webstrata.db.queue import frontier, jobs, leases
from webstrata.errors import StorageError

log = structlog.get_logger()


@dataclass(frozen=True)
class Recovery:
    """Cleans up after dead workers of one archive; several processes may do so at the same time."""

    database: Database
    archive_root: Path
    permits: PermitStore
    rest: timedelta = timedelta(seconds=DEFAULT_DELAY)
    """The least rest of hosts that a dead worker was using: the time of its last request is unknown."""
    _complained_about: set[str] = field(default_factory=set)

    @classmethod
    def resting(
        cls, database: Database, archive_root: Path, permits: PermitStore, per_host_delay: float | None
    ) -> "Recovery":
        """Return the same recovery, with the default delay of jobs as the rest of hosts."""
        rest = timedelta(seconds=DEFAULT_DELAY if per_host_delay is None else per_host_delay)
        return cls(database, archive_root, permits, rest)

    def tend(self) -> None:
        """Release what dead workers of this machine held, and the expired leases of workers elsewhere."""
        alive = [owner for owner in announced_here(self.archive_root) if not self._bury(owner)]
        with self.database.read() as session:
            abandoned = leases.has_abandoned(session, datetime.now(UTC), alive)
        if abandoned:
            with self.database.write() as session:
                requeued = leases.requeue_abandoned(session, datetime.now(UTC), alive)
                operations.count(session, Operation.JOB_LEASES_RECLAIMED, len(requeued))
                _log_requeued(requeued)

    def _bury(self, owner: str) -> bool:
        """Clear up after a worker if it is dead, and return whether it is."""
        dead = False
        try:
            with bury(self.archive_root, owner) as dead:
                if dead:
                    self._clear_up_after(owner)
        except StorageError as error:
            self._complain(owner, error)
        return dead

    def _clear_up_after(self, owner: str) -> None:
        # Imported here: it is needed only after a death, and the crawler takes long to load.
        from webstrata.crawl.commit import recover

        with self.database.write() as session:
            # The job first, then its tasks: the same order of locks as in commits.
            worked_on = frontier.jobs_of(session, owner)
            for job_id in worked_on:
                leases.lock_job(session, job_id)
            delays = jobs.host_delays(session, worked_on)
            reclaimed = frontier.reclaim(session, owner, datetime.now(UTC))
            requeued = leases.requeue_of(session, owner)
            operations.count(session, Operation.TASK_LEASES_RECLAIMED, reclaimed)
            operations.count(session, Operation.JOB_LEASES_RECLAIMED, len(requeued))
            _log_requeued(requeued)
        self.permits.forget_owner(owner, max([self.rest, *(timedelta(seconds=delay) for delay in delays)]))
        recover(self.database, self.archive_root, owner)
        log.info("worker.buried", owner=owner)

    def _complain(self, owner: str, error: StorageError) -> None:
        """Log a problem with a dead worker's files only once, as recovery is retried every time."""
        if owner not in self._complained_about:
            self._complained_about.add(owner)
            log.error("worker.recovery.failed", owner=owner, reason=str(error))


def _log_requeued(requeued: list[int]) -> None:
    for job_id in requeued:
        log.warning("job.requeued", job_id=job_id)
