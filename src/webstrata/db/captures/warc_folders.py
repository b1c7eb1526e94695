"""Queries of jobs' folders: WARC files that are adopted, moved or deleted, and those that other jobs need."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Row, Select, and_, exists, func, insert, select, union, update
from sqlalchemy.orm import Session, aliased

from webstrata.db.captures.payloads import PAYLOAD_TYPES, IsThere
from webstrata.db.engine import keeping_rows
from webstrata.db.schema.tables import ArchiveJob, Capture, Snapshot, Source, WarcFile
from webstrata.errors import NotFoundError
from webstrata.model.jobs.cleanup import CleanupStatus
from webstrata.model.jobs.job import JobStatus

_AT_ONCE = 500
"""The number of values in one statement; SQLite allows some thousands."""


@dataclass(frozen=True)
class FoundWarc:
    """A file in a job's folder, and the length of its complete records."""

    path: str
    """Relative to the archive root if it is inside, else absolute."""
    size: int


@dataclass(frozen=True)
class RegisteredFolder:
    """The job of a given folder."""

    job_id: int
    source_code: str
    """Empty for a job without a source."""
    status: str


@dataclass(frozen=True)
class KeptFolder:
    """A job's folder, and the states that decide whether it may be cleaned up."""

    output_dir: str
    status: JobStatus
    cleanup_status: CleanupStatus


def kept_folder(session: Session, job_id: int) -> KeptFolder:
    """Return a job's folder; a transaction that writes locks the row. NotFoundError when there is no such job."""
    columns = ArchiveJob.output_dir, ArchiveJob.status, ArchiveJob.cleanup_status
    row = session.execute(keeping_rows(session, select(*columns).where(ArchiveJob.id == job_id))).first()
    if row is None:
        raise NotFoundError(f"there is no job {job_id}")
    return KeptFolder(row.output_dir, JobStatus(row.status), CleanupStatus(row.cleanup_status))


def adopt_warc_files(session: Session, job_id: int, found: Iterable[FoundWarc]) -> list[str]:
    """Add files to a job that no job has yet, update those that have grown, and return both."""
    known = {row.path: row for row in session.scalars(select(WarcFile).where(WarcFile.job_id == job_id))}
    taken = []
    for warc in found:
        row = known.get(warc.path)
        if row is None:
            session.execute(insert(WarcFile).values(job_id=job_id, path=warc.path, committed_bytes=warc.size))
        elif row.owner is None and row.committed_bytes < warc.size:
            row.committed_bytes = warc.size
        else:
            continue
        taken.append(warc.path)
    session.flush()
    return taken


def jobs_with_files(session: Session, paths: Collection[str]) -> dict[str, int]:
    """Return the jobs of the files at some paths, by path."""
    found: dict[str, int] = {}
    for part in _parts(paths):
        rows = session.execute(select(WarcFile.path, WarcFile.job_id).where(WarcFile.path.in_(part)))
        found.update({row.path: row.job_id for row in rows})
    return found


def job_of_folder(session: Session, output_dir: str) -> RegisteredFolder | None:
    """Return the newest job whose folder is the given one."""
    row = session.execute(
        select(ArchiveJob.id, Source.code, ArchiveJob.status)
        .outerjoin(Source, ArchiveJob.source_id == Source.id)
        .where(ArchiveJob.output_dir == output_dir)
        .order_by(ArchiveJob.id.desc())
        .limit(1)
    ).first()
    return None if row is None else RegisteredFolder(row.id, row.code or "", row.status)


def move_warc_files(session: Session, job_id: int, moved: Mapping[str, str]) -> None:
    """Change the paths of files of a job, and of all snapshots in them."""
    for before, after in moved.items():
        session.execute(update(WarcFile).where(WarcFile.job_id == job_id, WarcFile.path == before).values(path=after))
        session.execute(
            update(Snapshot).where(Snapshot.job_id == job_id, Snapshot.warc_path == before).values(warc_path=after)
        )


def snapshots_in(session: Session, job_id: int, paths: Collection[str]) -> int:
    """Return how many snapshots of a job lie in some files."""
    count = 0
    for part in _parts(paths):
        lying = select(func.count()).where(Snapshot.job_id == job_id, Snapshot.warc_path.in_(part))
        count += session.scalar(lying) or 0
    return count


def mark_deleting(session: Session, job_id: int, paths: Collection[str], now: datetime) -> None:
    """Mark files of a job as being deleted, so that no running crawl refers to their records."""
    for part in _parts(paths):
        marked = update(WarcFile).where(WarcFile.job_id == job_id, WarcFile.path.in_(part))
        session.execute(marked.values(deleting_since=now))


def give_up_payloads(session: Session, job_id: int, paths: Collection[str]) -> None:
    """Delete the digests of payloads in some files of a job, so that no later revisit refers to them."""
    for part in _parts(paths):
        going = select(WarcFile.id).where(WarcFile.job_id == job_id, WarcFile.path.in_(part))
        session.execute(
            update(Capture)
            .where(Capture.warc_file_id.in_(going))
            .values(payload_digest=None)
            .execution_options(synchronize_session=False)
        )


