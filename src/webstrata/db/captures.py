"""WARC files and the captures in them, as crawl and index record them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, Table, and_, bindparam, delete, func, insert, select, update
from sqlalchemy.orm import Session, aliased

from webstrata.db import ids
from webstrata.db.bulk import ManyRows
from webstrata.db.new_rows import NewCapture
from webstrata.db.tables import ArchiveJob, Capture, Snapshot, WarcFile
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
_ADD_AS = ManyRows(insert(_CAPTURES).inline(), {name: _CAPTURES.c[name] for name in (*_ADDED, "id")})
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
class KnownWarc:
    """A WARC file of a job and how far it is acknowledged and indexed."""

    id: int
    path: str
    committed_bytes: int
    indexed_bytes: int
    index_version: int = 0
    problem_count: int = 0
    is_finished: bool = True
    """Whether nobody writes to it any more."""

    @property
    def filename(self) -> str:
        """Return the file's own name: it stays when the file is moved to another folder."""
        return self.path.rpartition("/")[2]


@dataclass(frozen=True)
class Payload:
    """Where the payload lies that a revisit refers to, and what the index knows of it."""

    capture_id: int
    url: str
    warc_path: str
    offset: int
    length: int
    output_dir: str
    source_id: int
    snapshot_id: int | None
    is_indexed: bool
    """Whether the index has read it: if so, and there is no snapshot, it is no page."""


def add_warc_file(session: Session, job_id: int, path: str, owner: str | None = None) -> int:
    """Announce a file that is about to be written, and by whom."""
    row = WarcFile(job_id=job_id, path=path, owner=owner)
    session.add(row)
    session.flush()
    return row.id


def warc_files(session: Session, job_id: int) -> list[KnownWarc]:
    """Return a job's files in the order they were begun."""
    rows = session.scalars(select(WarcFile).where(WarcFile.job_id == job_id).order_by(WarcFile.id))
    return [_known(row) for row in rows]


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
    set_index_state(session, warc_file_id, indexed_bytes=indexed_bytes)


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
    """Record captures of a file under the ids that they were promised."""
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
            *(holder.warc_offset, holder.warc_length, ArchiveJob.output_dir),
        )
        .join(holder, holder.warc_record_id == func.coalesce(Capture.refers_to, Capture.warc_record_id))
        .join(WarcFile, holder.warc_file_id == WarcFile.id)
        .join(ArchiveJob, WarcFile.job_id == ArchiveJob.id)
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
        output_dir=row.output_dir,
    )


def has_other_jobs(session: Session, source_id: int, job_id: int) -> bool:
    """Tell whether a source was captured by another job: without one there is nothing to compare with."""
    found = select(Capture.id).where(Capture.source_id == source_id, Capture.job_id != job_id).limit(1)
    return session.scalar(found) is not None


def payloads(
    session: Session, source_id: int, originals: Collection[Original], index_version: int
) -> dict[Original, Payload]:
    """Return where the payloads lie that a source's revisits refer to, of those that the archive has."""
    named = {original.record_id for original in originals if original.record_id}
    of_records = _payload_columns(index_version).where(Capture.warc_record_id.in_(named))
    rows = session.execute(of_records.order_by(Capture.id.desc())) if named else ()
    at_record = {row[-1]: Payload(*row[:-1]) for row in rows}
    found = {original: at_record[original.record_id] for original in originals if original.record_id in at_record}
    found |= _payloads_by_digest(session, source_id, set(originals) - found.keys(), index_version)
    for original in set(originals) - found.keys():
        place = _payload_by_url(session, original, index_version)
        if place is not None:
            found[original] = place
    return found


def _payload_columns(index_version: int) -> Select[*tuple[Any, ...]]:
    is_indexed = (WarcFile.index_version == index_version) & (WarcFile.indexed_bytes > Capture.warc_offset)
    return (
        select(
            *(Capture.id, Capture.url, WarcFile.path, Capture.warc_offset, Capture.warc_length, ArchiveJob.output_dir),
            *(Capture.source_id, Snapshot.id, is_indexed, Capture.warc_record_id),
        )
        .join(WarcFile, Capture.warc_file_id == WarcFile.id)
        .join(ArchiveJob, WarcFile.job_id == ArchiveJob.id)
        .outerjoin(Snapshot, Snapshot.capture_id == Capture.id)
        .where(Capture.record_type != "revisit")
    )


def _payloads_by_digest(
    session: Session, source_id: int, originals: Collection[Original], index_version: int
) -> dict[Original, Payload]:
    """Return the first captures of a source with the payloads of which nothing but the digest is known."""
    wanted = {original.payload_digest for original in originals if original.payload_digest}
    if not wanted:
        return {}
    same = _payload_columns(index_version).add_columns(Capture.payload_digest)
    same = same.where(Capture.source_id == source_id, Capture.payload_digest.in_(wanted)).order_by(Capture.id.desc())
    first = {row[-1]: Payload(*row[:-2]) for row in session.execute(same)}
    return {original: first[original.payload_digest] for original in originals if original.payload_digest in first}


def _payload_by_url(session: Session, original: Original, index_version: int) -> Payload | None:
    if not original.url or original.payload_digest:
        return None
    at_url = (Capture.url_key == surt(original.url)) & (Capture.capture_timestamp == original.captured_at)
    row = session.execute(_payload_columns(index_version).where(at_url).order_by(Capture.id).limit(1)).first()
    return None if row is None else Payload(*row[:-1])


def payload_place(session: Session, refers_to: Original, revisit_id: str | None = None) -> RecordPlace | None:
    """Return where the payload lies that a revisit refers to: by the record's id, else by its URL and time.

    Of a revisit that names neither, it is looked for by its digest, in the revisit's own source.
    """
    wanted = (
        select(Capture, WarcFile.path, ArchiveJob.output_dir)
        .join(WarcFile, Capture.warc_file_id == WarcFile.id)
        .join(ArchiveJob, WarcFile.job_id == ArchiveJob.id)
        .where(Capture.record_type != "revisit")
        .order_by(Capture.id)
        .limit(1)
    )
    for which in _ways_to_payload(refers_to, revisit_id):
        if row := session.execute(wanted.where(which)).first():
            return _place(*row)
    return None


def _ways_to_payload(refers_to: Original, revisit_id: str | None) -> Iterator[ColumnElement[bool]]:
    """Yield how the record may be found that holds a revisit's payload, surest first."""
    if refers_to.record_id:
        yield Capture.warc_record_id == refers_to.record_id
    if refers_to.url:
        yield and_(Capture.url_key == surt(refers_to.url), Capture.capture_timestamp == refers_to.captured_at)
    if refers_to.payload_digest and revisit_id:
        revisit = aliased(Capture)
        own_source = select(revisit.source_id).where(revisit.warc_record_id == revisit_id)
        yield and_(Capture.source_id.in_(own_source), Capture.payload_digest == refers_to.payload_digest)


def _place(capture: Capture, path: str, output_dir: str) -> RecordPlace:
    return RecordPlace(
        warc_path=path,
        offset=capture.warc_offset,
        length=capture.warc_length,
        record_id=capture.warc_record_id,
        url=capture.url,
        captured_at=capture.capture_timestamp,
        output_dir=output_dir,
    )
