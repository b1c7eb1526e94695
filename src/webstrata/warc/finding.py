"""Finds a record in a WARC file without a recorded offset: by its id, else by its URL and time."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from webstrata.errors import RecordNotFoundError
from webstrata.model.archive import RecordPlace
from webstrata.warc.adopting import size_of
from webstrata.warc.reader import ArchiveRecord, Span, iter_span, read_record


def find_record(warc_path: Path, requested: RecordPlace) -> ArchiveRecord:
    """Read a file until a record is found and return it; RecordNotFoundError when the file does not hold it."""
    at_url = None
    for record in _heads(warc_path):
        if requested.record_id and _bare(record.warc_record_id) == _bare(requested.record_id):
            return read_record(warc_path, record.offset, record.length)
        if at_url is None and record.url == requested.url and _are_one(record.capture_timestamp, requested.captured_at):
            at_url = record
            if not requested.record_id:
                break
    if at_url is None:
        raise RecordNotFoundError(f"{warc_path}: no record of {requested.url} at {requested.captured_at.isoformat()}")
    return read_record(warc_path, at_url.offset, at_url.length)


def _heads(warc_path: Path) -> Iterator[ArchiveRecord]:
    """Yield the captures of a file without their bodies; damaged records are skipped."""
    size = size_of(warc_path)
    return iter_span(warc_path, Span(0, size, size), lambda damage: None, lambda mime_type: 0)


def _bare(record_id: str | None) -> str:
    return (record_id or "").strip("<> ")


def _are_one(moment: datetime, other: datetime) -> bool:
    """Return whether two times are the same second: other programs store no fractions."""
    return moment.replace(microsecond=0) == other.replace(microsecond=0)
