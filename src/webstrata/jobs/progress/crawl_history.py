"""The history of a job's crawl, from its logs and its state: its attempts, and the monitor's decisions."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import structlog

from webstrata.errors import StorageError
from webstrata.jobs.progress.log_view import POINTS, log_path, without_secrets_of
from webstrata.model.archive import JobView
from webstrata.model.jobs.tool_options import NATIVE
from webstrata.storage.combined_log import (
    AttemptLog,
    Statistics,
    attempt_logs,
    parse_last_stats_from_log,
    statistics_of,
)
from webstrata.storage.crawl_state import STATE_FILE, CrawlState

log = structlog.get_logger()

ATTEMPTS_SHOWN = 50
DECISIONS_SHOWN = 100

_MOST_READ_BYTES = 64_000_000
"""The most bytes of a run's logs that are read for its plot; the earliest attempts are left out above that."""


@dataclass(frozen=True)
class CrawlAttempt:
    """One attempt at a crawl, from its log."""

    stage: str
    number: int
    began_at: datetime
    ended_at: datetime | None
    """When its log was last written to."""
    crawled: int | None
    """Crawled pages at the end, from the last statistics; None without statistics."""
    total: int | None
    failed: int | None


@dataclass(frozen=True)
class MonitorDecision:
    """A problem that the monitor found, and its action."""

    at: datetime | None
    trouble: str
    reason: str
    answer: str
    workers: int | None
    wait: timedelta


def engine_of(job: JobView) -> str:
    """Return the crawl engine of a job."""
    options = (job.config or {}).get("tool_options")
    named = options.get("engine") if isinstance(options, Mapping) else None
    return named if isinstance(named, str) else NATIVE


def attempts_of(job: JobView) -> list[CrawlAttempt]:
    """Return the last attempts at a job's crawl, oldest first."""
    return [_attempt(job.id, found) for found in _logs_of(job)[-ATTEMPTS_SHOWN:]]


def decisions_of(job: JobView, secrets: Collection[str] = ()) -> list[MonitorDecision]:
    """Return the decisions of the monitor of a job's crawl, oldest first, without secrets."""
    if not job.output_dir or not (Path(job.output_dir) / STATE_FILE).is_file():
        return []
    kept = CrawlState(Path(job.output_dir), initial_workers=1).decisions
    return [_decision(job, stored, secrets) for stored in kept[-DECISIONS_SHOWN:]]


def run_statistics(job: JobView) -> list[Statistics]:
    """Return the statistics of all attempts of the last run of a job's crawl, oldest first; empty without a log."""
    logs = _logs_of_run(job)
    found: list[Statistics] = []
    for path in logs:
        try:
            found += statistics_of(path, max(2, POINTS // len(logs)))
        except StorageError as error:
            log.warning("job.log.unreadable", job_id=job.id, reason=str(error))
    return found


def _logs_of(job: JobView) -> list[AttemptLog]:
    """Return the logs of a job's attempts, from its folder."""
    if not job.output_dir:
        return []
    folder = Path(job.output_dir)
    try:
        return [found for found in attempt_logs(folder) if not found.path.is_symlink()]
    except (OSError, ValueError, StorageError) as error:
        log.warning("job.log.unreadable", job_id=job.id, reason=str(error))
        return []


def _logs_of_run(job: JobView) -> list[Path]:
    """Return the logs of the present or last run, oldest first: the newest one, and others up to the size limit."""
    began = job.started_at.replace(microsecond=0) if job.started_at else None
    ours = [found.path for found in _logs_of(job) if began is not None and found.began_at >= began]
    if not ours:
        newest = log_path(job)
        return [newest] if newest else []
    return _fitting(ours)


def _fitting(paths: Sequence[Path]) -> list[Path]:
    kept, room = [paths[-1]], _MOST_READ_BYTES - _size(paths[-1])
    for path in reversed(paths[:-1]):
        room -= _size(path)
        if room < 0:
            break
        kept.append(path)
    return kept[::-1]


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _attempt(job_id: int, found: AttemptLog) -> CrawlAttempt:
    try:
        stats = parse_last_stats_from_log(found.path) or {}
        ended_at = datetime.fromtimestamp(found.path.stat().st_mtime, UTC)
    except (OSError, StorageError) as error:
        log.warning("job.log.unreadable", job_id=job_id, reason=str(error))
        stats, ended_at = {}, None
    crawled, total, failed = (_count(stats.get(name)) for name in ("crawled", "total", "failed"))
    return CrawlAttempt(found.stage, found.number, found.began_at, ended_at, crawled, total, failed)


def _decision(job: JobView, stored: Mapping[str, object], secrets: Collection[str]) -> MonitorDecision:
    shown = {name: without_secrets_of(job.config or {}, str(stored.get(name, "")), secrets) for name in _WORDS}
    wait = stored.get("wait")
    seconds = wait if isinstance(wait, int | float) and 0 <= wait < _LONGEST_WAIT else 0
    return MonitorDecision(
        at=_moment(stored.get("at")),
        workers=_count(stored.get("workers")),
        wait=timedelta(seconds=seconds),
        **shown,
    )


_WORDS = ("trouble", "reason", "answer")
_LONGEST_WAIT = 31_536_000


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _moment(value: object) -> datetime | None:
    try:
        at = datetime.fromisoformat(str(value))
    except ValueError:
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)
