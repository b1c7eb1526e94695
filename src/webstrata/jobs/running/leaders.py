"""Finds the process that leads a job, and describes where to watch the job and how to stop it."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from webstrata.coordination.presence import is_dead, process_of, site_of
from webstrata.db.engine import Database
from webstrata.db.queue import leases

WORKER_KIND = "worker-"
"""Prefix of the names under which workers register; a process that leads a job has another name."""


@dataclass(frozen=True)
class Leader:
    """A process that runs a job through its stages."""

    job_id: int
    host: str
    pid: str
    is_worker: bool
    site: str = ""
    """Address of the server that the worker belongs to."""

    @property
    def described(self) -> str:
        """Return the kind of process and its number, in words."""
        worker = "the server's worker" if self.site else "a worker"
        return f"{worker if self.is_worker else 'another command'}, process {self.pid} on {self.host}"

    @property
    def ways_out(self) -> str:
        """Return where the job can be watched and how it can be stopped."""
        where = f"at {self.site}jobs/{self.job_id}" if self.site else f"with webstrata show-job --id {self.job_id}"
        return f"watch it {where}, stop it with webstrata stop-job --id {self.job_id}"

    def __str__(self) -> str:
        """Return the message for a process that tried to lead the same job."""
        return f"job {self.job_id} is being worked on by another process ({self.described}): {self.ways_out}"


def find_leader(database: Database, archive_root: Path, job_id: int) -> Leader | None:
    """Return the live process that leads a job, if there is one."""
    with database.read() as session:
        owner = leases.leader(session, job_id, datetime.now(UTC))
    if owner is None or is_dead(archive_root, owner):
        return None
    host, _, pid = process_of(owner).rpartition(":")
    site = site_of(archive_root, owner, WORKER_KIND)
    return Leader(job_id, host, pid, is_worker=site is not None, site=site or "")
