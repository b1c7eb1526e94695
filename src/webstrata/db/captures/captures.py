"""Queries of WARC files and the captures in them, for crawl and index."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from sqlalchemy import Row, Table, bindparam, delete, func, insert, literal_column, select, union_all, update
from sqlalchemy.orm import Session

from webstrata.db.captures.new_rows import NewCapture
from webstrata.db.links import capture_links
from webstrata.db.schema.tables import ArchiveJob, Capture, WarcFile
from webstrata.db.sql import ids
from webstrata.db.sql.bulk import ManyRows
from webstrata.model.captures import EarlierCapture, Original
from webstrata.model.urls import surt

if TYPE_CHECKING:
    from webstrata.db.captures.payloads import IsThere

_STATUSES = {status.value for status in HTTPStatus}

_CAPTURES, _WARC_FILES, _JOBS = Capture.__table__, WarcFile.__table__, ArchiveJob.__table__
assert isinstance(_CAPTURES, Table)
assert isinstance(_WARC_FILES, Table)
assert isinstance(_JOBS, Table)

_ADDED = (
    *("job_id", "source_id", "warc_file_id", "warc_offset", "warc_length", "warc_record_id", "record_type"),
    *("url", "url_key", "capture_timestamp", "status_code", "mime_type", "payload_digest"),
    *("refers_to", "etag", "last_modified", "date_source"),
)
_ADD = ManyRows(insert(_CAPTURES).inline(), {name: _CAPTURES.c[name] for name in _ADDED})
_ADD_AS = ManyRows(insert(_CAPTURES).inline(), {name: _CAPTURES.c[name] for name in (*_ADDED, "id")})
_ACKNOWLEDGE = (
    update(_WARC_FILES).where(_WARC_FILES.c.id == bindparam("file_id")).values(committed_bytes=bindparam("size"))
)
_ORIGINALS = (
    select(
        *(_CAPTURES.c.payload_digest, _CAPTURES.c.warc_record_id, _CAPTURES.c.url, _CAPTURES.c.capture_timestamp),
        *(_WARC_FILES.c.path, _JOBS.c.output_dir, _CAPTURES.c.warc_file_id, _CAPTURES.c.warc_offset),
    )
    .join(_WARC_FILES, _CAPTURES.c.warc_file_id == _WARC_FILES.c.id)
    .join(_JOBS, _WARC_FILES.c.job_id == _JOBS.c.id)
    .where(
        _CAPTURES.c.source_id == bindparam("source_id"),
        _CAPTURES.c.payload_digest.in_(bindparam("digests", expanding=True)),
        _CAPTURES.c.record_type == "response",
        _CAPTURES.c.status_code.between(200, 299),
        _WARC_FILES.c.deleting_since.is_(None),
    )
    .order_by(_CAPTURES.c.id.desc())
)

_HOLDERS = _CAPTURES.alias("holder")
_EARLIER = (
    select(
        *(_CAPTURES.c.url.label("asked"), _CAPTURES.c.etag, _CAPTURES.c.last_modified, _WARC_FILES.c.path),
        *(_HOLDERS.c.url, _HOLDERS.c.warc_record_id, _HOLDERS.c.capture_timestamp, _HOLDERS.c.payload_digest),
        *(_HOLDERS.c.warc_file_id, _HOLDERS.c.warc_offset, _HOLDERS.c.warc_length, _JOBS.c.output_dir),
    )
    .join(_HOLDERS, _HOLDERS.c.warc_record_id == func.coalesce(_CAPTURES.c.refers_to, _CAPTURES.c.warc_record_id))
    .join(_WARC_FILES, _HOLDERS.c.warc_file_id == _WARC_FILES.c.id)
    .join(_JOBS, _WARC_FILES.c.job_id == _JOBS.c.id)
    .where(
        _CAPTURES.c.url_key.in_(bindparam("keys", expanding=True)),
        _CAPTURES.c.url.in_(bindparam("urls", expanding=True)),
        # Not looked up by source: a source may have a third of a million captures, a URL has a few.
        func.coalesce(_CAPTURES.c.source_id, _CAPTURES.c.source_id) == bindparam("source_id"),
        _CAPTURES.c.job_id != bindparam("job_id"),
        _HOLDERS.c.warc_record_id != "",
        _HOLDERS.c.record_type == "response",
        _HOLDERS.c.status_code == HTTPStatus.OK,
        _HOLDERS.c.payload_digest.is_not(None),
        _WARC_FILES.c.deleting_since.is_(None),
    )
    .order_by(_CAPTURES.c.capture_timestamp, _CAPTURES.c.id)
)


@dataclass(frozen=True)
class KnownWarc:
    """A WARC file of a job and how far it is acknowledged and indexed."""

    id: int
    path: str
    committed_bytes: int
    indexed_bytes: int
    index_version: int = 0
    problem_count: int = 0
    is_finished: bool = True
    """Whether no process writes to it any more."""

    @property
    def filename(self) -> str:
        """Return the file's own name: it stays when the file is moved to another folder."""
        return self.path.rpartition("/")[2]