def crawls_beside(session: Session, job_id: int) -> list[int]:
    """Return the running crawls of the same source by other jobs: they may be about to refer to the job's records."""
    source_id = select(ArchiveJob.source_id).where(ArchiveJob.id == job_id).scalar_subquery()
    beside = select(ArchiveJob.id).where(
        ArchiveJob.source_id == source_id, ArchiveJob.id != job_id, ArchiveJob.status == JobStatus.RUNNING
    )
    return list(session.scalars(beside.order_by(ArchiveJob.id)))


def needed_elsewhere(
    session: Session, job_id: int, going: Collection[str], is_there: IsThere
) -> dict[str, tuple[int, ...]]:
    """Return which files to be deleted are needed by revisits of other jobs, with these jobs.

    A file is not needed if a remaining file contains the same records. A revisit that names no record counts as
    referring to every record with its payload's digest.
    """
    found: dict[str, set[int]] = {}
    for part in _parts(going):
        held = select(WarcFile.id).where(WarcFile.job_id == job_id, WarcFile.path.in_(part))
        files = _files_with_copies(session, held)
        staying = [row.id for row in files if row.path not in going and is_there(row.path, row.output_dir)]
        for needed in (_named_by_revisits(job_id, held, staying), _of_the_same_payload(job_id, held, staying)):
            for path, other in session.execute(needed):
                found.setdefault(path, set()).add(other)
    return {path: tuple(sorted(found[path])) for path in sorted(found)}


def _parts(paths: Collection[str]) -> Iterator[list[str]]:
    requested = list(paths)
    return (requested[start : start + _AT_ONCE] for start in range(0, len(requested), _AT_ONCE))


def _files_with_copies(session: Session, held_in: Select[int]) -> Sequence[Row[int, str, str]]:
    """Return the files that contain copies of records in some files, or payloads of the same source."""
    held, copy = aliased(Capture), aliased(Capture)
    is_record = and_(copy.warc_record_id == held.warc_record_id, held.warc_record_id != "")
    same = (is_record, _has_payload_of(copy, held))
    lying = (held.warc_file_id.in_(held_in), held.record_type != "revisit", copy.record_type.in_(PAYLOAD_TYPES))
    of_copies = union(*(select(copy.warc_file_id).join(held, is_same).where(*lying) for is_same in same))
    return session.execute(
        select(WarcFile.id, WarcFile.path, ArchiveJob.output_dir)
        .join(ArchiveJob, WarcFile.job_id == ArchiveJob.id)
        .where(WarcFile.id.in_(of_copies))
    ).all()


def _has_payload_of(copy: type[Capture], held: type[Capture]) -> ColumnElement[bool]:
    return and_(copy.source_id == held.source_id, copy.payload_digest == held.payload_digest)


def _named_by_revisits(job_id: int, held_in: Select[int], staying: Collection[int]) -> Select[str, int]:
    held, revisit, copy = aliased(Capture), aliased(Capture), aliased(Capture)
    copied = exists().where(
        copy.warc_record_id == held.warc_record_id, copy.warc_file_id.in_(staying), copy.record_type != "revisit"
    )
    return (
        select(WarcFile.path, revisit.job_id)
        .distinct()
        .select_from(revisit)
        .join(held, held.warc_record_id == revisit.refers_to)
        .join(WarcFile, held.warc_file_id == WarcFile.id)
        .where(revisit.record_type == "revisit", revisit.job_id != job_id, revisit.refers_to != "")
        .where(held.warc_file_id.in_(held_in), ~copied)
    )


def _of_the_same_payload(job_id: int, held_in: Select[int], staying: Collection[int]) -> Select[str, int]:
    held = (
        select(Capture.warc_file_id, Capture.source_id, Capture.payload_digest)
        .distinct()
        .where(Capture.warc_file_id.in_(held_in), Capture.record_type != "revisit", Capture.payload_digest.is_not(None))
        .subquery()
    )
    revisit, copy = aliased(Capture), aliased(Capture)
    of_payload = (revisit.source_id == held.c.source_id, revisit.payload_digest == held.c.payload_digest)
    copied = exists().where(
        copy.source_id == held.c.source_id,
        copy.payload_digest == held.c.payload_digest,
        copy.warc_file_id.in_(staying),
        copy.record_type.in_(PAYLOAD_TYPES),
    )
    return (
        select(WarcFile.path, revisit.job_id)
        .distinct()
        .select_from(held)
        .join(revisit, and_(*of_payload, revisit.record_type == "revisit"))
        .join(WarcFile, held.c.warc_file_id == WarcFile.id)
        .where(revisit.job_id != job_id, func.coalesce(revisit.refers_to, "") == "", ~copied)
    )
