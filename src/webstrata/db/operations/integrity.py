"""Queries of integrity checks: the recorded WARC files with their captures, and the blobs."""

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from webstrata.db.engine import Database
from webstrata.db.schema.asset_tables import AssetBlob
from webstrata.db.schema.tables import ArchiveJob, Capture, WarcFile

_PART = 5_000
_IS_GONE = ArchiveJob.cleaned_at.is_not(None) | WarcFile.deleting_since.is_not(None)
_RECORDED = (
    select(WarcFile.id, WarcFile.job_id, WarcFile.path, ArchiveJob.output_dir, WarcFile.committed_bytes, _IS_GONE)
    .join(ArchiveJob, WarcFile.job_id == ArchiveJob.id)
    .where(WarcFile.committed_bytes > 0)
    .order_by(WarcFile.id)
)


@dataclass(frozen=True)
class RecordedWarc:
    """A WARC file as it is recorded."""

    id: int
    job_id: int
    path: str
    output_dir: str
    committed_bytes: int
    may_be_gone: bool
    """Whether its job was cleaned up, or it is being deleted."""


def recorded_warcs(session: Session) -> list[RecordedWarc]:
    """Return the WARC files of all jobs that are not empty."""
    return [RecordedWarc(*row) for row in session.execute(_RECORDED)]


def warc_after(session: Session, after_id: int) -> RecordedWarc | None:
    """Return the recorded file with the next id after one; None after the last."""
    row = session.execute(_RECORDED.where(WarcFile.id > after_id).limit(1)).first()
    return None if row is None else RecordedWarc(*row)


def recorded_bytes(session: Session) -> int:
    """Return how many bytes the WARC files of all jobs hold."""
    return int(session.scalar(select(func.coalesce(func.sum(WarcFile.committed_bytes), 0))) or 0)


def recorded_offsets(database: Database, warc_file_id: int) -> Iterator[tuple[int, str]]:
    """Yield the offset and the record id of every capture of a file, in the order of offsets."""
    after = -1
    while True:
        with database.read() as session:
            found = session.execute(
                select(Capture.warc_offset, Capture.warc_record_id)
                .where(Capture.warc_file_id == warc_file_id, Capture.warc_offset > after)
                .order_by(Capture.warc_offset)
                .limit(_PART)
            ).all()
        yield from ((row[0], row[1]) for row in found)
        if len(found) < _PART:
            return
        after = found[-1][0]


def blobs_on_disk(session: Session, after: str = "", most: int | None = None) -> Iterator[str]:
    """Yield the digests of the blobs that must be files of the store, sorted."""
    elsewhere = (AssetBlob.document_id, AssetBlob.capture_id, AssetBlob.content)
    statement = select(AssetBlob.digest).where(*(column.is_(None) for column in elsewhere), AssetBlob.digest > after)
    return iter(session.scalars(statement.order_by(AssetBlob.digest).limit(most)))
