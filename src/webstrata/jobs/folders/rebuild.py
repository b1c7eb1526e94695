"""Rebuilding a lost database from the archive root alone, with the same ids."""

import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

import structlog

from webstrata.assets.registry import PluginRegistry
from webstrata.assets.stage import run_plugins
from webstrata.db.captures import problems
from webstrata.db.engine import Database
from webstrata.db.queue import jobs
from webstrata.db.sources import manifests, rebuilding
from webstrata.db.sources.rebuilding import Totals
from webstrata.db.sql import ids
from webstrata.errors import ConflictError, LeaseLostError, StorageError
from webstrata.index.pipeline import index_job
from webstrata.jobs.auditing.schedule_file import restore_schedules
from webstrata.jobs.folders.manifest import write_manifest, write_sources
from webstrata.jobs.folders.rebuild_plan import PlannedJob, PlannedSource, RebuildPlan, plan_rebuild
from webstrata.jobs.watching.files import restore_watching
from webstrata.model.jobs.job import JobStatus
from webstrata.notifications.backup import restore_notifications
from webstrata.notifications.reviewing import restore_reviews
from webstrata.retention.holds import restore_holds
from webstrata.warc.adopting import adopt_warcs_for_job
from webstrata.warc.cdxj import EXTERNAL_FOLDER, journal_folder, read_journal

log = structlog.get_logger()

_INTERRUPTED = 130
_NOTHING_YET = {"indexed_page_count": 0, "warc_file_count": 0, "warc_bytes_total": 0}
"""The counts of a job before its files are found and indexed."""

_Claiming = TypeVar("_Claiming", PlannedSource, PlannedJob)


@dataclass
class RebuildReport:
    """The result of a rebuild: what was found and made, and its problems."""

    plan: RebuildPlan
    problems: list[str]
    added_sources: int = 0
    added_jobs: int = 0
    indexed_jobs: int = 0
    totals: Totals = field(default_factory=Totals)
    interrupted: bool = False


@dataclass(frozen=True)
class RebuildCallbacks:
    """Callbacks that report the progress of a rebuild."""

    begun: Callable[[PlannedJob, int, int], None] = lambda job, number, of: None
    """Called with the next job, its number and the number of jobs."""
    indexed: Callable[[int], None] = lambda pages: None


