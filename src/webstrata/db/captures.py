"""WARC files and the captures in them, as crawl and index record them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import Any

from sqlalchemy import Row, Table, bindparam, delete, func, insert, select, update
from sqlalchemy.orm import Session, aliased

from webstrata.db.bulk import ManyRows
from webstrata.db.tables import Capture, WarcFile
from webstrata.model.archive import RecordPlace
from webstrata.model.captures import EarlierCapture, Original
from webstrata.model.urls import surt

_STATUSES = {status.value for status in HTTPStatus}

_CAPTURES, _WARC_FILES = Capture.__table__, WarcFile.__table__
assert isinstance(_CAPTURES, Table)
assert isinstance(_WARC_FILES, Table)

_ADDED = (
    *("job_id", "source_id", "warc_file_id", "warc_offset", "warc_length", "warc_record_id", "record_type"),
    *("url", "url_key", "capture_timestamp", "status_code", "mime_type", "payload_digest"),
    *("refers_to", "etag", "last_modified"),
)
_ADD = ManyRows(insert(_CAPTURES).inline(), {name: _CAPTURES.c[name] for name in _ADDED})
_ACKNOWLEDGE = (
    update(_WARC_FILES).where(_WARC_FILES.c.id == bindparam("file_id")).values(committed_bytes=bindparam("size"))
)
_ORIGINALS = (
    select(_CAPTURES.c.payload_digest, _CAPTURES.c.warc_record_id, _CAPTURES.c.url, _CAPTURES.c.capture_timestamp)
    .where(
        _CAPTURES.c.source_id == bindparam("source_id"),
        _CAPTURES.c.payload_digest.in_(bindparam("digests", expanding=True)),
        _CAPTURES.c.record_type == "response",
        _CAPTURES.c.status_code.between(200, 299),
    )
    .order_by(_CAPTURES.c.id.desc())
)


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
    refers_to: str | None = None
    etag: str | None = None
    last_modified: str | None = None


@dataclass(frozen=True)
class KnownWarc:
    """A WARC file of a job and how far it is acknowledged and indexed."""

    id: int
    path: str
    committed_bytes: int
    indexed_bytes: int


def add_warc_file(session: Session, job_id: int, path: str, owner: str | None = None) -> int:
    """Announce a file that is about to be written, and by whom."""
    row = WarcFile(job_id=job_id, path=path, owner=owner)
    session.add(row)
    session.flush()
    return row.id


def warc_files(session: Session, job_id: int) -> list[KnownWarc]:
    """Return a job's files in the order they were begun."""
    rows = session.scalars(select(WarcFile).where(WarcFile.job_id == job_id).order_by(WarcFile.id))
    return [KnownWarc(row.id, row.path, row.committed_bytes, row.indexed_bytes) for row in rows]


def warc_files_of(session: Session, owner: str) -> list[KnownWarc]:
    """Return the files that an owner may have left unfinished."""
    rows = session.scalars(select(WarcFile).where(WarcFile.owner == owner).order_by(WarcFile.id))
    return [KnownWarc(row.id, row.path, row.committed_bytes, row.indexed_bytes) for row in rows]


def disown_warc_file(session: Session, warc_file_id: int) -> None:
    """Record that a file ends where it is acknowledged and that nobody writes to it any more."""
    session.execute(update(WarcFile).where(WarcFile.id == warc_file_id).values(owner=None))


def forget_warc_file(session: Session, warc_file_id: int) -> None:
    """Drop a file in which nothing was ever acknowledged."""
    session.execute(delete(WarcFile).where(WarcFile.id == warc_file_id, WarcFile.committed_bytes == 0))


def acknowledge(session: Session, warc_file_id: int, committed_bytes: int) -> None:
    """Record that everything before a byte is synced and counts."""
    session.connection().execute(_ACKNOWLEDGE, {"file_id": warc_file_id, "size": committed_bytes})


def mark_indexed(session: Session, warc_file_id: int, indexed_bytes: int) -> None:
    """Record how far a file is indexed."""
    session.execute(update(WarcFile).where(WarcFile.id == warc_file_id).values(indexed_bytes=indexed_bytes))


