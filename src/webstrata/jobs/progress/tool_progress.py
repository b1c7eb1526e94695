"""Progress of a crawl by a tool that does not write to the database: read from its log and state file."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import structlog

from webstrata.db.engine import Database
from webstrata.db.queue import frontier, jobs, leases
from webstrata.db.queue.jobs import StoredJob
from webstrata.errors import DatabaseError, LeaseLostError, StorageError, WebstrataError
from webstrata.jobs.progress.crawl_stats import columns_from_logs
from webstrata.jobs.progress.log_view import without_secrets_of
from webstrata.jobs.progress.run_report import RunEnd, write_run_report
from webstrata.jobs.running.crawl_end import JobEnding, settle_as
from webstrata.jobs.running.stages import DONE, INTERRUPTED
from webstrata.model.crawl.tasks import TaskStatus
from webstrata.model.jobs.job import JobStatus
from webstrata.model.words import counted
from webstrata.storage.combined_log import latest_combined_log, tail
from webstrata.storage.crawl_state import CrawlState
from webstrata.warc.adopting import adopt_warcs_for_job

log = structlog.get_logger()

LOOK_SECONDS = 1.0

_ERRORS = frozenset({"error", "fatal", "critical"})
_LONGEST_REASON = 500
_A_MOMENT = timedelta(seconds=1)
"""The tolerance for times in the state file, which have no fractions of seconds."""


@contextmanager
def update_progress(
    database: Database, job_id: int, leader: str, look_seconds: float = LOOK_SECONDS
) -> Iterator[threading.Event]:
    """Update a job's row while a tool crawls; yield an event that is set when the tool should end: when a stop is
    requested, or another process has taken over the job."""
    stop_requested, over = threading.Event(), threading.Event()
    writer = _ProgressWriter(database, job_id, leader, stop_requested)
    keeping = threading.Thread(target=writer.keep, args=(over, look_seconds), name="tool-books")
    keeping.start()
    try:
        yield stop_requested
    finally:
        over.set()
        keeping.join()


class _ProgressWriter:
    """Writes the progress of a tool's crawl to the job's row, and checks for a stop request."""

    def __init__(self, database: Database, job_id: int, leader: str, stop_requested: threading.Event) -> None:
        self._database, self._job_id, self._leader, self._stop_requested = database, job_id, leader, stop_requested
        self._written: dict[str, object] = {}

    def keep(self, over: threading.Event, look_seconds: float) -> None:
        """Update the row at intervals until the crawl is over; a failure is only logged, as the next update may
        succeed."""
        while not over.wait(look_seconds):
            try:
                self._look()
            except LeaseLostError as error:
                log.error("tool.lease.lost", job_id=self._job_id, reason=str(error))
                self._stop_requested.set()
                return
            except (DatabaseError, StorageError) as error:
                log.warning("tool.books.failed", job_id=self._job_id, reason=str(error))

    def _look(self) -> None:
        with self._database.read() as session:
            leases.check_leader(session, self._job_id, self._leader)
            job = jobs.load_job(session, self._job_id)
            found = columns_from_logs(session, job)
            if not leases.may_crawl(session, self._job_id):
                self._stop_requested.set()
        if found != self._written:
            with self._database.write() as session:
                leases.set_as(session, self._job_id, self._leader, **found)
            self._written = found


def note_exit(database: Database, job: StoredJob, leader: str, code: int) -> None:
    """Record a crawler's exit code, and the last contents of its log and state."""
    with database.write() as session:
        found = columns_from_logs(session, job)
        leases.set_as(session, job.id, leader, crawler_exit_code=code, **found)


def end_by_exit_code(
    database: Database, job: StoredJob, code: int, since: datetime, *, settles_its_job: bool = False
) -> JobEnding | None:
    """Return the status of a job after its tool's exit; None if the tool was killed or did not finish.

    A tool that stores the end of its jobs itself (`settles_its_job`) and did not must have died, whatever its exit
    code.
    """
    if code == DONE:
        return JobEnding(JobStatus.COMPLETED, None)
    with database.read() as session:
        is_stopped, stats = leases.is_stop_requested(session, job.id), jobs.last_stats(session, job.id)
    if is_stopped:
        left = stats.get("pending")
        return JobEnding(
            JobStatus.STOPPED, f"stopped with {counted(left, 'URL')} to go" if isinstance(left, int) else "stopped"
        )
    if code < 0 or code == INTERRUPTED or settles_its_job:
        return None
    return JobEnding(JobStatus.FAILED, why_it_ended(job, since) or f"exit code {code}")


def settle_tool_job(database: Database, archive_root: Path, job: StoredJob, leader: str, ended: JobEnding) -> None:
    """Store the end of a tool's crawl, its report and its WARC files."""
    try:
        if not _has_frontier(database, job.id):
            adopt_warcs_for_job(job, database=database, archive_root=archive_root)
    except StorageError as error:
        # Not an error here: the index looks for WARC files again.
        log.warning("tool.warcs.not_recorded", job_id=job.id, reason=str(error))
    finished_at = datetime.now(UTC)
    # The report is written first, so that it exists when the run is seen as over.
    write_run_report(database, job.id, RunEnd(ended.status, ended.reason, finished_at), None)
    settle_as(database, job.id, leader, ended, finished_at)
    log.info("crawl.end", job_id=job.id, status=ended.status, reason=ended.reason)


def why_it_ended(job: StoredJob, since: datetime) -> str | None:
    """Return why a tool ended, by its state file, else by the last error in its log; None when neither has a reason."""
    folder = Path(job.output_dir)
    try:
        reason = _ended_reason(folder, since) or _last_error(folder, since)
    except (StorageError, WebstrataError) as error:
        log.warning("tool.end.unreadable", job_id=job.id, reason=str(error))
        return None
    return without_secrets_of(job.config.to_json(), reason)[:_LONGEST_REASON] if reason else None


def _has_frontier(database: Database, job_id: int) -> bool:
    """Return whether our own crawler crawls a job: it records its WARC files itself."""
    with database.read() as session:
        return frontier.has_any(session, job_id, *TaskStatus)


def _ended_reason(folder: Path, since: datetime) -> str | None:
    ended = CrawlState(folder, initial_workers=1).ended or {}
    try:
        at = datetime.fromisoformat(str(ended.get("at")))
    except ValueError:
        return None
    reason = ended.get("reason")
    is_ours = (at if at.tzinfo else at.replace(tzinfo=UTC)) >= since - _A_MOMENT
    return reason if is_ours and isinstance(reason, str) and reason else None


def _last_error(folder: Path, since: datetime) -> str | None:
    """Return the last error in the newest log, if this run wrote to that."""
    path = latest_combined_log(folder)
    try:
        if path is None or path.stat().st_mtime < (since - _A_MOMENT).timestamp():
            return None
    except OSError:
        return None
    return next((texts for line in reversed(tail(path)) if (texts := _error_in(line))), None)


def _error_in(line: str) -> str | None:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return line.strip() if "error" in line.lower() else None
    if not isinstance(entry, dict) or str(entry.get("logLevel", entry.get("level"))).lower() not in _ERRORS:
        return None
    texts = [entry.get(name) for name in ("message", "event", "reason")]
    return ": ".join(part for part in texts if isinstance(part, str) and part) or None
