"""Disk space of jobs, assets and the database itself, as last counted."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select, text, update
from sqlalchemy.orm import Session

from webstrata.db.schema.asset_tables import AssetBlob
from webstrata.db.schema.tables import ArchiveJob, Source


@dataclass(frozen=True)
class SourceBytes:
    """The disk space of a source's jobs, by kind; jobs that were never scanned are only counted."""

    code: str
    jobs: int
    unscanned: int
    warc: int
    output: int
    """Everything in the jobs' folders: WARC files, temporary files and all else."""
    temp: int
    temp_non_warc: int
    oldest_scan: datetime | None


@dataclass(frozen=True)
class MeasuredFolder:
    """The folder of a job's files, and their device."""

    job_id: int
    output_dir: str
    device: str | None


def bytes_by_source(session: Session) -> list[SourceBytes]:
    """Return what every source with jobs takes, by its code."""
    rows = session.execute(
        select(
            Source.code,
            func.count().label("jobs"),
            func.count(ArchiveJob.storage_scanned_at).label("scanned"),
            func.sum(ArchiveJob.warc_bytes_total).label("warc"),
            func.sum(ArchiveJob.output_bytes_total).label("output"),
            func.sum(ArchiveJob.tmp_bytes_total).label("temp"),
            func.sum(ArchiveJob.tmp_non_warc_bytes_total).label("temp_non_warc"),
            func.min(ArchiveJob.storage_scanned_at).label("oldest"),
        )
        .join(Source, ArchiveJob.source_id == Source.id)
        .group_by(Source.code)
        .order_by(Source.code)
    )
    return [
        SourceBytes(
            code=row.code,
            jobs=row.jobs,
            unscanned=row.jobs - row.scanned,
            warc=int(row.warc or 0),
            output=int(row.output or 0),
            temp=int(row.temp or 0),
            temp_non_warc=int(row.temp_non_warc or 0),
            oldest_scan=row.oldest,
        )
        for row in rows
    ]


def asset_bytes(session: Session) -> tuple[int, int]:
    """Return the bytes of all assets, each content once, and how many of these are in separate files."""
    in_files = func.sum(AssetBlob.size).filter(
        AssetBlob.document_id.is_(None), AssetBlob.capture_id.is_(None), AssetBlob.content.is_(None)
    )
    row = session.execute(select(func.sum(AssetBlob.size), in_files)).one()
    return int(row[0] or 0), int(row[1] or 0)


def database_bytes(session: Session) -> int:
    """Return the disk space of the database."""
    if session.get_bind().dialect.name == "postgresql":
        return int(session.scalar(text("SELECT pg_database_size(current_database())")) or 0)
    pages = session.scalar(text("PRAGMA page_count")) or 0
    return int(pages) * int(session.scalar(text("PRAGMA page_size")) or 0)


def job_folder(session: Session, job_id: int) -> MeasuredFolder | None:
    """Return the folder of a job's files."""
    row = session.execute(
        select(ArchiveJob.id, ArchiveJob.output_dir, ArchiveJob.output_device).where(ArchiveJob.id == job_id)
    ).first()
    return None if row is None else MeasuredFolder(*row)


def job_folders(
    session: Session, statuses: Collection[str] | None = None, limit: int = 1_000_000
) -> list[MeasuredFolder]:
    """Return the folders of jobs, newest first: of all jobs, or of those with some statuses."""
    statement = select(ArchiveJob.id, ArchiveJob.output_dir, ArchiveJob.output_device).order_by(ArchiveJob.id.desc())
    if statuses is not None:
        statement = statement.where(ArchiveJob.status.in_(statuses))
    return [MeasuredFolder(*row) for row in session.execute(statement.limit(limit))]


def remember_device(session: Session, job_id: int, device: str) -> None:
    """Record on which device a job's folder is, unless that is known already."""
    session.execute(
        update(ArchiveJob)
        .where(ArchiveJob.id == job_id, ArchiveJob.output_device.is_(None))
        .values(output_device=device)
    )
