"""What a job's row tells of its crawl, kept true from the log and the state that the crawl left."""

from dataclasses import dataclass
from pathlib import Path

import structlog

from webstrata.db import jobs
from webstrata.db.engine import Database, Session
from webstrata.db.jobs import StoredJob
from webstrata.errors import StorageError
from webstrata.warc.combined_log import latest_combined_log, parse_last_stats_from_log
from webstrata.warc.crawl_state import STATE_FILE

log = structlog.get_logger()

_COLUMNS = {"crawled": "pages_crawled", "total": "pages_total", "failed": "pages_failed"}


@dataclass(frozen=True)
class LogFindings:
    """What the last combined log of a job tells."""

    path: Path | None = None
    stats: dict[str, object] | None = None


def update_job_stats_from_logs(session: Session, job: StoredJob) -> None:
    """Write into a job's row what its last log and its state file tell; a log that cannot be read changes nothing."""
    folder = Path(job.output_dir)
    state = folder / STATE_FILE
    values: dict[str, object] = {"state_file_path": str(state) if state.is_file() else None}
    found = _findings(job.id, folder)
    if found.path is not None:
        values["combined_log_path"] = str(found.path)
    if found.stats is not None:
        counts = {column: found.stats[name] for name, column in _COLUMNS.items() if _is_count(found.stats.get(name))}
        values |= {**counts, "last_stats_json": {**jobs.last_stats(session, job.id), **found.stats}}
    jobs.set_job(session, job.id, **values)


def refresh_stats(database: Database, job_id: int) -> None:
    """Bring a job's row up to date with its log and state."""
    with database.write() as session:
        update_job_stats_from_logs(session, jobs.load_job(session, job_id))


def _findings(job_id: int, folder: Path) -> LogFindings:
    try:
        path = latest_combined_log(folder)
        return LogFindings(path, parse_last_stats_from_log(path) if path else None)
    except StorageError as error:
        log.warning("crawl.log.unreadable", job_id=job_id, reason=str(error))
        return LogFindings()


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31
