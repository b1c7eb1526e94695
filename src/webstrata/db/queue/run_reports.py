"""Statistics of a job's run: each process writes its own, readers get the sum."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from webstrata.db.operations import catalog
from webstrata.db.queue import leases
from webstrata.db.queue.frontier import FrontierCounts
from webstrata.db.schema.crawl_tables import CrawlReportRow
from webstrata.db.schema.tables import Capture, WarcFile
from webstrata.model.archive import JobView
from webstrata.model.crawl import run_reports
from webstrata.model.crawl.run_reports import CrawlReport
from webstrata.model.jobs.job import SETTLED

_CURRENT = timedelta(seconds=10)
"""The report of a process that has been silent for longer has no rate; its counts remain."""


@dataclass(frozen=True)
class JobProgress:
    """A job with its present status and the counts of its run."""

    job: JobView
    counts: FrontierCounts
    report: CrawlReport
    is_led: bool = False
    """Whether a worker leads the job; a stopped one is still indexed."""

    @property
    def is_over(self) -> bool:
        """Return whether only an operator can change the job's status."""
        return self.job.status in SETTLED and not self.is_led


@dataclass(frozen=True)
class WarcSummary:
    """A WARC file of a job: how large it is and how many captures it holds."""

    path: str
    bytes: int
    captures: int


def write(session: Session, job_id: int, owner: str, report: CrawlReport, now: datetime) -> None:
    """Replace the report of one process on a job's run."""
    session.merge(CrawlReportRow(job_id=job_id, owner=owner, updated_at=now, report=report.to_json()))


def merged(session: Session, job_id: int, now: datetime) -> CrawlReport:
    """Return the sum of all processes' reports on a job's run."""
    rows = session.scalars(select(CrawlReportRow).where(CrawlReportRow.job_id == job_id))
    return run_reports.merged(current_report(row, now) for row in rows)


def clear(session: Session, job_id: int, began: datetime) -> None:
    """Delete the reports of earlier runs, but not those of a run that continues after its worker died."""
    earlier = (CrawlReportRow.job_id == job_id, CrawlReportRow.updated_at < began)
    session.execute(delete(CrawlReportRow).where(*earlier))


def progress(session: Session, job_id: int, now: datetime) -> JobProgress | None:
    """Return the progress of a job; its counts are those that its crawl wrote last."""
    job = catalog.job(session, job_id)
    if job is None:
        return None
    is_led = leases.leader(session, job_id, now) is not None
    return JobProgress(job, _counts(job.last_stats or {}), merged(session, job_id, now), is_led)


def warc_summaries(session: Session, job_id: int) -> list[WarcSummary]:
    """Return a job's WARC files with what is acknowledged of each."""
    captures = select(func.count()).where(Capture.warc_file_id == WarcFile.id).scalar_subquery()
    rows = session.execute(
        select(WarcFile.path, WarcFile.committed_bytes, captures).where(WarcFile.job_id == job_id).order_by(WarcFile.id)
    )
    return [WarcSummary(*row) for row in rows]


def current_report(row: CrawlReportRow, now: datetime) -> CrawlReport:
    """Return a process's report as of now; a silent process has no rate and counts as idle."""
    report, silent = CrawlReport.from_json(row.report), now - row.updated_at
    idle = report.idle + max(0.0, silent.total_seconds())
    return replace(report, idle=idle, rate=report.rate if silent <= _CURRENT else 0.0)


def _counts(stats: Mapping[str, object]) -> FrontierCounts:
    known = {f.name: stats.get(f.name) for f in fields(FrontierCounts)}
    return FrontierCounts(**{name: value for name, value in known.items() if isinstance(value, int)})
