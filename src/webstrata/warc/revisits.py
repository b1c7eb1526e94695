"""Revisits: records that stand on the payload of another."""

from dataclasses import replace
from pathlib import Path

from webstrata.db import captures
from webstrata.db.engine import Database
from webstrata.errors import RecordNotFoundError
from webstrata.storage.paths import place_of
from webstrata.warc.reader import ArchiveRecord, read_record


def with_payload(record: ArchiveRecord, database: Database, archive_root: Path) -> ArchiveRecord:
    """Return a record with its payload; a revisit's, and what describes it, come from the record it refers to."""
    if record.refers_to is None:
        return record
    with database.read() as session:
        place = captures.payload_place(session, record.refers_to, record.warc_record_id)
    if place is None or place.offset is None:
        raise RecordNotFoundError(f"{record.url}: the record that this revisit refers to is not in the archive")
    path = place_of(archive_root, place.warc_path, place.output_dir)
    original = read_record(path, place.offset, place.length)
    return replace(record, body_bytes=original.body_bytes, headers=original.headers, status_code=original.status_code)
