"""Rows and files of a source that is deleted, and which of its WARC files other sources need."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, exists, func, select
from sqlalchemy.orm import Session, aliased

from webstrata.db.captures import warc_folders
from webstrata.db.captures.payloads import IsThere
from webstrata.db.schema.crawl_tables import CaptureLinks
from webstrata.db.schema.retention_tables import LegalHold
from webstrata.db.schema.tables import ArchiveJob, Capture, Snapshot, WarcFile


@dataclass(frozen=True)
class SourceFile:
    """A WARC file of a source's job."""

    id: int
    job_id: int
    path: str
    output_dir: str
    bytes: int


def files_of_source(session: Session, source_id: int) -> list[SourceFile]:
    """Return the WARC files of a source's jobs."""
    rows = session.execute(
        select(WarcFile.id, WarcFile.job_id, WarcFile.path, ArchiveJob.output_dir, WarcFile.committed_bytes)
        .join(ArchiveJob, WarcFile.job_id == ArchiveJob.id)
        .where(ArchiveJob.source_id == source_id)
        .order_by(WarcFile.id)
    )
    return [SourceFile(*row) for row in rows]


def needed_by_others(
    session: Session, source_id: int, files: Collection[SourceFile], is_there: IsThere
) -> dict[str, tuple[int, ...]]:
    """Return the files of a source to which jobs of other sources refer, each with these jobs."""
    own = set(session.scalars(select(ArchiveJob.id).where(ArchiveJob.source_id == source_id)))
    found: dict[str, tuple[int, ...]] = {}
    for job_id in sorted({file.job_id for file in files}):
        paths = [file.path for file in files if file.job_id == job_id]
        for path, jobs in warc_folders.needed_elsewhere(session, job_id, paths, is_there).items():
            others = tuple(job for job in jobs if job not in own)
            if others:
                found[path] = others
    return found


def snapshots_of_source(session: Session, source_id: int, most: int) -> list[int]:
    """Return some snapshots of a source."""
    # In the order of an index, as sorting a whole source for each part would take too long.
    oldest_first = Snapshot.capture_timestamp, Snapshot.id
    statement = select(Snapshot.id).where(Snapshot.source_id == source_id).order_by(*oldest_first).limit(most)
    return list(session.scalars(statement))


def count_captures(session: Session, source_id: int) -> int:
    """Return how many captures a source has."""
    return session.scalar(select(func.count()).select_from(Capture).where(Capture.source_id == source_id)) or 0


def is_held(session: Session, source_id: int) -> bool:
    """Return whether a legal hold names the source."""
    held = exists().where(LegalHold.source_id == source_id, LegalHold.released_at.is_(None))
    return bool(session.scalar(select(held)))


def forget_file(session: Session, file_id: int) -> None:
    """Delete the rows of a WARC file that is gone, with its captures."""
    session.execute(delete(CaptureLinks).where(CaptureLinks.warc_file_id == file_id))
    session.execute(delete(Capture).where(Capture.warc_file_id == file_id))
    session.execute(delete(WarcFile).where(WarcFile.id == file_id))


def forget_unneeded_captures(session: Session, source_id: int, file_id: int) -> None:
    """Delete the captures of a remaining file, except those to which revisits of other sources refer."""
    revisit = aliased(Capture)
    is_named = exists().where(
        revisit.refers_to == Capture.warc_record_id, revisit.source_id != source_id, revisit.record_type == "revisit"
    )
    session.execute(
        delete(Capture).where(Capture.warc_file_id == file_id, ~is_named).execution_options(synchronize_session=False)
    )


def mark_files(session: Session, files: Collection[SourceFile], now: datetime) -> None:
    """Mark files as being deleted, so that no crawl refers to their records any more."""
    for job_id in {file.job_id for file in files}:
        paths = [file.path for file in files if file.job_id == job_id]
        warc_folders.mark_deleting(session, job_id, paths, now)
        warc_folders.give_up_payloads(session, job_id, paths)
