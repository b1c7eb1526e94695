"""Queries of sources, jobs, snapshots and totals for display."""

from collections.abc import Sequence
from datetime import date

from sqlalchemy import Row, Select, case, func, select
from sqlalchemy.orm import Session

from webstrata.db.captures.snapshots import is_good, is_ok
from webstrata.db.schema.public_tables import SourceTotals
from webstrata.db.schema.tables import ArchiveJob, Capture, Page, Snapshot, Source
from webstrata.db.search.cache import cached_result
from webstrata.db.search.question import archive_state
from webstrata.db.sources.editions import front_group
from webstrata.db.sources.totals import HIDDEN_SOURCE
from webstrata.db.sources.totals import totals as source_totals
from webstrata.db.sql.planner_hints import unindexed
from webstrata.model.archive import ArchiveTotals, JobView, RecordPlace, SnapshotView, SourceSummary
from webstrata.model.captures import DateSource
from webstrata.model.content_types import HTML_TYPES
from webstrata.model.jobs.job import UNDER_WAY, JobStatus

__all__ = ["HIDDEN_SOURCE"]


def snapshot_rows() -> Select[Snapshot, str, str, str]:
    """Select snapshots with the names of their source and job."""
    return (
        select(Snapshot, Source.code, Source.name, ArchiveJob.name)
        .join(Source, Snapshot.source_id == Source.id)
        .outerjoin(ArchiveJob, Snapshot.job_id == ArchiveJob.id)
    )


def to_view(row: Row[Snapshot, str, str, str]) -> SnapshotView:
    """Return a row of `snapshot_rows` as a value."""
    snapshot, source_code, source_name, job_name = row
    return SnapshotView(
        id=snapshot.id,
        url=snapshot.url,
        normalized_url_group=snapshot.normalized_url_group or snapshot.url,
        title=snapshot.title,
        snippet=snapshot.snippet,
        language=snapshot.language,
        captured_at=snapshot.capture_timestamp,
        mime_type=snapshot.mime_type,
        status_code=snapshot.status_code,
        content_hash=snapshot.content_hash,
        source_code=source_code,
        source_name=source_name,
        job_id=snapshot.job_id,
        job_name=job_name,
        quality=snapshot.quality,
        quality_kind=snapshot.quality_kind,
        quality_reasons=snapshot.quality_reasons,
    )


def snapshot(session: Session, snapshot_id: int) -> SnapshotView | None:
    """Return one snapshot."""
    row = session.execute(snapshot_rows().where(Snapshot.id == snapshot_id)).first()
    return to_view(row) if row else None


def record_place(session: Session, snapshot_id: int) -> RecordPlace | None:
    """Return the position of a snapshot's record."""
    found = session.get(Snapshot, snapshot_id)
    if found is None:
        return None
    capture = session.get(Capture, found.capture_id) if found.capture_id is not None else None
    return RecordPlace(
        warc_path=found.warc_path,
        offset=found.warc_offset,
        length=found.warc_length,
        record_id=found.warc_record_id,
        url=found.url,
        captured_at=found.capture_timestamp,
        output_dir=found.job.output_dir if found.job else None,
        cleaned_at=found.job.cleaned_at if found.job else None,
        snapshot_id=found.id,
        capture_id=found.capture_id,
        content_hash=found.content_hash,
        date_source=DateSource(capture.date_source) if capture and capture.date_source else None,
    )


def timeline(session: Session, of: SnapshotView) -> tuple[SnapshotView, ...]:
    """Return all captures of a snapshot's page by its source, oldest first."""
    rows = session.execute(
        snapshot_rows()
        .where(Snapshot.normalized_url_group == of.normalized_url_group, unindexed(Source.code) == of.source_code)
        .order_by(Snapshot.capture_timestamp, Snapshot.id)
    )
    return tuple(to_view(row) for row in rows)


def latest_capture(session: Session, of: SnapshotView, *, html_only: bool) -> SnapshotView | None:
    """Return the newest good capture of a snapshot's page by its source; any kind of file, or only HTML.

    Without a good one it is the newest whose status is no error.
    """
    statement = snapshot_rows().where(
        Snapshot.normalized_url_group == of.normalized_url_group, unindexed(Source.code) == of.source_code, is_ok()
    )
    if html_only:
        statement = statement.where(Snapshot.mime_type.in_(HTML_TYPES))
    order = case((is_good(), 0), else_=1), Snapshot.capture_timestamp.desc(), Snapshot.id.desc()
    row = session.execute(statement.order_by(*order).limit(1)).first()
    return to_view(row) if row else None


