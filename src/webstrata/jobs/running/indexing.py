"""The index stage of a job in this process: indexes captures, then runs the plugins on them."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from webstrata.assets.registry import PluginRegistry
from webstrata.assets.stage import keep_pages_so_far, run_plugins
from webstrata.changes.site.reporting import EndedRun, SiteReporting
from webstrata.changes.stage import ChangeTracking
from webstrata.db.captures import captures, snapshots
from webstrata.db.engine import Database
from webstrata.db.queue import frontier, jobs, leases
from webstrata.db.queue.jobs import StoredJob
from webstrata.db.search.stored_forms import learn_stored_forms
from webstrata.db.watching.site_diff import CrawlDefaults
from webstrata.errors import ConflictError
from webstrata.index.pipeline import follow_crawl, index_job
from webstrata.index.version import INDEX_VERSION
from webstrata.index.warc_ends import is_cleaned_away
from webstrata.jobs.running.stages import INTERRUPTED
from webstrata.jobs.watching.search_matching import SearchMatching
from webstrata.model.crawl.tasks import TaskStatus
from webstrata.model.jobs.job import CUT_SHORT, JobStatus
from webstrata.warc.adopting import adopt_warcs_for_job
from webstrata.warc.discovery import discover_warcs_for_job

Progress = Callable[[int], None]
Advanced = Callable[[int, int], None]

FOLLOW_SECONDS = 1.0


@dataclass(frozen=True)
class Indexing:
    """Indexes jobs in this process."""

    database: Database
    archive_root: Path
    plugins: PluginRegistry
    processes: int | None = None
    tracks_changes: bool = True
    follow_every_seconds: float = FOLLOW_SECONDS
    """How often the captures of a running crawl are indexed."""
    crawl_defaults: CrawlDefaults | None = None
    """The limits of crawls, which decide whether a run is complete; None to compare no runs."""

    def run(
        self,
        job_id: int,
        leader: str,
        progress: Progress,
        interrupted: threading.Event,
        *,
        advanced: Advanced = lambda done, total: None,
        looked: Advanced = lambda done, total: None,
        again: bool = False,
    ) -> int:
        """Make a crawl's captures searchable and run the plugins on them.

        Return 0, 1 if it failed, 130 if it was stopped. The job is done only after that: if killed before, it counts as
        running and another worker continues it.
        """
        with self.database.read() as session:
            job = jobs.load_job(session, job_id)
        ended = _crawl_status(job)
        done = ended if ended in CUT_SHORT else JobStatus.INDEXED
        code = 0
        learn_stored_forms(self.database)
        if self._has_any(job, done):
            code = self._run_index(job, progress, interrupted, advanced, again)
            if code == 0:
                self._run_plugins(job, looked)
                code = self._compute_changes(job, done, interrupted)
        if code == 0:
            self._set(job_id, leader, status=done, pause_count=0, indexed_at=datetime.now(UTC))
        elif code == INTERRUPTED and done in CUT_SHORT:
            self._set(job_id, leader, status=done)
        return code

    def _set(self, job_id: int, leader: str, **values: object) -> None:
        with self.database.write() as session:
            leases.set_as(session, job_id, leader, **values)

    def _has_any(self, job: StoredJob, done: JobStatus) -> bool:
        """Return whether there is something to index; True for a job that was not crawled here."""
        with self.database.read() as session:
            size = captures.warc_totals(session, job.id)[1]
            was_crawled = frontier.has_any(session, job.id, *TaskStatus)
        if size or was_crawled or done not in CUT_SHORT:
            return bool(size) or not was_crawled
        adopt_warcs_for_job(job, database=self.database, archive_root=self.archive_root)
        with self.database.read() as session:
            return captures.warc_totals(session, job.id)[1] > 0

    def _run_index(
        self, job: StoredJob, progress: Progress, interrupted: threading.Event, advanced: Advanced, again: bool
    ) -> int:
        database, root = self.database, self.archive_root
        return index_job(
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

    def _run_plugins(self, job: StoredJob, looked: Advanced) -> None:
        run_plugins(
            job.id,
            database=self.database,
            archive_root=self.archive_root,
            registry=self.plugins,
            plugins=job.config.plugins,
            progress=looked,
        )

    def _compute_changes(self, job: StoredJob, done: JobStatus, interrupted: threading.Event) -> int:
        """Compute the change events of the job's source; until this is done the job counts as running."""
        if not self.tracks_changes:
            return 0
        reporting = None
        if self.crawl_defaults is not None:
            reporting = SiteReporting(self.database, self.archive_root, self.crawl_defaults)
        tracking = ChangeTracking(
            self.database,
            self.archive_root,
            INDEX_VERSION,
            site_reporting=reporting,
            match_searches=SearchMatching(self.database).match,
        )
        counts = tracking.compute(job.source_id, stopping=interrupted, ended=EndedRun(job.id, done))
        return INTERRUPTED if counts.was_stopped else 0

    def so_far(self, job_id: int, interrupted: threading.Event) -> int:
        """Index the captures of a running crawl, and run the plugins on its pages, so that little remains to be done
        after it; return 130 once stopped."""
        with self.database.read() as session:
            job = jobs.load_job(session, job_id)
        last_id = 0

        def keep_pages() -> None:
            nonlocal last_id
            last_id = keep_pages_so_far(
                job_id,
                last_id,
                database=self.database,
                archive_root=self.archive_root,
                registry=self.plugins,
                plugins=job.config.plugins,
                stopping=interrupted,
            )

        return follow_crawl(
            job_id,
            database=self.database,
            archive_root=self.archive_root,
            every=self.follow_every_seconds,
            indexed=keep_pages,
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


def _crawl_status(job: StoredJob) -> JobStatus | None:
    return job.status if job.status in CUT_SHORT else job.crawl_ended
