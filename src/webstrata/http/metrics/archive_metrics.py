"""Metrics of the archive, read at every scrape by queries that are cheap at any size."""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from webstrata.app import App
from webstrata.db.engine import Session
from webstrata.db.operations import metrics, operations
from webstrata.db.operations.metrics import RunningJob
from webstrata.db.operations.operations import Operation
from webstrata.db.sources import totals
from webstrata.errors import StorageError
from webstrata.model.jobs.cleanup import CleanupStatus
from webstrata.model.jobs.job import JobStatus
from webstrata.storage.file_system import free_bytes


class ArchiveNumbers(Collector):
    """The present numbers of one archive."""

    def __init__(self, app: App) -> None:
        """Read from an archive's parts."""
        self._app = app

    def describe(self) -> list[Metric]:
        """Return nothing: the names need not be known before the first scrape."""
        return []

    def collect(self) -> Iterator[Metric]:
        """Yield the numbers; DatabaseUnavailableError when they cannot be read."""
        now = datetime.now(UTC)
        with self._app.database.read() as session:
            # Everything is read before the first metric is yielded: an incomplete scrape would look like a loss of
            # data.
            found = [*_jobs(session), _snapshots(session), *_running(session, now), *_index(session, now)]
            found += _operations(session)
        yield from (*found, *_disk(self._app.archive_root, self._app.settings.min_free_bytes))


def _jobs(session: Session) -> Iterator[Metric]:
    numbers = metrics.job_numbers(session)
    statuses, cleanups = Counter[str](), Counter[str]()
    crawled, failed = Counter[str](), Counter[str]()
    for part in numbers:
        statuses[part.status] += part.jobs
        cleanups[part.cleanup_status] += part.jobs
        crawled[part.source_code] += part.pages_crawled
        failed[part.source_code] += part.pages_failed
    yield _by("healtharchive_jobs_total", "Jobs by status.", "status", _with_zeros(JobStatus, statuses))
    yield _by(
        "healtharchive_jobs_cleanup_status_total",
        "Jobs by clean-up status.",
        "cleanup_status",
        _with_zeros(CleanupStatus, cleanups),
    )
    yield _in_all_and_by_source("healtharchive_jobs_pages_crawled_total", "URLs that jobs fetched.", crawled)
    yield _in_all_and_by_source("healtharchive_jobs_pages_failed_total", "URLs that jobs failed to fetch.", failed)


def _snapshots(session: Session) -> Metric:
    by_source = Counter({total.code: total.snapshots for total in totals.totals(session)})
    return _in_all_and_by_source("healtharchive_snapshots_total", "Snapshots, in total and by source.", by_source)


def _running(session: Session, now: datetime) -> Iterator[Metric]:
    labels = ["job", "source"]
    depth = GaugeMetricFamily("webstrata_frontier_depth", "URLs that are waiting or in progress.", labels=labels)
    rate = GaugeMetricFamily("webstrata_crawl_rate", "Responses a second.", labels=labels)
    age = GaugeMetricFamily(
        "webstrata_job_last_progress_age_seconds", "Seconds since a running job last settled a URL.", labels=labels
    )
    for job in metrics.running_jobs(session, now):
        of_job = [str(job.id), job.source_code]
        depth.add_metric(of_job, job.frontier_depth)
        rate.add_metric(of_job, job.report.rate if job.report else 0.0)
        age.add_metric(of_job, _progress_age(job, now))
    yield from (depth, rate, age)


def _index(session: Session, now: datetime) -> Iterator[Metric]:
    lag = metrics.index_lag(session)
    waiting = max(0.0, (now - lag.waiting_since).total_seconds()) if lag.waiting_since else 0.0
    yield _gauge("webstrata_index_lag_bytes", "Bytes of WARC files that are not searchable yet.", lag.bytes)
    yield _gauge("webstrata_index_lag_seconds", "Seconds for which the oldest unindexed job has waited.", waiting)


def _operations(session: Session) -> Iterator[Metric]:
    counted = operations.counted(session)
    reclaims = CounterMetricFamily(
        "webstrata_lease_reclaims", "Leases reclaimed from workers that died or stopped responding.", labels=["kind"]
    )
    reclaims.add_metric(["task"], counted[Operation.TASK_LEASES_RECLAIMED])
    reclaims.add_metric(["job"], counted[Operation.JOB_LEASES_RECLAIMED])
    waits = CounterMetricFamily("webstrata_lock_waits", "Waits for a permit of a host.", labels=["lock"])
    waits.add_metric(["host"], counted[Operation.HOST_TURN_WAITS])
    seconds = CounterMetricFamily(
        "webstrata_lock_wait_seconds", "Seconds waited for permits of hosts.", labels=["lock"]
    )
    seconds.add_metric(["host"], counted[Operation.HOST_TURN_WAIT_MS] / 1000)
    yield from (reclaims, waits, seconds)
    yield _counter("webstrata_cleanups", "Clean-ups that deleted files.", counted[Operation.CLEANUPS])
    yield _counter("webstrata_cleanup_freed_bytes", "Bytes that clean-ups freed.", counted[Operation.CLEANUP_BYTES])


def _disk(archive_root: Path, minimum: int) -> Iterator[Metric]:
    """Yield the free and total disk space; nothing when the archive's folder is missing or its disk is unmounted."""
    try:
        free = free_bytes(archive_root)
    except StorageError:
        return
    yield _gauge("webstrata_disk_free_bytes", "Bytes free on the disk of the WARC files.", free)
    yield _gauge(
        "webstrata_disk_headroom_bytes", "Bytes that can still be written before crawls pause.", free - minimum
    )


def _progress_age(job: RunningJob, now: datetime) -> float:
    """Return the seconds since a job last made progress: by its crawler's reports, else by its log, else since its
    start."""
    if job.report is not None:
        return job.report.idle
    try:
        seen = Path(job.combined_log_path or "").stat().st_mtime if job.combined_log_path else None
    except OSError:
        seen = None
    since = seen if seen is not None else (job.started_at or now).timestamp()
    return max(0.0, now.timestamp() - since)


def _with_zeros(kinds: type[JobStatus] | type[CleanupStatus], counts: Counter[str]) -> Counter[str]:
    """Return counts with a zero for each missing name, as alerts need a number to compare with."""
    return Counter({kind.value: 0 for kind in kinds} | counts)


def _by(name: str, sentence: str, label: str, counts: Counter[str]) -> Metric:
    family = GaugeMetricFamily(name, sentence, labels=[label])
    for value, count in sorted(counts.items()):
        family.add_metric([value], count)
    return family


def _in_all_and_by_source(name: str, sentence: str, counts: Counter[str]) -> Metric:
    """Return a metric in total and by source: dashboards use both names."""
    family = Metric(name, sentence, "gauge")
    family.add_sample(name, {}, counts.total())
    for code, count in sorted(counts.items()):
        family.add_sample(name, {"source": code}, count)
    return family


def _gauge(name: str, sentence: str, value: float) -> Metric:
    return GaugeMetricFamily(name, sentence, value=value)


def _counter(name: str, sentence: str, value: float) -> Metric:
    return CounterMetricFamily(name, sentence, value=value)
