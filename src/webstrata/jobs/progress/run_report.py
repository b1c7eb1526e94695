"""The report of a run, written beside its WARC files: configuration, environment and results."""

import json
import platform
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path

import structlog

from webstrata import __version__
from webstrata.db.engine import Database
from webstrata.db.queue import frontier, run_reports
from webstrata.errors import NotFoundError, StorageError
from webstrata.logs import without_secrets
from webstrata.model.archive import JobView
from webstrata.model.crawl.crawl_config import CrawlConfig
from webstrata.model.crawl.run_reports import CrawlReport
from webstrata.model.jobs.job import JobConfig, JobStatus
from webstrata.storage.disk import write_atomically

log = structlog.get_logger()


@dataclass(frozen=True)
class RunEnd:
    """How a run ended, why and when."""

    status: JobStatus
    reason: str | None
    finished_at: datetime


def report_path(output_dir: str | Path, job_id: int) -> Path:
    """Return the path of the report of a job's last run."""
    return Path(output_dir) / f"run-{job_id}.json"


def write_run_report(database: Database, job_id: int, end: RunEnd, config: CrawlConfig | None) -> None:
    """Write the report of a finished run; if the disk refuses, there is only no report.

    For a crawl by another program, it has no crawl settings, and its counts are from the log.
    """
    with database.read() as session:
        found = run_reports.progress(session, job_id, end.finished_at)
        if found is None:
            raise NotFoundError(f"there is no job {job_id}")
        counts = frontier.counts(session, job_id)
        warcs = run_reports.warc_summaries(session, job_id)
    seconds = _seconds(found.job, end)
    report = {
        "run": _run(found.job, end, seconds),
        "config": _effective(found.job, config),
        "counts": asdict(counts) if config else _logged_counts(found.job),
        "report": _of_whole_run(found.report, seconds),
        "warc_files": [asdict(warc) for warc in warcs],
        "environment": _environment(database),
    }
    written = json.dumps(report, indent=2, ensure_ascii=False).encode("utf-8", "replace")
    try:
        write_atomically(report_path(found.job.output_dir, job_id), written)
    except (StorageError, NotFoundError) as error:
        log.error("run.report.failed", job_id=job_id, reason=str(error))


def _run(job: JobView, end: RunEnd, seconds: float) -> dict[str, object]:
    return {
        "id": job.id,
        "name": job.name,
        "source": job.source_code,
        "status": end.status,
        "reason": end.reason,
        "started_at": job.started_at.isoformat() if job.started_at else None,
        "finished_at": end.finished_at.isoformat(),
        "seconds": seconds,
    }


def _effective(job: JobView, crawl: CrawlConfig | None) -> dict[str, object]:
    """Return the configuration of the run, defaults included, without secrets."""
    stored = JobConfig.from_json(job.config or {})
    if crawl is None:
        return without_secrets(stored.to_json())
    return without_secrets({**stored.to_json(), "scope": asdict(stored.rules), "crawl": asdict(crawl)})


def _logged_counts(job: JobView) -> dict[str, int]:
    finished, error = job.pages_crawled or 0, job.pages_failed or 0
    pending = max(0, (job.pages_total or 0) - finished - error)
    return {"pending": pending, "in_progress": 0, "finished": finished, "error": error}


def _of_whole_run(report: CrawlReport, seconds: float) -> dict[str, object]:
    """Return the report with the rate of the whole run instead of that of the last seconds."""
    averaged = replace(report, rate=round(report.responses / seconds, 2) if seconds else 0.0).to_json()
    return {name: value for name, value in averaged.items() if name != "idle"}


def _environment(database: Database) -> dict[str, str]:
    return {
        "webstrata": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "database": "sqlite" if database.is_sqlite else "postgresql",
    }


def _seconds(job: JobView, end: RunEnd) -> float:
    return round((end.finished_at - job.started_at).total_seconds(), 3) if job.started_at else 0.0
