"""Sources and jobs as they are created, claimed and settled."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, and_, func, or_, select, update
from sqlalchemy.orm import Session

from webstrata.db.engine import keeping_rows
from webstrata.db.schema.tables import ArchiveJob, Source, WarcFile
from webstrata.errors import ConflictError, NotFoundError
from webstrata.model.jobs.cleanup import CleanupStatus
from webstrata.model.jobs.job import CLAIMABLE, CUT_SHORT, UNFINISHED, JobConfig, JobStatus
from webstrata.model.jobs.source_scope import address_keys

CRAWL_ENDS = {"success": JobStatus.COMPLETED, "failed": JobStatus.FAILED, "stopped": JobStatus.STOPPED}
"""The job status for each end of a crawl in `crawler_status`."""


@dataclass(frozen=True)
class StoredJob:
    """A job, for the stages."""

    id: int
    name: str
    status: JobStatus
    started_at: datetime | None
    finished_at: datetime | None
    crawl_ended: JobStatus | None
    """How the crawl of the present run ended, if it did."""
    status_reason: str | None
    retry_count: int
    output_dir: str
    source: int | None
    """The id of its source, if it has one."""
    source_code: str
    """Empty for a job without a source."""
    config: JobConfig
    page_parameters: tuple[str, ...] = ()
    """The query parameters that distinguish the source's pages, for `url_group`."""
    was_cleaned_up: bool = False
    """Whether its temporary folders were deleted, or their deletion began."""
    was_crawled_here: bool = False
    """Whether an external tool, such as zimit, crawled it: it has no tasks in this database."""

    @property
    def source_id(self) -> int:
        """Return the id of its source, to which its captures belong; ConflictError for a job without a source."""
        if self.source is None:
            raise ConflictError(no_source(self.id))
        return self.source


def no_source(job_id: int) -> str:
    """Return the message for a job without a source, with instructions."""
    return f"job {job_id} has no source: webstrata register-job-dir --source CODE --output-dir FOLDER gives it one"


def ensure_source(session: Session, code: str, *, name: str, base_url: str | None) -> int:
    """Return the source of a code, made when it is new."""
    known = session.scalar(select(Source.id).where(Source.code == code))
    if known is not None:
        return known
    source = Source(code=code, name=name, base_url=base_url)
    session.add(source)
    session.flush()
    return source.id


def add_job(
    session: Session, source_id: int, *, name: str, output_dir: str, config: JobConfig, queued_at: datetime
) -> int:
    """Put a job at the end of the queue."""
    job = ArchiveJob(
        source_id=source_id, name=name, output_dir=output_dir, config=config.to_json(), queued_at=queued_at
    )
    session.add(job)
    session.flush()
    return job.id


def load_job(session: Session, job_id: int) -> StoredJob:
    """Return a job, also one without a source; NotFoundError when there is none."""
    row = session.execute(
        select(ArchiveJob, Source).outerjoin(Source, ArchiveJob.source_id == Source.id).where(ArchiveJob.id == job_id)
    ).first()
    if row is None:
        raise NotFoundError(f"there is no job {job_id}")
    return _stored_job(row[0], row[1])


def _stored_job(job: ArchiveJob, source: Source | None) -> StoredJob:
    return StoredJob(
        id=job.id,
        name=job.name,
        status=JobStatus(job.status),
        started_at=job.started_at,
        finished_at=job.finished_at,
        crawl_ended=CRAWL_ENDS.get(job.crawler_status or "") if job.finished_at else None,
        status_reason=job.status_reason,
        retry_count=job.retry_count,
        output_dir=job.output_dir,
        source=job.source_id,
        source_code=source.code if source else "",
        config=JobConfig.from_json(job.config or {}),
        page_parameters=tuple(source.page_parameters or ()) if source else (),
        was_cleaned_up=job.cleanup_status != CleanupStatus.NONE,
        was_crawled_here=job.was_crawled_here,
    )


def status_of(session: Session, job_id: int) -> JobStatus:
    """Return the status of a job; NotFoundError when there is none."""
    status = session.scalar(keeping_rows(session, select(ArchiveJob.status).where(ArchiveJob.id == job_id)))
    if status is None:
        raise NotFoundError(f"there is no job {job_id}")
    return JobStatus(status)


def host_delays(session: Session, job_ids: Collection[int]) -> list[float]:
    """Return the delays per host in the configurations of jobs."""
    configs = session.scalars(select(ArchiveJob.config).where(ArchiveJob.id.in_(job_ids)))
    crawls = [config.get("crawl") for config in configs if config]
    named = [crawl.get("per_host_delay") for crawl in crawls if isinstance(crawl, dict)]
    return [float(delay) for delay in named if isinstance(delay, int | float)]


def sitemaps_were_read(session: Session, job_id: int) -> bool:
    """Return whether everything that a site's sitemaps list is known to a job."""
    return session.scalar(select(ArchiveJob.sitemaps_read_at).where(ArchiveJob.id == job_id)) is not None


def sitemap_tries(session: Session, job_id: int) -> int:
    """Return how many crawlers have died while reading the sitemaps of a job."""
    return session.scalar(select(ArchiveJob.sitemap_tries).where(ArchiveJob.id == job_id)) or 0


