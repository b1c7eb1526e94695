"""Indexing of a job: several processes read its WARC files, each from its last indexed record; one writes."""

import gc
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import structlog

from webstrata.db.captures import captures, problems, snapshots
from webstrata.db.captures.captures import KnownWarc
from webstrata.db.captures.new_rows import Problem
from webstrata.db.engine import Database
from webstrata.db.queue import frontier, index_leases, jobs
from webstrata.db.queue.index_leases import IndexLease
from webstrata.db.queue.jobs import StoredJob
from webstrata.db.retention import tombstones
from webstrata.db.sql.statistics import refresh_statistics
from webstrata.errors import ConflictError, OutsideRootError, UsageError, WarcError
from webstrata.index.batch_writers import BatchWriters
from webstrata.index.index_lease import holding
from webstrata.index.late_revisits import has_unresolved, index_late_revisits
from webstrata.index.moved import has_moved, index_moved
from webstrata.index.readers import ReaderProcesses, Readers, ReadersHere
from webstrata.index.reading import ReadingOptions
from webstrata.index.refusals import refusal_reason
from webstrata.index.signals import refresh_pagerank, settle_ranks
from webstrata.index.stream import FilePart, PartStream
from webstrata.index.version import INDEX_VERSION
from webstrata.index.warc_ends import end_problem, gone_from, is_cleaned_away
from webstrata.index.withheld import WithheldRecords
from webstrata.index.writing import FileWriting, IndexContext
from webstrata.model.crawl.tasks import TaskStatus
from webstrata.model.jobs.job import INDEXABLE, JobStatus
from webstrata.storage.paths import place_of
from webstrata.warc.adopting import adopt_warcs_for_job
from webstrata.warc.cdxj import Journal, Promised, journal_folder, promised_in
from webstrata.warc.withheld import withheld_in

log = structlog.get_logger()

MOST_PROCESSES = 4
SMALL_BYTES = 12_000_000
"""Below this size, files are read in this process: starting others takes longer."""

PART_BYTES = 8_000_000
"""Large files are read in parts of this size, so that several processes read one file."""

_OBJECTS_A_COLLECTION = 100_000
"""Allocations between two garbage collections: the ten thousand objects of a batch live until it is written anyway."""

INTERRUPTED = 130

Progress = Callable[[int], None]
Advanced = Callable[[int, int], None]
"""Progress callback, called with (bytes done, bytes in total)."""


class _StoppedError(Exception):
    """A stop was requested; complete batches are written."""


def index_job(  # noqa: PLR0913 - all but the job are wired parts and wishes, by name
    job_id: int,
    *,
    database: Database,
    archive_root: Path,
    progress: Progress = lambda pages: None,
    advanced: Advanced = lambda done, total: None,
    done: JobStatus = JobStatus.INDEXED,
    again: bool = False,
    processes: int | None = None,
    stopping: threading.Event | None = None,
) -> int:
    """Index a job's captures; return 0, or 1 after a failure whose reason is stored with the job.

    A failure of the disk or the database is raised: the job can be indexed later. Once `stopping` is set the run ends
    soon and returns 130; complete batches are stored, and the next run continues from there.
    """
    with holding(database, archive_root, job_id) as lease, _collecting_rarely():
        job = _begin(database, lease)
        run = _Run(database, archive_root, job, lease, progress, advanced, stopping or threading.Event())
        try:
            run.index(again=again, processes=processes)
            advanced(run.all_bytes, run.all_bytes)
            refresh_pagerank(database, cancelled=run.stopping.is_set)
            run.stop_if_asked()
        except _StoppedError:
            stopped = JobStatus.STOPPED if done is JobStatus.STOPPED else JobStatus.COMPLETED
            _set_as(database, lease, status=stopped)
            return INTERRUPTED
        except WarcError as error:
            log.error("index.failed", job_id=job_id, reason=str(error))
            _set_as(database, lease, status=JobStatus.INDEX_FAILED, status_reason=str(error))
            return 1
        _set_as(database, lease, status=done)
        log.info("index.end", job_id=job_id, bytes=run.all_bytes)
    return 0


