"""Reads the bytes of a snapshot from its WARC file, at the offset in the index."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

import structlog

from webstrata.content.charset import charset_of
from webstrata.db.captures.snapshots import set_record_place
from webstrata.db.engine import Database
from webstrata.db.operations import catalog
from webstrata.db.retention.tombstones import missing_snapshot
from webstrata.errors import DatabaseError, NotFoundError, OutsideRootError, WarcError
from webstrata.model.archive import RecordPlace, SnapshotView
from webstrata.storage.paths import place_of
from webstrata.warc.finding import find_record
from webstrata.warc.reader import ArchiveRecord, read_record
from webstrata.warc.revisits import copies_of, with_payload

log = structlog.get_logger()

_NOT_LOCATED = "Could not locate corresponding record in the WARC file"
_GZIP = b"\x1f\x8b"
_OF_NOTHING = hashlib.sha256().hexdigest()
"""The hash of the empty text, which the index stores for pages that are too large to read."""


@dataclass(frozen=True)
class RawPage:
    """A snapshot's captured body without its content encoding."""

    content: bytes
    media_type: str
    charset: str | None
    status_code: int | None
    snapshot: SnapshotView


@dataclass(frozen=True)
class RawRecord:
    """A record's bytes as written, and a name for its download."""

    content: bytes
    name: str


def raw_page(database: Database, archive_root: Path, snapshot_id: int) -> RawPage:
    """Return the content of a snapshot's WARC record; NotFoundError names what is missing, GoneError means withheld."""
    with database.read() as session:
        snapshot = catalog.snapshot(session, snapshot_id)
        place = catalog.record_place(session, snapshot_id)
        if snapshot is None or place is None:
            raise missing_snapshot(session, snapshot_id)
    record = find_record_for_snapshot(place, database=database, archive_root=archive_root)
    media_type = record.mime_type or snapshot.mime_type or "text/html"
    is_text = media_type.startswith("text/") or media_type.endswith("+xml")
    charset = charset_of(record.body_bytes, record.headers.get("content-type")) if is_text else None
    return RawPage(record.body_bytes, media_type, charset, record.status_code, snapshot)


def record_file(database: Database, archive_root: Path, snapshot_id: int) -> RawRecord:
    """Return a snapshot's record as it is in its WARC file, which is a WARC file of one record."""
    with database.read() as session:
        place = catalog.record_place(session, snapshot_id)
        if place is None or catalog.snapshot(session, snapshot_id) is None:
            raise missing_snapshot(session, snapshot_id)
    if not place.warc_path:
        raise NotFoundError("No WARC path associated with this snapshot")
    record = _own_record(place, database, archive_root, decode=False)
    path = place_of(archive_root, place.warc_path, place.output_dir)
    with path.open("rb") as file:
        file.seek(record.offset)
        content = file.read(record.length)
    kind = "arc" if ".arc" in path.name else "warc"
    return RawRecord(content, f"snapshot-{snapshot_id}.{kind}{'.gz' if content.startswith(_GZIP) else ''}")


def find_record_for_snapshot(
    snapshot: RecordPlace, *, database: Database, archive_root: Path, decode: bool = True
) -> ArchiveRecord:
    """Return a snapshot's record with its payload, never one from outside the archive.

    When its file is missing or damaged, a copy in another file is read. NotFoundError names what is missing. With
    `decode`, the content encoding of the body is removed.
    """
    if not snapshot.warc_path:
        raise NotFoundError("No WARC path associated with this snapshot")
    try:
        record = _own_record(snapshot, database, archive_root, decode)
        return _with_payload(record, database, archive_root, decode)
    except NotFoundError:
        copy = _copy_of(snapshot, database, archive_root, decode)
        if copy is None:
            raise
        return copy


def _own_record(snapshot: RecordPlace, database: Database, archive_root: Path, decode: bool) -> ArchiveRecord:
    try:
        path = place_of(archive_root, snapshot.warc_path, snapshot.output_dir)
    except OutsideRootError:
        raise NotFoundError(_missing(snapshot)) from None
    if not path.is_file():
        raise NotFoundError(_missing(snapshot))
    try:
        record = _record_at_offset(path, snapshot, database, decode)
    except WarcError as error:
        raise NotFoundError(_NOT_LOCATED) from error
    if record.url != snapshot.url:
        raise NotFoundError(_NOT_LOCATED)
    return record


def _record_at_offset(path: Path, snapshot: RecordPlace, database: Database, decode: bool) -> ArchiveRecord:
    """Return the record at a snapshot's offset; without one, the record is searched and its offset stored."""
    if snapshot.offset is not None:
        return read_record(path, snapshot.offset, snapshot.length, decode=decode)
    record = find_record(path, snapshot)
    if snapshot.snapshot_id is not None and record.url == snapshot.url:
        try:
            with database.write() as session:
                set_record_place(session, snapshot.snapshot_id, record.offset, record.length)
        except DatabaseError as error:
            # The page is shown anyway; the next view searches again.
            log.warning("replay.offset.not_stored", snapshot_id=snapshot.snapshot_id, reason=str(error))
    return record


def _copy_of(snapshot: RecordPlace, database: Database, archive_root: Path, decode: bool) -> ArchiveRecord | None:
    """Return the same record, or one with the same payload, from another file; None when there is none."""
    for copy in copies_of(snapshot, database, archive_root, decode=decode):
        if snapshot.content_hash in (None, _OF_NOTHING, hashlib.sha256(copy.body_bytes).hexdigest()):
            return copy
    return None


def _missing(snapshot: RecordPlace) -> str:
    """Return the message for a missing file, with the date of its deletion if that is known."""
    message = "Underlying WARC file for this snapshot is missing"
    if snapshot.cleaned_at is None:
        return message
    return f"{message}: its job was cleaned up on {snapshot.cleaned_at:%Y-%m-%d}"


def _with_payload(record: ArchiveRecord, database: Database, archive_root: Path, decode: bool) -> ArchiveRecord:
    try:
        return with_payload(record, database, archive_root, decode=decode)
    except WarcError as error:
        raise NotFoundError(_NOT_LOCATED) from error
