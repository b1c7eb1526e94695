"""Queries for exports of WARC records: the captures, read in parts, and their files."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, select
from sqlalchemy.orm import Session

from webstrata.db.engine import Database
from webstrata.db.replay.closest import COLUMNS
from webstrata.db.schema.tables import ArchiveJob, Capture, Snapshot, Source, WarcFile
from webstrata.errors import NotFoundError
from webstrata.model.captures import ArchivedCapture
from webstrata.model.urls import surt

PART = 2_000

_OWN = len(COLUMNS)


@dataclass(frozen=True, slots=True)
class ExportedRecord:
    """A capture to be exported, with its page if it is one."""

    capture: ArchivedCapture
    source_id: int
    refers_to: str | None
    """The id of the record that a revisit refers to, if it names one."""
    snapshot_id: int | None
    title: str | None

    @property
    def is_error(self) -> bool:
        """Return whether the server sent an error or a redirect instead of the page."""
        return not 200 <= (self.replayed_status or 200) <= 299

    @property
    def is_unmodified(self) -> bool:
        """Return whether it is a revisit for a 304 response."""
        return self.capture.record_type == "revisit" and self.capture.status_code == 304

    @property
    def replayed_status(self) -> int | None:
        """Return the status of its replay: for a 304 response, that of the original."""
        return 200 if self.is_unmodified else self.capture.status_code


@dataclass(frozen=True)
class ExportedFile:
    """A WARC file of an exported job, as it is recorded."""

    job_id: int
    path: str
    output_dir: str
    committed_bytes: int


@dataclass(frozen=True)
class ExportedJob:
    """A job to be exported."""

    id: int
    name: str
    source_code: str
    finished_at: datetime | None


_RECORDS = (
    select(*COLUMNS, Capture.source_id, Capture.refers_to, Snapshot.id, Snapshot.title)
    .outerjoin(WarcFile, Capture.warc_file_id == WarcFile.id)
    .outerjoin(ArchiveJob, WarcFile.job_id == ArchiveJob.id)
    .outerjoin(Snapshot, Snapshot.capture_id == Capture.id)
)


def jobs_to_export(session: Session, *, job_id: int | None = None, source_code: str | None = None) -> list[ExportedJob]:
    """Return one job, or all jobs of a source, oldest first; NotFoundError when there is none."""
    statement = select(ArchiveJob.id, ArchiveJob.name, Source.code, ArchiveJob.finished_at).outerjoin(
        Source, ArchiveJob.source_id == Source.id
    )
    statement = (
        statement.where(ArchiveJob.id == job_id) if source_code is None else statement.where(Source.code == source_code)
    )
    found = [
        ExportedJob(row[0], row[1], row[2] or "", row[3]) for row in session.execute(statement.order_by(ArchiveJob.id))
    ]
    if not found:
        raise NotFoundError(f"there is no job {job_id}" if source_code is None else f"source {source_code} has no jobs")
    return found


def files_to_export(session: Session, job_ids: Collection[int]) -> list[ExportedFile]:
    """Return the files of jobs that are not empty, in the order in which they were begun."""
    rows = session.execute(
        select(WarcFile.job_id, WarcFile.path, ArchiveJob.output_dir, WarcFile.committed_bytes)
        .join(ArchiveJob, WarcFile.job_id == ArchiveJob.id)
        .where(WarcFile.job_id.in_(job_ids), WarcFile.committed_bytes > 0)
        .order_by(WarcFile.id)
    )
    return [ExportedFile(*row) for row in rows]


def records_of_job(database: Database, job_id: int) -> Iterator[ExportedRecord]:
    """Yield the captures of a job, ids ascending."""
    after = 0
    while True:
        with database.read() as session:
            part = _records(session, (Capture.job_id == job_id) & (Capture.id > after), PART)
        yield from part
        if len(part) < PART:
            return
        after = part[-1].capture.id


def records_of_url(database: Database, url: str) -> list[ExportedRecord]:
    """Return the captures of a URL by all jobs; UsageError when it is not a web address."""
    with database.read() as session:
        return _records(session, Capture.url_key == surt(url))


def records_of_captures(session: Session, capture_ids: Collection[int]) -> list[ExportedRecord]:
    """Return captures by their ids."""
    return _records(session, Capture.id.in_(capture_ids))


def files_of_size(session: Session, sizes: Collection[int]) -> list[ExportedFile]:
    """Return the files of all jobs whose acknowledged length is one of some sizes."""
    rows = session.execute(
        select(WarcFile.job_id, WarcFile.path, ArchiveJob.output_dir, WarcFile.committed_bytes)
        .join(ArchiveJob, WarcFile.job_id == ArchiveJob.id)
        .where(WarcFile.committed_bytes.in_(sizes), WarcFile.deleting_since.is_(None))
        .order_by(WarcFile.id)
    )
    return [ExportedFile(*row) for row in rows]


def jobs_of_files_named(session: Session, parts: Mapping[str, str]) -> dict[str, int]:
    """Return, by key, the job that has a file whose path contains the key's word."""
    found: dict[str, int] = {}
    for part, key in parts.items():
        job_id = session.scalar(
            select(WarcFile.job_id)
            .where(WarcFile.path.contains(part, autoescape=True), WarcFile.deleting_since.is_(None))
            .order_by(WarcFile.id)
        )
        if job_id is not None:
            found[key] = job_id
    return found


def _records(session: Session, which: ColumnElement[bool], limit: int | None = None) -> list[ExportedRecord]:
    return [_record(row) for row in session.execute(_RECORDS.where(which).order_by(Capture.id).limit(limit))]


def _record(row: Row[*tuple[Any, ...]]) -> ExportedRecord:
    return ExportedRecord(ArchivedCapture(*row[:_OWN]), *row[_OWN:])
