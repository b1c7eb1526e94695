"""WARC files and the captures in them, as crawl and index record them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.orm import Session

from webstrata.db.tables import Capture, WarcFile

_STATUSES = {status.value for status in HTTPStatus}


@dataclass(frozen=True)
class NewCapture:
    """A record that answers for a URL, and where it lies."""

    offset: int
    length: int
    record_id: str
    record_type: str
    url: str
    url_key: str
    captured_at: datetime
    status_code: int | None
    mime_type: str | None
    payload_digest: str | None


@dataclass(frozen=True)
class KnownWarc:
    """A WARC file of a job and how far it is acknowledged and indexed."""

    id: int
    path: str
    committed_bytes: int
    indexed_bytes: int


def add_warc_file(session: Session, job_id: int, path: str) -> int:
    """Announce a file that is about to be written."""
    row = WarcFile(job_id=job_id, path=path)
    session.add(row)
    session.flush()
    return row.id


def warc_files(session: Session, job_id: int) -> list[KnownWarc]:
    """Return a job's files in the order they were begun."""
    rows = session.scalars(select(WarcFile).where(WarcFile.job_id == job_id).order_by(WarcFile.id))
    return [KnownWarc(row.id, row.path, row.committed_bytes, row.indexed_bytes) for row in rows]


def forget_warc_file(session: Session, warc_file_id: int) -> None:
    """Drop a file in which nothing was ever acknowledged."""
    session.execute(delete(WarcFile).where(WarcFile.id == warc_file_id, WarcFile.committed_bytes == 0))


def acknowledge(session: Session, warc_file_id: int, committed_bytes: int) -> None:
    """Record that everything before a byte is synced and counts."""
    session.execute(update(WarcFile).where(WarcFile.id == warc_file_id).values(committed_bytes=committed_bytes))


def mark_indexed(session: Session, warc_file_id: int, indexed_bytes: int) -> None:
    """Record how far a file is indexed."""
    session.execute(update(WarcFile).where(WarcFile.id == warc_file_id).values(indexed_bytes=indexed_bytes))


def add_captures(
    session: Session, job_id: int, source_id: int, warc_file_id: int, captures: Sequence[NewCapture]
) -> None:
    """Record captures of a file."""
    rows = [
        {
            "job_id": job_id,
            "source_id": source_id,
            "warc_file_id": warc_file_id,
            "warc_offset": capture.offset,
            "warc_length": capture.length,
            "warc_record_id": capture.record_id,
            "record_type": capture.record_type,
            "url": capture.url,
            "url_key": capture.url_key,
            "capture_timestamp": capture.captured_at,
            "status_code": capture.status_code,
            "mime_type": capture.mime_type,
            "payload_digest": capture.payload_digest,
        }
        for capture in captures
    ]
    if rows:
        session.connection().execute(insert(Capture), rows)


def capture_ids(session: Session, warc_file_id: int, offsets: Sequence[int]) -> dict[int, int]:
    """Return the captures that are recorded at places of a file."""
    rows = session.execute(
        select(Capture.warc_offset, Capture.id).where(
            Capture.warc_file_id == warc_file_id, Capture.warc_offset.in_(offsets)
        )
    )
    return {row.warc_offset: row.id for row in rows}


def warc_totals(session: Session, job_id: int) -> tuple[int, int]:
    """Return how many files a job has and how many acknowledged bytes they hold."""
    count, size = session.execute(
        select(func.count(), func.coalesce(func.sum(WarcFile.committed_bytes), 0)).where(WarcFile.job_id == job_id)
    ).one()
    return count, int(size)


def refusal(session: Session, job_id: int) -> str | None:
    """Return what a site answered when it answered a job with nothing but errors; None when it did not."""
    first, best = session.execute(
        select(func.min(Capture.id), func.min(Capture.status_code)).where(Capture.job_id == job_id)
    ).one()
    if best is None or best < 400:
        return None
    url = session.scalar(select(Capture.url).where(Capture.id == first))
    return f"{url}: the server answered {best} {HTTPStatus(best).phrase if best in _STATUSES else ''}".rstrip()
