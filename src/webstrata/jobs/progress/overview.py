"""The overview: what an archive is doing right now."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from webstrata.coordination.presence import announced_here, is_dead, is_of_kind, process_of
from webstrata.db.captures import captures
from webstrata.db.engine import Database
from webstrata.db.operations import catalog, overview
from webstrata.db.operations.overview import NextRun
from webstrata.index.version import INDEX_VERSION
from webstrata.jobs.folders.job_folders import StorageHealth, health
from webstrata.jobs.running.leaders import WORKER_KIND


@dataclass(frozen=True)
class Process:
    """A process of the archive, and its current work."""

    owner: str
    doing: str


@dataclass(frozen=True)
class ArchiveStatus:
    """What an archive is doing right now."""

    jobs: dict[str, int]
    """The number of jobs by status."""
    processes: tuple[Process, ...]
    next_turns: tuple[NextRun, ...]
    snapshots: int
    outdated_jobs: int
    """Jobs that an earlier version of the program indexed."""
    storage: StorageHealth
    database: str


def archive_status(database: Database, archive_root: Path, min_free_bytes: int) -> ArchiveStatus:
    """Return what an archive is doing right now."""
    now = datetime.now(UTC)
    with database.read() as session:
        counts, totals = catalog.job_status_counts(session), catalog.totals(session)
        led, crawled = overview.led_jobs(session, now), overview.crawled_by(session)
        runs = overview.next_runs(session)
        outdated = captures.outdated_jobs(session, INDEX_VERSION)
    alive = [owner for owner in announced_here(archive_root) if not is_dead(archive_root, owner)]
    doing = {owner: f"crawls job {job_id}" for owner, job_id in crawled.items() if owner in alive}
    doing |= {
        # The lease of a killed process has not expired yet; such processes are left out.
        job.leader: f"leads job {job.job_id} ({job.source_code}, {job.status})"
        for job in led
        if not is_dead(archive_root, job.leader)
    }
    busy = {*map(process_of, doing)}
    doing |= {
        owner: "has no job" for owner in alive if is_of_kind(owner, WORKER_KIND) and process_of(owner) not in busy
    }
    return ArchiveStatus(
        jobs=counts,
        processes=tuple(Process(owner, what) for owner, what in sorted(doing.items())),
        next_turns=tuple(runs),
        snapshots=totals.snapshots,
        outdated_jobs=len(outdated),
        storage=health(database, archive_root, min_free_bytes),
        database=database.shown,
    )