@dataclass(frozen=True)
class Rebuild:
    """One rebuild of one archive; after a kill, a second run resumes it."""

    database: Database
    archive_root: Path
    plugins: PluginRegistry = field(default_factory=PluginRegistry)
    watcher: RebuildCallbacks = field(default_factory=RebuildCallbacks)
    stopping: threading.Event = field(default_factory=threading.Event)

    def run(self, *, missing: bool = False) -> RebuildReport:
        """Restore sources, jobs, captures and snapshots, or only those that are missing.

        ConflictError when the database has other content than an interrupted rebuild, unless `missing` is set.
        """
        plan = plan_rebuild(self.archive_root)
        report = RebuildReport(plan, list(plan.problems))
        if not missing:
            self._refuse_others(plan)
        self._make_sources(report)
        restore_holds(self.database, self.archive_root)
        report.problems += restore_watching(self.database, self.archive_root)
        report.problems += self._restore_notifications() + restore_reviews(self.database, self.archive_root)
        report.problems += restore_schedules(self.database, self.archive_root)
        self._keep_promised_ids(plan.jobs)
        self._index_all(self._make_jobs(report, missing), report)
        if not report.interrupted:
            write_sources(self.database, self.archive_root)
        with self.database.read() as session:
            report.totals = rebuilding.totals(session)
        return report

    def _restore_notifications(self) -> list[str]:
        """Restore targets and subscriptions; a damaged file is only reported."""
        try:
            restore_notifications(self.database, self.archive_root)
        except StorageError as error:
            return [str(error)]
        return []

    def _refuse_others(self, plan: RebuildPlan) -> None:
        with self.database.read() as session:
            there = manifests.known_jobs(session)
            others = there if rebuilding.has_crawled(session) else _others(there, plan.jobs)
        if others:
            raise ConflictError(
                f"the database holds {len(there)} jobs already (job {min(others)} is in {others[min(others)]}):"
                " rebuild into an empty one, or add what is missing with --missing"
            )

    def _make_sources(self, report: RebuildReport) -> None:
        """Add the missing sources; one whose id is taken by another source gets a new id."""
        with self.database.write() as session:
            known = manifests.known_sources(session)
            taken = set(known.values())
            for source in _claims_first(report.plan.sources, taken):
                if source.code in known:
                    continue
                requested = source.id if source.id not in taken else None
                if requested != source.id:
                    report.problems.append(f"source {source.code}: its id {source.id} is taken: it gets a new one")
                manifests.add_source(session, source.facts, requested)
                report.added_sources += 1

    def _keep_promised_ids(self, planned: Iterable[PlannedJob]) -> None:
        """Reserve the ids that journals promised, so that no new row gets them."""
        root = self.archive_root
        folders = {journal_folder(job.id or 0, str(job.output_dir), root) for job in planned}
        folders |= {*(root / EXTERNAL_FOLDER).glob("job-*")}
        capture = snapshot = 0
        for folder in folders:
            for line in read_journal(folder):
                capture, snapshot = max(capture, line.capture_id), max(snapshot, line.snapshot_id or 0)
        with self.database.write() as session:
            if snapshot:
                ids.lift(session, "snapshots", snapshot)
            if capture:
                ids.lift(session, "captures", capture, autoincrement=False)

    def _make_jobs(self, report: RebuildReport, missing: bool) -> list[tuple[PlannedJob, int]]:
        """Add the missing jobs, and return those to be indexed."""
        with self.database.read() as session:
            there = manifests.known_jobs(session)
            unfinished = rebuilding.unfinished_jobs(session)
        taken, made, known_jobs = set(there), {}, _KnownJobs(there)
        for job in _claims_first(report.plan.jobs, taken):
            is_new = known_jobs.find(job) is None
            if job.loss and (is_new or not missing):
                report.problems.append(job.loss)
            if is_new:
                made[job.output_dir] = self._make_job(job, taken, report)
        to_index = []
        for job in report.plan.jobs:
            known = made.get(job.output_dir)
            if known is None and not missing:
                known = next(iter({known_jobs.find(job)} & unfinished), None)
            if known is not None and job.warc_files:
                to_index.append((job, known))
        return to_index

    def _make_job(self, job: PlannedJob, taken: set[int], report: RebuildReport) -> int:
        """Add a job's row and its files, ready to be indexed."""
        status, reason = job.goal
        if job.id in taken:
            report.problems.append(f"{job.output_dir}: its job id {job.id} is taken: it gets a new one")
        begun = JobStatus.COMPLETED if job.warc_files else status
        with self.database.write() as session:
            source_id = manifests.known_sources(session)[job.source_code]
            facts = {**job.facts, "status": begun, "status_reason": reason, **_NOTHING_YET}
            requested = None if job.id in taken else job.id
            job_id = manifests.add_job(session, facts, requested, source_id, str(job.output_dir))
        report.added_jobs += 1
        log.info("rebuild.job.made", job_id=job_id, folder=str(job.output_dir))
        return job_id

    def _index_all(self, made: list[tuple[PlannedJob, int]], report: RebuildReport) -> None:
        """Index jobs in the order of their creation, then again those with revisits of captures of later jobs."""
        late = []
        for number, (job, job_id) in enumerate(made, 1):
            self.watcher.begun(job, number, len(made))
            if self._is_indexed(job_id, report) and not self._settle_if_resolved(job, job_id, report):
                late.append((job, job_id))
            if report.interrupted:
                return
        for job, job_id in late:
            if self._is_indexed(job_id, report, again=True):
                self._settle(job_id, job.goal[0], report)
            if report.interrupted:
                return

    def _is_indexed(self, job_id: int, report: RebuildReport, *, again: bool = False) -> bool:
        """Index a job and return whether it is done; a failure is reported, and the other jobs continue."""
        with self.database.read() as session:
            stored = jobs.load_job(session, job_id)
        adopt_warcs_for_job(stored, database=self.database, archive_root=self.archive_root)
        index = partial(index_job, database=self.database, archive_root=self.archive_root, again=again)
        try:
            code = index(job_id, progress=self.watcher.indexed, done=JobStatus.INDEXING, stopping=self.stopping)
        except LeaseLostError as error:
            report.problems.append(str(error))
            return False
        report.interrupted = code == _INTERRUPTED
        if code and not report.interrupted:
            report.problems.append(f"job {job_id}: {self._reason(job_id)}")
        return code == 0

    def _settle_if_resolved(self, job: PlannedJob, job_id: int, report: RebuildReport) -> bool:
        """Settle a job unless it refers to captures that are not known yet."""
        with self.database.read() as session:
            waits = problems.unresolved_revisits(session, job_id)
        if not waits:
            self._settle(job_id, job.goal[0], report)
        return not waits

    def _settle(self, job_id: int, status: JobStatus, report: RebuildReport) -> None:
        """Run the plugins on an indexed job, and set its final status, so that a killed rebuild continues with this
        job."""
        with self.database.read() as session:
            requested = jobs.load_job(session, job_id).config.plugins
        known = dict.fromkeys(name for name in self.plugins.names if requested is None or name in requested)
        run_plugins(
            job_id, database=self.database, archive_root=self.archive_root, registry=self.plugins, plugins=(*known,)
        )
        with self.database.write() as session:
            jobs.set_job(session, job_id, status=status)
        write_manifest(self.database, job_id, archive_root=self.archive_root)
        report.indexed_jobs += 1

    def _reason(self, job_id: int) -> str:
        with self.database.read() as session:
            return jobs.outcome(session, job_id)[0] or "it could not be indexed"


def _claims_first(planned: Iterable[_Claiming], taken: Collection[int]) -> list[_Claiming]:
    """Sort so that entries with a claimed id come first: a new id must not be one that another entry claims."""
    return sorted(planned, key=lambda one: one.id is None or one.id in taken)


def _others(there: dict[int, str], planned: Iterable[PlannedJob]) -> dict[int, str]:
    """Return the jobs in the database that these manifests cannot have produced."""
    ours = {str(job.output_dir) for job in planned}
    return {job_id: folder for job_id, folder in there.items() if folder not in ours}


class _KnownJobs:
    """The jobs in the database, by their folders: an archive has thousands, and each is looked up."""

    def __init__(self, there: Mapping[int, str]) -> None:
        self._folders = {job_id: Path(folder) for job_id, folder in there.items()}
        self._by_folder = {folder: job_id for job_id, folder in reversed(self._folders.items())}

    def find(self, job: PlannedJob) -> int | None:
        """Return the existing job of a folder, also when the archive root had another path then."""
        known = self._by_folder.get(job.output_dir)
        if known is not None or job.id is None:
            return known
        folder = self._folders.get(job.id)
        return job.id if folder is not None and folder.name == job.output_dir.name else None