def add_captures(
    session: Session, job_id: int, source_id: int, warc_file_id: int, captures: Sequence[NewCapture]
) -> None:
    """Record captures of a file."""
    _ADD.execute(session, [(job_id, source_id, warc_file_id, *_values(capture)) for capture in captures])


def _values(capture: NewCapture) -> tuple[object, ...]:
    return (
        capture.offset,
        capture.length,
        capture.record_id,
        capture.record_type,
        capture.url,
        capture.url_key,
        capture.captured_at,
        capture.status_code,
        capture.mime_type,
        capture.payload_digest,
        capture.refers_to,
        capture.etag,
        capture.last_modified,
    )


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
    answered = (Capture.job_id == job_id, Capture.status_code.is_not(None))
    best = session.scalar(select(func.min(Capture.status_code)).where(*answered))
    if best is None or best < 400:
        return None
    first = select(Capture.url, Capture.status_code).where(*answered).order_by(Capture.id).limit(1)
    url, status = session.execute(first).one()
    return f"{url}: the server answered {status} {HTTPStatus(status).phrase if status in _STATUSES else ''}".rstrip()


def originals(session: Session, source_id: int, digests: Collection[str]) -> dict[str, Original]:
    """Return, for payloads that a source has stored already, the record that holds each."""
    rows = session.connection().execute(_ORIGINALS, {"source_id": source_id, "digests": list(digests)})
    return {row[0]: Original(row[1], row[2], row[3]) for row in rows}


def earlier_captures(session: Session, source_id: int, job_id: int, urls: Collection[str]) -> dict[str, EarlierCapture]:
    """Return the last good capture of each URL by an earlier job of the source, and where its payload lies."""
    holder = aliased(Capture)
    rows = session.execute(
        select(
            *(Capture.url.label("asked"), Capture.etag, Capture.last_modified, WarcFile.path, holder.url),
            *(holder.warc_record_id, holder.capture_timestamp, holder.payload_digest),
            *(holder.warc_offset, holder.warc_length),
        )
        .join(holder, holder.warc_record_id == func.coalesce(Capture.refers_to, Capture.warc_record_id))
        .join(WarcFile, holder.warc_file_id == WarcFile.id)
        .where(
            Capture.url_key.in_([surt(url) for url in urls]),
            Capture.url.in_(urls),
            Capture.source_id == source_id,
            Capture.job_id != job_id,
            holder.record_type == "response",
            holder.status_code == HTTPStatus.OK,
            holder.payload_digest.is_not(None),
        )
        .order_by(Capture.capture_timestamp, Capture.id)
    )
    return {row.asked: _earlier(row) for row in rows}


def _earlier(row: Row[*tuple[Any, ...]]) -> EarlierCapture:
    return EarlierCapture(
        original=Original(row.warc_record_id, row.url, row.capture_timestamp),
        payload_digest=row.payload_digest,
        etag=row.etag,
        last_modified=row.last_modified,
        warc_path=row.path,
        warc_offset=row.warc_offset,
        warc_length=row.warc_length,
    )


def has_other_jobs(session: Session, source_id: int, job_id: int) -> bool:
    """Tell whether a source was captured by another job: without one there is nothing to compare with."""
    found = select(Capture.id).where(Capture.source_id == source_id, Capture.job_id != job_id).limit(1)
    return session.scalar(found) is not None


def payload_place(session: Session, refers_to: Original) -> RecordPlace | None:
    """Return where the payload lies that a revisit refers to: by the record's id, else by its URL and time."""
    wanted = select(Capture, WarcFile.path).join(WarcFile, Capture.warc_file_id == WarcFile.id)
    row = None
    if refers_to.record_id:
        row = session.execute(
            wanted.where(Capture.warc_record_id == refers_to.record_id, Capture.record_type != "revisit").limit(1)
        ).first()
    if row is None and refers_to.url:
        row = session.execute(
            wanted.where(
                Capture.url_key == surt(refers_to.url),
                Capture.capture_timestamp == refers_to.captured_at,
                Capture.record_type != "revisit",
            ).limit(1)
        ).first()
    if row is None:
        return None
    capture, path = row
    return RecordPlace(
        path, capture.warc_offset, capture.warc_length, capture.warc_record_id, capture.url, capture.capture_timestamp
    )