def add_warc_file(session: Session, job_id: int, path: str, owner: str | None = None) -> int:
    """Record a file before it is written, with its writer."""
    row = WarcFile(job_id=job_id, path=path, owner=owner)
    session.add(row)
    session.flush()
    return row.id


def warc_files(session: Session, job_id: int) -> list[KnownWarc]:
    """Return a job's files in the order in which they were begun."""
    rows = session.scalars(select(WarcFile).where(WarcFile.job_id == job_id).order_by(WarcFile.id))
    return [_known(row) for row in rows]


def outdated_jobs(session: Session, index_version: int) -> list[int]:
    """Return the jobs with files that another version of the index read, the oldest job first."""
    indexed = select(WarcFile.job_id).where(WarcFile.indexed_bytes > literal_column("0"))
    # Two conditions: an index can find smaller and larger values, but not unequal ones.
    older = indexed.where(WarcFile.index_version < index_version)
    newer = indexed.where(WarcFile.index_version > index_version)
    return sorted(set(session.scalars(union_all(older, newer))))


def warc_files_of(session: Session, owner: str) -> list[KnownWarc]:
    """Return the files that an owner may have left unfinished."""
    rows = session.scalars(select(WarcFile).where(WarcFile.owner == owner).order_by(WarcFile.id))
    return [_known(row) for row in rows]


def _known(row: WarcFile) -> KnownWarc:
    return KnownWarc(
        *(row.id, row.path, row.committed_bytes, row.indexed_bytes, row.index_version, row.problem_count),
        is_finished=row.owner is None,
    )


def disown_warc_file(session: Session, warc_file_id: int) -> None:
    """Record that a file ends after its acknowledged bytes and that no process writes to it any more."""
    session.execute(update(WarcFile).where(WarcFile.id == warc_file_id).values(owner=None))


def forget_warc_file(session: Session, warc_file_id: int) -> None:
    """Delete the row of a file without any acknowledged bytes."""
    session.execute(delete(WarcFile).where(WarcFile.id == warc_file_id, WarcFile.committed_bytes == 0))


def acknowledge(session: Session, warc_file_id: int, committed_bytes: int) -> None:
    """Acknowledge all bytes of a file before a position: they are synced to disk."""
    session.connection().execute(_ACKNOWLEDGE, {"file_id": warc_file_id, "size": committed_bytes})


def set_index_state(session: Session, warc_file_id: int, **values: int) -> None:
    """Record how far a file is indexed, by which version of the index, and with how many problems."""
    session.execute(update(WarcFile).where(WarcFile.id == warc_file_id).values(**values))


def add_captures(
    session: Session, job_id: int, source_id: int, warc_file_id: int, captures: Sequence[NewCapture]
) -> None:
    """Record captures of a file."""
    _ADD.execute(session, [(job_id, source_id, warc_file_id, *_values(capture)) for capture in captures])