def sources(session: Session) -> tuple[SourceSummary, ...]:
    """Return the sources that have a snapshot, by name."""
    rows = session.execute(
        select(Source, SourceTotals)
        .join(SourceTotals, SourceTotals.source_id == Source.id)
        .where(Source.code != HIDDEN_SOURCE, SourceTotals.snapshot_count > 0)
        .order_by(func.lower(Source.name), Source.id)
    )
    return tuple(_source_summary(session, source, counted) for source, counted in rows.all())


def source(session: Session, code: str) -> SourceSummary | None:
    """Return a source with its counts; None when it has no captures."""
    row = session.execute(
        select(Source, SourceTotals)
        .join(SourceTotals, SourceTotals.source_id == Source.id)
        .where(Source.code == code, SourceTotals.snapshot_count > 0)
    ).first()
    return _source_summary(session, row[0], row[1]) if row else None


def _source_summary(session: Session, source: Source, counted: SourceTotals) -> SourceSummary:
    first, last = counted.first_capture_timestamp, counted.last_capture_timestamp
    assert first is not None
    assert last is not None
    return SourceSummary(
        code=source.code,
        name=source.name,
        base_url=source.base_url,
        description=source.description,
        record_count=counted.snapshot_count,
        page_count=counted.page_count,
        first_capture=first,
        last_capture=last,
        latest_record_id=counted.latest_snapshot_id,
        entry_record_id=_entry_snapshot_id(session, source),
    )


def _entry_snapshot_id(session: Session, source: Source) -> int | None:
    """Return the newest good capture of the source's front page."""
    front = front_group(source)
    if front is None:
        return None
    return session.scalars(
        select(Page.latest_ok_snapshot_id).where(Page.source_id == source.id, Page.normalized_url_group == front)
    ).first()


def totals(session: Session) -> ArchiveTotals:
    """Return the totals of the archive."""
    counted = [total for total in source_totals(session, public=True) if total.snapshots]
    return ArchiveTotals(
        snapshots=sum(total.snapshots for total in counted),
        pages=sum(total.pages for total in counted),
        sources=len(counted),
        latest_capture=max((total.last_capture for total in counted if total.last_capture), default=None),
    )


def jobs(
    session: Session, *, source: str | None = None, status: str | None = None, limit: int = 50, offset: int = 0
) -> tuple[tuple[JobView, ...], int]:
    """Return jobs, newest first, and how many there are in all."""
    statement = select(ArchiveJob, Source).outerjoin(Source, ArchiveJob.source_id == Source.id)
    if source is not None:
        statement = statement.where(Source.code == source)
    if status is not None:
        statement = statement.where(ArchiveJob.status == status)
    total = session.scalar(select(func.count()).select_from(statement.subquery("wanted"))) or 0
    rows = session.execute(statement.order_by(ArchiveJob.id.desc()).limit(limit).offset(offset))
    return tuple(_job_view(found, of) for found, of in rows), total


def jobs_under_way(session: Session, *, limit: int) -> tuple[JobView, ...]:
    """Return jobs that continue by themselves, without those of the hidden source: running ones first, then newest
    first."""
    rows = session.execute(
        select(ArchiveJob, Source)
        .outerjoin(Source, ArchiveJob.source_id == Source.id)
        .where(ArchiveJob.status.in_(UNDER_WAY), func.coalesce(Source.code, "") != HIDDEN_SOURCE)
        .order_by(ArchiveJob.status != JobStatus.RUNNING, ArchiveJob.id.desc())
        .limit(limit)
    )
    return tuple(_job_view(found, of) for found, of in rows)


def job(session: Session, job_id: int) -> JobView | None:
    """Return one job."""
    row = session.execute(
        select(ArchiveJob, Source).outerjoin(Source, ArchiveJob.source_id == Source.id).where(ArchiveJob.id == job_id)
    ).first()
    return _job_view(row[0], row[1]) if row else None


