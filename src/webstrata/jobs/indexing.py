"""The index stage of a job in this process: captures made searchable, then shown to the plugins."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from webstrata.assets.registry import PluginRegistry
from webstrata.assets.stage import run_plugins
from webstrata.db import captures, frontier, jobs, leases, snapshots
from webstrata.db.engine import Database, Session
from webstrata.db.jobs import StoredJob
from webstrata.errors import ConflictError
from webstrata.index.ends import is_cleaned_away
from webstrata.index.pipeline import index_job, index_so_far
from webstrata.model.jobs import JobStatus
from webstrata.model.tasks import TaskStatus
from webstrata.warc.discovery import discover_warcs_for_job

Progress = Callable[[int], None]
Advanced = Callable[[int, int], None]


@dataclass(frozen=True)
class Indexing:
    """What it takes to index in this process."""

    database: Database
    archive_root: Path
    plugins: PluginRegistry
    processes: int | None = None

    def run(
        self,
        job_id: int,
        leader: str,
        progress: Progress,
        interrupted: threading.Event,
        *,
        advanced: Advanced = lambda done, total: None,
        again: bool = False,
    ) -> int:
        """Make what a crawl brought searchable and let the plugins look at it.

        Return 0, 1 if it failed, 130 if it was stopped. Only then is the job done: killed before, it counts as under
        way and somebody goes on with it.
        """
        with self.database.read() as session:
            job = jobs.load_job(session, job_id)
            done = JobStatus.STOPPED if _ended(job) is JobStatus.STOPPED else JobStatus.INDEXED
            nothing_kept = _nothing_kept(captures.warc_totals(session, job_id)[1], done, _was_crawled(session, job_id))
        if not nothing_kept and (code := self._indexed(job, progress, interrupted, advanced, again)):
            return code
        with self.database.write() as session:
            leases.set_as(session, job_id, leader, status=done, pause_count=0)
        return 0

    def _indexed(
        self, job: StoredJob, progress: Progress, interrupted: threading.Event, advanced: Advanced, again: bool
    ) -> int:
        database, root = self.database, self.archive_root
        code = index_job(
            job.id,
            database=database,
            archive_root=root,
            progress=progress,
            advanced=advanced,
            done=JobStatus.INDEXING,
            again=again,
            processes=self.processes,
            stopping=interrupted,
        )
        if code == 0:
            run_plugins(job.id, database=database, archive_root=root, registry=self.plugins, plugins=job.config.plugins)
        return code

    def so_far(self, job_id: int, interrupted: threading.Event) -> int:
        """Make searchable what a running crawl has brought since last time; return 0, or 130 if it was stopped."""
        return index_so_far(
            job_id,
            database=self.database,
            archive_root=self.archive_root,
            processes=self.processes,
            stopping=interrupted,
        )


def refuse_cleaned_away(database: Database, archive_root: Path, job_id: int) -> None:
    """Raise ConflictError when `cleanup-job` deleted all that a job could be indexed from: its index stays as it is."""
    with database.read() as session:
        job, files = jobs.load_job(session, job_id), captures.warc_files(session, job_id)
        pages = snapshots.count_of_job(session, job_id)
    if not files or not all(is_cleaned_away(archive_root, job, warc) for warc in files):
        return
    if Path(job.output_dir).exists() and discover_warcs_for_job(job):
        return
    raise ConflictError(
        f"job {job_id} cannot be indexed again: cleanup-job deleted its WARC files;"
        f" its snapshots ({pages:,}) stay searchable"
    )


def _ended(job: StoredJob) -> JobStatus | None:
    return job.status if job.status is JobStatus.STOPPED else job.crawl_ended


def _was_crawled(session: Session, job_id: int) -> bool:
    return frontier.has_any(session, job_id, *TaskStatus)


def _nothing_kept(size: int, done: JobStatus, was_crawled: bool) -> bool:
    """Tell whether a crawl left nothing to index; what was crawled elsewhere the index has to look for."""
    return size == 0 and (done is JobStatus.STOPPED or was_crawled)
