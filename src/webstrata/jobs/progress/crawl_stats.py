"""The crawl statistics of a job's row, updated from the log and the state file of the crawl."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import structlog

from webstrata.db.engine import Database, Session
from webstrata.db.queue import jobs
from webstrata.db.queue.jobs import StoredJob
from webstrata.errors import StorageError
from webstrata.storage.combined_log import FINAL_BUILD, AttemptLog, attempt_logs, parse_last_stats_from_log
from webstrata.storage.crawl_state import STATE_FILE

log = structlog.get_logger()

_COLUMNS = {"crawled": "pages_crawled", "total": "pages_total", "failed": "pages_failed"}


@dataclass(frozen=True)
class LogFindings:
    """The contents of a job's last combined log."""

    log: AttemptLog | None = None
    stats: dict[str, object] | None = None


def update_job_stats_from_logs(session: Session, job: StoredJob) -> None:
    """Update a job's row from its last log and its state file; a log that cannot be read changes nothing."""
    jobs.set_job(session, job.id, **columns_from_logs(session, job))


def columns_from_logs(session: Session, job: StoredJob) -> dict[str, object]:
    """Return the columns of a job's row that come from its last log, its state file and its folder."""
    return folder_columns(job.id, Path(job.output_dir), jobs.last_stats(session, job.id))


def folder_columns(job_id: int, folder: Path, earlier_stats: Mapping[str, object]) -> dict[str, object]:
    """Return the same columns from a job's folder alone; new statistics are merged into the earlier ones."""
    state, zim = folder / STATE_FILE, latest_zim(folder)
    values: dict[str, object] = {"state_file_path": str(state) if state.is_file() else None}
    values["final_zim_path"] = str(zim) if zim else None
    found = _findings(job_id, folder)
    if found.log is not None:
        values |= {"combined_log_path": str(found.log.path), "crawler_stage": found.log.stage}
    if found.stats is not None:
        counts = {column: found.stats[name] for name, column in _COLUMNS.items() if _is_count(found.stats.get(name))}
        values |= {**counts, "last_stats_json": {**earlier_stats, **found.stats}}
    return values


def refresh_stats(database: Database, job_id: int) -> None:
    """Update a job's row from its log and state."""
    with database.write() as session:
        update_job_stats_from_logs(session, jobs.load_job(session, job_id))


def latest_zim(folder: Path) -> Path | None:
    """Return the newest ZIM file in a job's folder, if it has one."""
    try:
        found = [path for path in folder.glob("*.zim") if path.is_file() and path.stat().st_size]
        return max(found, key=lambda path: (path.stat().st_mtime_ns, path.name), default=None)
    except OSError as error:
        log.warning("crawl.folder.unreadable", folder=str(folder), reason=error.strerror)
        return None


def _findings(job_id: int, folder: Path) -> LogFindings:
    try:
        logs = attempt_logs(folder)
        # Building a ZIM visits no page: the counts come from the crawl before it.
        crawls = [found for found in logs if found.stage != FINAL_BUILD]
        stats = parse_last_stats_from_log(crawls[-1].path) if crawls else None
        return LogFindings(logs[-1] if logs else None, stats)
    except StorageError as error:
        log.warning("crawl.log.unreadable", job_id=job_id, reason=str(error))
        return LogFindings()


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31