def add_captures_as(
    session: Session, job_id: int, source_id: int, warc_file_id: int, captures: Mapping[int, NewCapture]
) -> None:
    """Record captures of a file with the ids that were promised to them."""
    if not captures:
        return
    ids.lift(session, "captures", max(captures), autoincrement=False)
    rows = [(job_id, source_id, warc_file_id, *_values(capture), known) for known, capture in captures.items()]
    _ADD_AS.execute(session, rows)


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
        capture.date_source,
    )


def capture_ids(session: Session, warc_file_id: int, offsets: Sequence[int]) -> dict[int, int]:
    """Return the ids of the captures at some offsets of a file."""
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
    """Return the error of a site that sent a job only error responses; None for any other job."""
    of_job = Capture.job_id == job_id
    if session.scalar(select(Capture.id).where(of_job, Capture.status_code < 400).limit(1)) is not None:
        return None
    answered = select(Capture.url, Capture.status_code).where(of_job, Capture.status_code.is_not(None))
    first = session.execute(answered.order_by(Capture.id).limit(1)).first()
    if first is None:
        return None
    url, status = first
    return f"{url}: the server answered {status} {HTTPStatus(status).phrase if status in _STATUSES else ''}".rstrip()


def originals(session: Session, source_id: int, digests: Collection[str], is_there: "IsThere") -> dict[str, Original]:
    """Return, by digest, the records of payloads that a source has already stored in an existing file."""
    rows = session.connection().execute(_ORIGINALS, {"source_id": source_id, "digests": list(digests)})
    return {
        row[0]: Original(row[1], row[2], row[3], warc_file_id=row[6], warc_offset=row[7])
        for row in rows
        if is_there(row[4], row[5])
    }


def files_being_deleted(session: Session, warc_file_ids: Collection[int]) -> set[int]:
    """Return which files are being deleted; the others cannot be marked for deletion until the transaction ends.

    A file that is being written is not locked: files of a running job are never deleted.
    """
    statement = select(WarcFile.id, WarcFile.deleting_since).where(
        WarcFile.id.in_(warc_file_ids), WarcFile.owner.is_(None)
    )
    rows = session.execute(statement.order_by(WarcFile.id).with_for_update(read=True))
    return {row.id for row in rows if row.deleting_since is not None}


def earlier_captures(
    session: Session, source_id: int, job_id: int, urls: Collection[str], is_there: "IsThere"
) -> dict[str, EarlierCapture]:
    """Return the last good capture of each URL by an earlier job of the source whose payload exists, with its
    position."""
    asked = {"source_id": source_id, "job_id": job_id, "keys": [surt(url) for url in urls], "urls": [*urls]}
    rows = session.connection().execute(_EARLIER, asked)
    found = {row.asked: row for row in rows if is_there(row.path, row.output_dir)}
    keys = {url: capture_links.links_key(row.warc_file_id, row.warc_offset, url) for url, row in found.items()}
    links = capture_links.stored_links(session, keys.values())
    return {url: _earlier(row, links.get(keys[url])) for url, row in found.items()}


def _earlier(row: Row[*tuple[Any, ...]], packed_links: bytes | None) -> EarlierCapture:
    return EarlierCapture(
        original=Original(
            *(row.warc_record_id, row.url, row.capture_timestamp),
            warc_file_id=row.warc_file_id,
            warc_offset=row.warc_offset,
        ),
        payload_digest=row.payload_digest,
        etag=row.etag,
        last_modified=row.last_modified,
        warc_path=row.path,
        warc_offset=row.warc_offset,
        warc_length=row.warc_length,
        output_dir=row.output_dir,
        packed_links=packed_links,
    )


def has_other_jobs(session: Session, source_id: int, job_id: int) -> bool:
    """Return whether a source has captures of another job to compare with."""
    captured = select(Capture.id).where(Capture.job_id == ArchiveJob.id).exists()
    others = select(ArchiveJob.id).where(ArchiveJob.source_id == source_id, ArchiveJob.id != job_id, captured)
    return session.scalar(others.limit(1)) is not None
