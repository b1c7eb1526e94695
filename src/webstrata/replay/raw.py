"""The bytes of a snapshot, from the place in its WARC that the index remembers."""

from dataclasses import dataclass
from pathlib import Path

from webstrata.content.charset import charset_of
from webstrata.db import catalog
from webstrata.db.engine import Database
from webstrata.errors import NotFoundError, OutsideRootError, RecordNotFoundError, WarcError
from webstrata.model.archive import RecordPlace, SnapshotView
from webstrata.storage.paths import place_of
from webstrata.warc.reader import ArchiveRecord, read_record
from webstrata.warc.revisits import with_payload


@dataclass(frozen=True)
class RawPage:
    """A snapshot's body as it was captured, decoded of its content encoding."""

    content: bytes
    media_type: str
    charset: str | None
    status_code: int | None
    snapshot: SnapshotView


def raw_page(database: Database, archive_root: Path, snapshot_id: int) -> RawPage:
    """Return what a snapshot's WARC record holds; NotFoundError says what is missing."""
    with database.read() as session:
        snapshot = catalog.snapshot(session, snapshot_id)
        place = catalog.record_place(session, snapshot_id)
    if snapshot is None or place is None:
        raise NotFoundError("Snapshot not found")
    record = whole_record(place, database, archive_root)
    media_type = record.mime_type or snapshot.mime_type or "text/html"
    is_text = media_type.startswith("text/") or media_type.endswith("+xml")
    charset = charset_of(record.body_bytes, record.headers.get("content-type")) if is_text else None
    return RawPage(record.body_bytes, media_type, charset, record.status_code, snapshot)


def whole_record(place: RecordPlace, database: Database, archive_root: Path) -> ArchiveRecord:
    """Return the record at a snapshot's place, a revisit with its payload; NotFoundError says what is missing."""
    record = find_record_for_snapshot(place, archive_root=archive_root)
    try:
        return with_payload(record, database, archive_root)
    except (WarcError, OutsideRootError) as error:
        raise NotFoundError("Could not locate corresponding record in the WARC file") from error


def find_record_for_snapshot(snapshot: RecordPlace, *, archive_root: Path) -> ArchiveRecord:
    """Return the record at a snapshot's place, never one from outside the archive."""
    if not snapshot.warc_path:
        raise NotFoundError("No WARC path associated with this snapshot")
    try:
        path = place_of(archive_root, snapshot.warc_path, snapshot.output_dir)
    except OutsideRootError:
        raise NotFoundError(_missing(snapshot)) from None
    if not path.is_file():
        raise NotFoundError(_missing(snapshot))
    try:
        if snapshot.offset is None:
            raise RecordNotFoundError(f"no place is known for {snapshot.url}")
        record = read_record(path, snapshot.offset, snapshot.length)
    except WarcError as error:
        raise NotFoundError("Could not locate corresponding record in the WARC file") from error
    if record.url != snapshot.url:
        raise NotFoundError("Could not locate corresponding record in the WARC file")
    return record


def _missing(snapshot: RecordPlace) -> str:
    """Say that a file is not there, and when it was deleted if that is known."""
    said = "Underlying WARC file for this snapshot is missing"
    if snapshot.cleaned_at is None:
        return said
    return f"{said}: its job was cleaned up on {snapshot.cleaned_at:%Y-%m-%d}"
