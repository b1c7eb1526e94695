"""The progress of a job as text: for the page, and for the updates of its script."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime

from webstrata.db.queue.run_reports import JobProgress
from webstrata.model.archive import JobView
from webstrata.model.crawl.run_reports import CrawlReport
from webstrata.model.jobs.job import JobStatus
from webstrata.web import present

HOSTS_SHOWN = 20
RATE = "Per second"
REQUISITES = "Page requisites"


@dataclass(frozen=True)
class ProgressView:
    """A job at a moment; every value is text to be shown as it is."""

    state: str
    """Identifies the layout of the page; while it is the same, only figures and rows are updated."""
    figures: Mapping[str, str]
    of: str
    """The total of which the first figure is a part."""
    done: int
    known: int
    errors: tuple[tuple[str, str], ...]
    hosts: tuple[tuple[str, str, str, str], ...]
    said: str
    """The figures in a sentence, for screen readers."""

    def to_json(self) -> str:
        """Return the progress as JSON for the page's script."""
        return json.dumps(asdict(self))


def progress_view(progress: JobProgress, now: datetime) -> ProgressView:
    """Return the progress of a job."""
    job, report = progress.job, progress.report
    done = (job.pages_crawled or 0) + (job.pages_failed or 0)
    known = max(done, job.pages_total or 0)
    return ProgressView(
        state=f"{job.status}{' stopping' if is_stopping(job) else ''}{'' if progress.is_over else ' under way'}",
        figures=_crawl_figures(progress, now) if job.status == JobStatus.RUNNING else _job_figures(job, report, now),
        of=f" of {present.number(job.pages_total)}" if job.pages_total else "",
        done=done,
        known=known,
        errors=tuple((present.failure(kind), present.number(count)) for kind, count in report.errors.items()),
        hosts=_hosts(report),
        said=f"{present.number(done)} of {present.count(known, 'URL')} done.",
    )


def is_stopping(job: JobView) -> bool:
    """Return whether a stop was requested for a crawl that is still under way."""
    return job.status == JobStatus.RUNNING and job.stop_requested_at is not None


def _crawl_figures(progress: JobProgress, now: datetime) -> dict[str, str]:
    job, counts, report = progress.job, progress.counts, progress.report
    return {
        "URLs crawled": present.number(job.pages_crawled or 0),
        RATE: present.rate(report.rate),
        "Waiting": present.number(counts.pending),
        "In progress": present.number(counts.in_progress),
        "Failed": present.number(job.pages_failed or 0),
        "Received": present.size(report.bytes),
        REQUISITES: present.number(report.requisites),
        "Took": present.took(job, now) or "–",
    }


def _job_figures(job: JobView, report: CrawlReport, now: datetime) -> dict[str, str]:
    crawled = {
        "URLs crawled": present.number(job.pages_crawled or 0),
        "Failed": present.number(job.pages_failed or 0),
    }
    return {
        **({} if job.was_registered else crawled),
        **({REQUISITES: present.number(report.requisites)} if report.requisites else {}),
        "Snapshots": present.number(job.indexed_page_count),
        "WARC files": present.number(job.warc_file_count),
        "Size": present.size(job.warc_bytes_total or 0),
        **_average(job, report),
        **({} if job.was_registered else {"Took": present.took(job, now) or "–"}),
    }


def _average(job: JobView, report: CrawlReport) -> dict[str, str]:
    """Return the average speed of the crawl, if known."""
    if not report.responses or job.started_at is None or job.finished_at is None:
        return {}
    seconds = (job.finished_at - job.started_at).total_seconds()
    return {RATE: present.rate(report.responses / seconds)} if seconds > 0 else {}


def _hosts(report: CrawlReport) -> tuple[tuple[str, str, str, str], ...]:
    busiest = list(report.hosts.items())[:HOSTS_SHOWN]
    return tuple(
        (host, present.number(seen.responses), present.size(seen.bytes), present.number(seen.errors))
        for host, seen in busiest
    )
