"""Reads revisit records with the payload of their original, which may have copies in several files."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from webstrata.db.captures import payloads
from webstrata.db.engine import Database
from webstrata.errors import OutsideRootError, RecordNotFoundError, WarcError
from webstrata.model.archive import RecordPlace
from webstrata.storage.paths import place_of
from webstrata.warc.reader import ArchiveRecord, read_record


def with_payload(
    record: ArchiveRecord, database: Database, archive_root: Path, *, decode: bool = True
) -> ArchiveRecord:
    """Return a record with its payload; a revisit's payload and its description come from the original record."""
    if record.refers_to is None:
        return record
    with database.read() as session:
        places = payloads.payload_places(session, record.refers_to, record.warc_record_id)
    original = next(_readable_records(places, archive_root, decode=decode), None)
    if original is None:
        gone = f" any more: {places[0].warc_path} cannot be read" if places else ""
        raise RecordNotFoundError(f"{record.url}: the record that this revisit refers to is not in the archive{gone}")
    return replace(record, body_bytes=original.body_bytes, headers=original.headers, status_code=original.status_code)


def copies_of(
    place: RecordPlace, database: Database, archive_root: Path, *, decode: bool = True
) -> Iterator[ArchiveRecord]:
    """Yield replacements from other files for a lost or damaged record: its copies, then records with its payload."""
    with database.read() as session:
        places = payloads.other_places(session, place)
    for record in _readable_records(places, archive_root, decode=decode):
        try:
            yield with_payload(record, database, archive_root, decode=decode)
        except RecordNotFoundError:
            continue


def _readable_records(
    places: Iterable[RecordPlace], archive_root: Path, *, decode: bool = True
) -> Iterator[ArchiveRecord]:
    """Yield the records that can be read at their locations; missing files and damaged records are skipped."""
    for place in places:
        try:
            path = place_of(archive_root, place.warc_path, place.output_dir)
            found = read_record(path, place.offset or 0, place.length, decode=decode)
        except (WarcError, OutsideRootError):
            continue
        if found.url == place.url:
            yield found