def job_status_counts(session: Session, *, public: bool = False) -> dict[str, int]:
    """Return the number of jobs by status; those of the hidden source are not public."""
    counted = select(ArchiveJob.status, func.count()).group_by(ArchiveJob.status)
    counts = {row[0]: row[1] for row in session.execute(counted)}
    if public:
        # Counted separately and subtracted: an index has both numbers, but not the difference.
        hidden = select(Source.id).where(Source.code == HIDDEN_SOURCE).scalar_subquery()
        for status, count in session.execute(counted.where(ArchiveJob.source_id == hidden)):
            counts[status] -= count
    return {status: count for status, count in counts.items() if count}


def has_jobs(session: Session) -> bool:
    """Return whether there is any job."""
    return session.scalar(select(ArchiveJob.id).limit(1)) is not None


def sources_of_jobs(session: Session) -> tuple[tuple[str, str], ...]:
    """Return code and name of every source that has a job, by name."""
    has_job = select(ArchiveJob.id).where(ArchiveJob.source_id == Source.id).exists()
    rows = session.execute(select(Source.code, Source.name).where(has_job).order_by(func.lower(Source.name), Source.id))
    return tuple((code, name) for code, name in rows)


def job_snapshots(session: Session, job_id: int, *, limit: int, offset: int) -> Sequence[SnapshotView]:
    """Return a job's snapshots in the order they were indexed."""
    # Keeps PostgreSQL from reading all snapshots in order of id until it finds those of the job.
    first = select(func.min(Snapshot.id)).where(Snapshot.job_id == job_id).scalar_subquery()
    of_job = (Snapshot.job_id == job_id, Snapshot.id >= first)
    chosen = select(Snapshot.id).where(*of_job).order_by(Snapshot.id).limit(limit).offset(offset)
    rows = session.execute(snapshot_rows().where(Snapshot.id.in_(chosen)).order_by(Snapshot.id))
    return [to_view(row) for row in rows]


def _job_view(job: ArchiveJob, source: Source | None) -> JobView:
    return JobView(
        id=job.id,
        source_code=source.code if source else "",
        source_name=source.name if source else "",
        name=job.name,
        status=job.status,
        status_reason=job.status_reason,
        retry_count=job.retry_count,
        created_at=job.created_at,
        queued_at=job.queued_at,
        started_at=job.started_at,
        finished_at=job.finished_at,
        cleanup_status=job.cleanup_status,
        cleaned_at=job.cleaned_at,
        crawler_exit_code=job.crawler_exit_code,
        crawler_status=job.crawler_status,
        crawler_stage=job.crawler_stage,
        warc_file_count=job.warc_file_count,
        warc_bytes_total=job.warc_bytes_total,
        indexed_page_count=job.indexed_page_count,
        storage_scanned_at=job.storage_scanned_at,
        output_dir=job.output_dir,
        pages_crawled=job.pages_crawled,
        pages_total=job.pages_total,
        pages_failed=job.pages_failed,
        output_bytes_total=job.output_bytes_total,
        tmp_bytes_total=job.tmp_bytes_total,
        tmp_non_warc_bytes_total=job.tmp_non_warc_bytes_total,
        final_zim_path=job.final_zim_path,
        combined_log_path=job.combined_log_path,
        state_file_path=job.state_file_path,
        config=job.config,
        last_stats=job.last_stats_json,
        stop_requested_at=job.stop_requested_at,
        index_problem_count=job.index_problem_count,
        not_before=job.not_before,
    )


def captures_by_day(session: Session, source: str) -> dict[date, int]:
    """Return the UTC days on which a source's snapshots were captured, and how many there are of each.

    Every snapshot of the source is counted, and once for each state of the archive.
    """
    return cached_result(session, archive_state(session), ("days", source), lambda: _captures_by_day(session, source))


def _captures_by_day(session: Session, source: str) -> dict[date, int]:
    moment = Snapshot.capture_timestamp
    # Converted to UTC, as on PostgreSQL the day would be that of the session's time zone.
    is_zoned = session.get_bind().dialect.name == "postgresql"
    day = func.date(func.timezone("UTC", moment)) if is_zoned else func.date(moment)
    source_id = select(Source.id).where(Source.code == source).scalar_subquery()
    rows = session.execute(select(day, func.count()).where(Snapshot.source_id == source_id).group_by(day))
    return {found if isinstance(found, date) else date.fromisoformat(found): count for found, count in rows}