def next_in_line(session: Session, now: datetime) -> int | None:
    """Return the job that has waited longest and may start; jobs without a source are left out."""
    may_start = or_(ArchiveJob.not_before.is_(None), ArchiveJob.not_before <= now)
    return session.scalar(
        select(ArchiveJob.id)
        .where(ArchiveJob.status.in_(CLAIMABLE), ArchiveJob.source_id.is_not(None), may_start)
        .order_by(ArchiveJob.queued_at.asc().nulls_first(), ArchiveJob.created_at, ArchiveJob.id)
        .limit(1)
    )


def next_to_index(session: Session, now: datetime) -> int | None:
    """Return the job of a source that waits longest for its index: its crawl is over, and no worker has it."""
    waiting = select(ArchiveJob.id).where(*_waits_for_index(now))
    return session.scalar(waiting.order_by(ArchiveJob.finished_at.asc().nulls_first(), ArchiveJob.id).limit(1))


def waits_for_index(session: Session, job_id: int, now: datetime) -> bool:
    """Return whether a job's crawl is over, no worker has it and it is not all indexed."""
    return session.scalar(select(ArchiveJob.id).where(ArchiveJob.id == job_id, *_waits_for_index(now))) is not None


def _waits_for_index(now: datetime) -> tuple[ColumnElement[bool], ...]:
    left = select(WarcFile.id).where(
        WarcFile.job_id == ArchiveJob.id, WarcFile.indexed_bytes != WarcFile.committed_bytes
    )
    # An interrupted crawl that was already indexed is excluded: the rest of its files cannot be read, and would be
    # tried forever.
    untried = or_(ArchiveJob.indexed_at.is_(None), ArchiveJob.indexed_at < ArchiveJob.finished_at)
    cut_short = and_(ArchiveJob.status.in_(CUT_SHORT), left.exists(), untried)
    may_start = or_(ArchiveJob.not_before.is_(None), ArchiveJob.not_before <= now)
    nobody = or_(ArchiveJob.lease_owner.is_(None), ArchiveJob.lease_expires_at <= now)
    wants_it = or_(ArchiveJob.status == JobStatus.COMPLETED, cut_short)
    return wants_it, ArchiveJob.source_id.is_not(None), may_start, nobody


def indexed_bytes(session: Session, job_id: int) -> tuple[int, int]:
    """Return how many bytes of a job's WARC files are indexed, and how many there are."""
    row = session.execute(
        select(
            func.coalesce(func.sum(WarcFile.indexed_bytes), 0), func.coalesce(func.sum(WarcFile.committed_bytes), 0)
        ).where(WarcFile.job_id == job_id)
    ).one()
    return int(row[0]), int(row[1])


def job_in_folder(session: Session, output_dir: str) -> int | None:
    """Return the newest job with its files in a folder."""
    return session.scalar(
        select(ArchiveJob.id).where(ArchiveJob.output_dir == output_dir).order_by(ArchiveJob.id.desc()).limit(1)
    )


def unfinished_job(
    session: Session, source_id: int, seeds: tuple[str, ...], *, may_have_more: bool = False
) -> int | None:
    """Return the source's newest unfinished job of the same addresses, in any spelling.

    A stopped one counts only if there is no newer job. With `may_have_more`, a running or queued one may also have
    other addresses.
    """
    newest = session.scalar(select(func.max(ArchiveJob.id)).where(ArchiveJob.source_id == source_id))
    unfinished = session.scalars(
        select(ArchiveJob)
        .where(ArchiveJob.source_id == source_id, ArchiveJob.status.in_(UNFINISHED))
        .order_by(ArchiveJob.id.desc())
    )
    requested = address_keys(seeds)
    for job in unfinished:
        is_stopped = job.status == JobStatus.STOPPED
        known = address_keys(JobConfig.from_json(job.config or {}).seeds)
        is_same = known == requested and (not is_stopped or job.id == newest)
        if is_same or (may_have_more and not is_stopped and known > requested):
            return job.id
    return None


def set_job(session: Session, job_id: int, **values: object) -> None:
    """Write some of a job's columns."""
    session.execute(update(ArchiveJob).where(ArchiveJob.id == job_id).values(**values))


def set_crawl_counts(session: Session, job_id: int, counts: Mapping[str, int]) -> None:
    """Write the counts of a job's crawl."""
    set_job(session, job_id, **crawl_counts(counts))


def crawl_counts(counts: Mapping[str, int]) -> dict[str, object]:
    """Return the columns with the progress of a crawl."""
    return {
        "pages_crawled": counts["finished"],
        "pages_failed": counts["error"],
        "pages_total": sum(counts.values()),
        "last_stats_json": dict(counts),
    }


def last_stats(session: Session, job_id: int) -> dict[str, object]:
    """Return the statistics that a job's crawl wrote last."""
    return dict(session.scalar(select(ArchiveJob.last_stats_json).where(ArchiveJob.id == job_id)) or {})


def outcome(session: Session, job_id: int) -> tuple[str | None, int, int]:
    """Return the reason of a job's status, and how many URLs it got and failed to get."""
    row = session.execute(
        select(ArchiveJob.status_reason, ArchiveJob.pages_crawled, ArchiveJob.pages_failed).where(
            ArchiveJob.id == job_id
        )
    ).one()
    return row[0], row[1] or 0, row[2] or 0


def has_indexed_job(session: Session, source_code: str) -> bool:
    """Return whether a source was archived before."""
    found = session.scalar(
        select(ArchiveJob.id)
        .join(Source, ArchiveJob.source_id == Source.id)
        .where(Source.code == source_code, ArchiveJob.status == JobStatus.INDEXED)
        .limit(1)
    )
    return found is not None