def index_so_far(
    job_id: int,
    *,
    database: Database,
    archive_root: Path,
    processes: int | None = None,
    stopping: threading.Event | None = None,
) -> int:
    """Index the captures that a crawl acknowledged since the last call, and return 0, or 130 when it was stopped.

    The job's status is not touched: its crawl is still running.
    """
    with holding(database, archive_root, job_id) as lease, _collecting_rarely():
        with database.read() as session:
            job = jobs.load_job(session, job_id)
        nobody: Advanced = lambda done, total: None  # noqa: E731
        run = _Run(database, archive_root, job, lease, lambda pages: None, nobody, stopping or threading.Event())
        try:
            run.index(again=False, processes=processes, final=False)
        except _StoppedError:
            return INTERRUPTED
        refresh_pagerank(database, cancelled=run.stopping.is_set)
    return 0


def follow_crawl(
    job_id: int,
    *,
    database: Database,
    archive_root: Path,
    every: float,
    indexed: Callable[[], None],
    processes: int | None = None,
    stopping: threading.Event,
) -> int:
    """Index the captures of a running crawl, with pauses of some seconds, and return 130 once stopped.

    `indexed` is called after each batch. PageRank is left to the end of the crawl: it concerns all pages.
    """
    with holding(database, archive_root, job_id) as lease, _collecting_rarely():
        with database.read() as session:
            job = jobs.load_job(session, job_id)
        run = _Run(database, archive_root, job, lease, lambda pages: indexed(), lambda done, total: None, stopping)
        with suppress(_StoppedError):
            while not stopping.is_set():
                run.index(again=False, processes=processes, final=False)
                stopping.wait(every)
    return INTERRUPTED


def _begin(database: Database, lease: IndexLease) -> StoredJob:
    with database.write() as session:
        job = jobs.load_job(session, lease.job_id)
        # We hold its lease, so a job with the status `indexing` was interrupted.
        if job.source is None:
            raise ConflictError(jobs.no_source(job.id))
        if job.status not in (*INDEXABLE, JobStatus.INDEXING):
            raise UsageError(f"job {job.id} is {job.status}: it can be indexed when its crawl has ended")
        index_leases.set_as(session, lease, status=JobStatus.INDEXING)
        if job.status is JobStatus.INDEX_FAILED:
            index_leases.set_as(session, lease, status_reason=None)
    return job


def _set_as(database: Database, lease: IndexLease, **values: object) -> None:
    with database.write() as session:
        index_leases.set_as(session, lease, **values)


@dataclass(frozen=True)
class _Todo:
    """A file to be read, and the byte to start from."""

    warc: KnownWarc
    path: Path
    start: int

    @property
    def size(self) -> int:
        return self.warc.committed_bytes - self.start


