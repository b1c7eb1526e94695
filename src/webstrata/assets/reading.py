"""Reads a capture for plugins: its record in the WARC file, with the payload that it refers to."""

from pathlib import Path
from types import MappingProxyType

from webstrata.assets.plugin import AssetType, CapturedContent
from webstrata.db.assets.plugin_runs import PlacedCapture
from webstrata.db.engine import Database
from webstrata.errors import RecordNotFoundError, WarcError
from webstrata.model.content_types import HTML_TYPES
from webstrata.storage.paths import place_of
from webstrata.warc.reader import ArchiveRecord, read_record
from webstrata.warc.revisits import copies_of, with_payload


def captured_content(database: Database, archive_root: Path, capture: PlacedCapture) -> CapturedContent:
    """Return the content of a capture; WarcError when its record cannot be read."""
    record = with_payload(_record_of(database, archive_root, capture), database, archive_root)
    return CapturedContent(
        url=capture.url,
        asset_type=asset_type_of(record),
        body=record.body_bytes,
        captured_at=capture.captured_at,
        status_code=record.status_code,
        headers=MappingProxyType(record.headers),
    )


def _record_of(database: Database, archive_root: Path, capture: PlacedCapture) -> ArchiveRecord:
    """Return a capture's record, or a copy of it when its own file is gone or damaged."""
    path = place_of(archive_root, capture.warc_path, capture.output_dir)
    try:
        found = read_record(path, capture.offset, capture.length)
    except WarcError:
        copy = next(copies_of(capture.place, database, archive_root), None)
        if copy is None:
            raise
        return copy
    if found.url != capture.url:
        raise RecordNotFoundError(f"{capture.warc_path}: the record at byte {capture.offset} is not of {capture.url}")
    return found


def asset_type_of(record: ArchiveRecord) -> AssetType:
    """Return the asset type of a record: page, even an empty one, or other."""
    is_page = record.is_html or (not record.body_bytes and record.mime_type in HTML_TYPES)
    return AssetType.PAGE if is_page else AssetType.MEDIA