@dataclass
class _Run:
    """One indexing of one job."""

    database: Database
    archive_root: Path
    job: StoredJob
    lease: IndexLease
    progress: Progress
    advanced: Advanced
    stopping: threading.Event
    refused: dict[int, str] = field(default_factory=dict)
    """Why files could not be read."""
    done_bytes: int = 0
    all_bytes: int = 0
    has_settled: bool = False
    promised: Promised | None = None
    """The ids that earlier runs promised in the journal, read once."""

    def index(self, *, again: bool, processes: int | None, final: bool = True) -> None:
        """Index every file that is not indexed yet; WarcError when there is no readable file.

        Files that `cleanup-job` deleted are neither read nor missed.
        """
        if final:
            adopt_warcs_for_job(self.job, database=self.database, archive_root=self.archive_root)
        files = self._files()
        if not files and final:
            raise WarcError(self._folder_is_gone() or f"job {self.job.id} has no WARC files")
        if final:
            files = [warc for warc in files if not is_cleaned_away(self.archive_root, self.job, warc)]
            self._refuse_gone(files)
        there = [warc for warc in files if warc.committed_bytes and warc.id not in self.refused]
        unread = [warc for warc in there if again or not _is_indexed(warc)]
        todo = [one for warc in unread if (one := self._placed(warc, again=again)) is not None]
        # A run that was killed after the last file has not yet resolved revisits whose payload came later.
        if todo or (final and (has_unresolved(self.database, self.job.id) or has_moved(self.database, self.job))):
            self._index_todo(todo, there, processes, final=final)
        elif not final:
            return
        if final:
            self._note_ends(files)
        self._settle(files, final=final)

    def _files(self) -> list[KnownWarc]:
        """Return the job's files; their problem counts include only the indexed part, as the rest is read again."""
        with self.database.read() as session:
            files = captures.warc_files(session, self.job.id)
            unread = problems.unread_problems(session, self.job.id)
        counts = {warc.id: max(0, warc.problem_count - len(unread.get(warc.id, ()))) for warc in files}
        return [replace(warc, problem_count=counts[warc.id]) for warc in files]

    def stop_if_asked(self) -> None:
        """Raise _StoppedError when a stop was requested."""
        if self.stopping.is_set():
            raise _StoppedError

    def _placed(self, warc: KnownWarc, *, again: bool) -> _Todo | None:
        start = 0 if again or warc.index_version != INDEX_VERSION else warc.indexed_bytes
        try:
            return _Todo(warc, place_of(self.archive_root, warc.path, self.job.output_dir), start)
        except OutsideRootError as error:
            self._refuse(warc, start, warc.problem_count if start else 0, str(error))
            return None

    def _index_todo(
        self, todo: Sequence[_Todo], files: Sequence[KnownWarc], processes: int | None, *, final: bool
    ) -> None:
        folder = journal_folder(self.job.id, self.job.output_dir, self.archive_root)
        kind = ReadingOptions(self.database.is_sqlite, self.job.page_parameters)
        self.all_bytes = sum(one.size for one in todo)
        self.promised = self.promised or promised_in(folder)
        writers = BatchWriters(overlap=not self.database.is_sqlite)
        with Journal(folder) as journal, self._readers(processes) as readers, writers:
            context = IndexContext(
                self.database,
                self.archive_root,
                self.job,
                self.lease,
                journal,
                self.promised,
                kind,
                readers.read_revisit,
                self._was_crawled_here(),
                beside_crawl=not final,
                withheld=self._withheld(folder),
                writers=writers,
            )
            self._index_files(context, readers, todo)
            if final:
                index_late_revisits(context, readers, files, self.progress, self.stop_if_asked)
                if moved := index_moved(context, files, self.stop_if_asked):
                    self.progress(moved)

    def _withheld(self, folder: Path) -> WithheldRecords:
        """Return which records are withheld; tombstones beside the files that the database lacks are stored first."""
        beside = withheld_in(folder)
        known = WithheldRecords(self.database)
        for capture in beside:
            if capture.place not in known:
                with self.database.write() as session:
                    tombstones.withhold(session, capture)
        return WithheldRecords(self.database, frozenset(capture.place for capture in beside))

    def _was_crawled_here(self) -> bool:
        """Return whether a crawl for this database wrote the files."""
        # An import or rebuild sets neither the flag nor tasks.
        if self.job.was_crawled_here:
            return True
        with self.database.read() as session:
            return frontier.has_any(session, self.job.id, *TaskStatus)

    def _readers(self, processes: int | None) -> Readers:
        """Return the readers: processes, when there is much to read or when the last attempt died."""
        if self.all_bytes < SMALL_BYTES and not self.lease.after_a_death:
            return ReadersHere()
        count = processes or min(len(os.sched_getaffinity(0)), MOST_PROCESSES)
        return ReaderProcesses(max(1, count), PART_BYTES)

    def _index_files(self, context: IndexContext, readers: Readers, todo: Sequence[_Todo]) -> None:
        """Index files one after the other; a file that cannot be read is refused, and the others are indexed."""
        files = [FilePart(one.path, one.start, one.warc.committed_bytes) for one in todo]
        with closing(PartStream(readers, files, context.kind)) as stream:
            for number, one in enumerate(todo):
                writing = FileWriting(
                    context, one.warc, one.start, partial(self._report_progress, one, self.done_bytes)
                )
                try:
                    for portion in stream.portions(number):
                        writing.take(portion)
                        self.stop_if_asked()
                        self._settle_early(stream, readers)
                    writing.finish(one.warc.committed_bytes)
                except WarcError as error:
                    stream.give_up(number)
                    writing.settle()
                    self._refuse(one.warc, writing.position, writing.problem_count, refusal_reason(one.path, error))
                self.done_bytes += one.size

    def _settle_early(self, stream: PartStream, readers: Readers) -> None:
        """Update the link ranks once while other processes read the last parts: afterwards they would be idle."""
        if stream.is_ending and readers.part_bytes is not None and not self.has_settled:
            self.has_settled = True
            settle_ranks(self.database, cancelled=self.stopping.is_set)

    def _report_progress(self, one: _Todo, before: int, pages: int, position: int) -> None:
        refresh_statistics(self.database)
        self.progress(pages)
        self.advanced(before + position - one.start, self.all_bytes)
        self.stop_if_asked()

    def _refuse(self, warc: KnownWarc, position: int, problem_count: int, reason: str) -> None:
        """Record why a file is not indexed; the next indexing tries it again."""
        log.error("index.file.refused", file=warc.filename, reason=reason)
        self.refused[warc.id] = reason
        rest = position, problems.END
        with self.database.write() as session:
            index_leases.check(session, self.lease)
            problems.replace_problems(session, self.job.id, warc.id, rest, [Problem(position, reason, may_pass=True)])
            captures.set_index_state(session, warc.id, problem_count=problem_count + 1)

    def _note_ends(self, files: Sequence[KnownWarc]) -> None:
        """Record of every file that was not refused whether its end is missing; earlier records are replaced."""
        with self.database.read() as session:
            known = problems.unread_problems(session, self.job.id)
        for warc in files:
            if warc.id in self.refused:
                continue
            problem = end_problem(self.archive_root, self.job, warc)
            found = [problem] if problem else []
            if found != known.get(warc.id, []):
                with self.database.write() as session:
                    index_leases.check(session, self.lease)
                    problems.replace_unread(session, self.job.id, warc.id, warc.committed_bytes, found)

    def _refuse_gone(self, files: Sequence[KnownWarc]) -> None:
        """Refuse missing files; their indexed part remains."""
        for warc in files:
            if (place := gone_from(self.archive_root, self.job, warc)) is not None:
                reason = self._folder_is_gone() or f"{place} is not there"
                self._refuse(warc, warc.indexed_bytes, warc.problem_count, reason)

    def _folder_is_gone(self) -> str | None:
        folder = self.job.output_dir
        return f"the folder of job {self.job.id} is gone: {folder}" if folder and not Path(folder).exists() else None

    def _settle(self, files: Sequence[KnownWarc], *, final: bool) -> None:
        """Store the counts of the job; WarcError when none of its files could be read."""
        with self.database.write() as session:
            count, size = captures.warc_totals(session, self.job.id)
            index_leases.set_as(
                session,
                self.lease,
                warc_file_count=count,
                warc_bytes_total=size,
                indexed_page_count=snapshots.count_of_job(session, self.job.id),
                index_problem_count=problems.count_of_job(session, self.job.id),
            )
        if final and self.refused and len(self.refused) == sum(bool(warc.committed_bytes) for warc in files):
            raise WarcError(next(iter(self.refused.values())))


@contextmanager
def _collecting_rarely() -> Iterator[None]:
    """Run the garbage collector less often: it took a tenth of the time."""
    usual = gc.get_threshold()
    # Existing objects are excluded: the loaded program need not be searched.
    gc.freeze()
    gc.set_threshold(_OBJECTS_A_COLLECTION, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)
        gc.unfreeze()


def _is_indexed(warc: KnownWarc) -> bool:
    return warc.index_version == INDEX_VERSION and warc.indexed_bytes == warc.committed_bytes
