"""Finds the payloads that revisits refer to, and copies of records; of several, one whose file exists."""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, and_, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session, aliased

from webstrata.db.replay.closest import after_second
from webstrata.db.schema.tables import ArchiveJob, Capture, Snapshot, WarcFile
from webstrata.errors import UsageError
from webstrata.model.archive import RecordPlace
from webstrata.model.captures import Original
from webstrata.model.urls import surt

IsThere = Callable[[str, str], bool]
"""A function that returns whether a WARC file exists, given its path and its job's folder."""

PAYLOAD_TYPES = ("response", "resource")
"""The types of records that contain their payload; a revisit refers to another record."""

_MOST_PLACES = 100
"""How many copies of a record are tried: some programs give many records the same id."""

_Column = InstrumentedAttribute[Any]


@dataclass(frozen=True)
class Payload:
    """The position of the payload of a revisit, and what the index knows about it."""

    capture_id: int
    url: str
    warc_path: str
    offset: int
    length: int
    output_dir: str
    source_id: int
    snapshot_id: int | None
    is_indexed: bool
    """Whether it is indexed. If so, and it has no snapshot, it is not a page."""
    record_id: str
    captured_at: datetime


def payloads(
    session: Session, source_id: int, originals: Collection[Original], index_version: int, is_there: IsThere
) -> dict[Original, Payload]:
    """Return the payloads in the archive that a source's revisits refer to, by reference.

    A payload whose file is missing is returned only when no existing file contains it: its page may still be indexed.
    """
    search = _Search(session, source_id, index_version, is_there)
    search.add(originals, search.by_record(originals))
    for original in search.lacking(originals):
        search.add([original], search.by_url(original))
    search.add(originals, search.by_digest(search.lacking(originals)))
    for original in search.lacking(originals):
        search.add([original], search.by_order(original))
    return search.found


class _Search:
    """The payloads that were found so far; one whose file exists replaces one whose file is missing."""

    def __init__(self, session: Session, source_id: int, index_version: int, is_there: IsThere) -> None:
        self._session = session
        self._source_id = source_id
        self._index_version = index_version
        self._is_there = is_there
        self.found: dict[Original, Payload] = {}

    def lacking(self, originals: Collection[Original]) -> list[Original]:
        return [original for original in originals if not self._has(original)]

    def add(self, originals: Collection[Original], found: Iterable[tuple[object, Payload]]) -> None:
        """Add payloads, oldest first, each with its key: an original, a record id or a digest."""
        requested: dict[object, list[Original]] = {}
        for original in self.lacking(originals):
            for key in filter(None, (original, original.record_id, original.payload_digest)):
                requested.setdefault(key, []).append(original)
        for key, payload in found:
            for original in requested.get(key, ()):
                if original not in self.found or (not self._has(original) and self._is_at(payload)):
                    self.found[original] = payload

    def by_record(self, originals: Collection[Original]) -> Iterator[tuple[object, Payload]]:
        named = {original.record_id for original in originals if original.record_id}
        if not named:
            return iter(())
        return self._payloads(Capture.warc_record_id.in_(named), Capture.warc_record_id)

    def by_digest(self, originals: Collection[Original]) -> Iterator[tuple[object, Payload]]:
        """Yield captures of the source for originals of which only the payload's digest is known."""
        requested = {original.payload_digest for original in originals if original.payload_digest}
        if not requested:
            return iter(())
        same = and_(Capture.source_id == self._source_id, Capture.payload_digest.in_(requested))
        firsts = _first_in_each_file(and_(same, _holds_payload()), Capture.payload_digest)
        return self._payloads(Capture.id.in_(firsts), Capture.payload_digest)

    def by_url(self, original: Original) -> Iterator[tuple[object, Payload]]:
        at_url = _at_url(original)
        if at_url is None:
            return iter(())
        return ((original, payload) for _, payload in self._payloads(at_url, Capture.id))

    def by_order(self, original: Original) -> Iterator[tuple[object, Payload]]:
        """Yield the capture before a revisit that names no original: a 304 response refers to it."""
        if _names_something(original):
            return iter(())
        before = _last_before(original)
        if before is None:
            return iter(())
        return ((original, payload) for _, payload in self._payloads(Capture.id.in_(before), Capture.id))

    def _payloads(self, which: ColumnElement[bool], key: _Column) -> Iterator[tuple[object, Payload]]:
        rows = self._session.execute(_payload_columns(self._index_version, key).where(which).order_by(Capture.id))
        return ((row[-1], Payload(*row[:-1])) for row in rows)

    def _has(self, original: Original) -> bool:
        return original in self.found and self._is_at(self.found[original])

    def _is_at(self, payload: Payload) -> bool:
        return self._is_there(payload.warc_path, payload.output_dir)


def _payload_columns(index_version: int, key: _Column) -> Select[*tuple[Any, ...]]:
    is_indexed = (WarcFile.index_version == index_version) & (WarcFile.indexed_bytes > Capture.warc_offset)
    return (
        select(
            *(Capture.id, Capture.url, WarcFile.path, Capture.warc_offset, Capture.warc_length, ArchiveJob.output_dir),
            *(Capture.source_id, Snapshot.id, is_indexed, Capture.warc_record_id, Capture.capture_timestamp, key),
        )
        .join(WarcFile, Capture.warc_file_id == WarcFile.id)
        .join(ArchiveJob, WarcFile.job_id == ArchiveJob.id)
        .outerjoin(Snapshot, Snapshot.capture_id == Capture.id)
        .where(Capture.record_type != "revisit")
    )


def payload_places(session: Session, refers_to: Original, revisit_id: str | None = None) -> list[RecordPlace]:
    """Return the possible positions of a revisit's payload, one per file: by the record's id, then by its URL and time.

    If these find nothing, it is searched by its digest in the revisit's own source. For a revisit that names no
    original it is the payload of the previous capture.
    """
    ways = []
    if refers_to.record_id:
        ways.append(Capture.warc_record_id == refers_to.record_id)
    if (at_url := _at_url(refers_to)) is not None:
        ways.append(at_url)
    found = _places(session, [_first_in_each_file(and_(way, _holds_payload())) for way in ways])
    if found:
        return found
    if refers_to.payload_digest and revisit_id:
        revisit = aliased(Capture)
        own_source = select(revisit.source_id).where(revisit.warc_record_id == revisit_id)
        same = and_(Capture.source_id.in_(own_source), Capture.payload_digest == refers_to.payload_digest)
        return _places(session, [_first_in_each_file(and_(same, _holds_payload()))])
    before = None if _names_something(refers_to) else _last_before(refers_to)
    return [] if before is None else _places(session, [before])


def other_places(session: Session, place: RecordPlace) -> list[RecordPlace]:
    """Return the positions of copies of a snapshot's record, then of records of its source with the same payload."""
    ways = []
    if place.record_id:
        same = and_(Capture.warc_record_id == place.record_id, Capture.url == place.url)
        ways.append(select(Capture.id).where(same).limit(_MOST_PLACES))
    if place.capture_id is not None:
        ways.append(_first_in_each_file(_has_payload_of(place.capture_id)))
    return [other for other in _places(session, ways) if other.capture_id != place.capture_id]


def _has_payload_of(capture_id: int) -> ColumnElement[bool]:
    own = aliased(Capture)
    source = select(own.source_id).where(own.id == capture_id).scalar_subquery()
    digest = select(own.payload_digest).where(own.id == capture_id).scalar_subquery()
    return and_(Capture.source_id == source, Capture.payload_digest == digest, _holds_payload())


def _holds_payload() -> ColumnElement[bool]:
    """Select records that contain their payload, by type: so an index skips the revisits, of which there may be
    thousands."""
    return Capture.record_type.in_(PAYLOAD_TYPES)


def _at_url(original: Original) -> ColumnElement[bool] | None:
    """Select captures by an original's URL and time; None when a revisit names no time or no web address.

    A time without a fraction matches the whole second: many tools write milliseconds in captures, but not in revisits.
    """
    url_key = _key_of(original)
    if url_key is None or not original.is_dated:
        return None
    at, time = Capture.capture_timestamp, original.captured_at
    is_then = at == time if time.microsecond else and_(at >= time, at < after_second(time))
    return and_(Capture.url_key == url_key, is_then)


def _last_before(original: Original) -> Select[int] | None:
    """Select the last good capture of a URL before a revisit of it."""
    url_key = _key_of(original)
    if url_key is None:
        return None
    is_before = and_(Capture.url_key == url_key, Capture.capture_timestamp < original.captured_at)
    is_good = and_(_holds_payload(), Capture.status_code == HTTPStatus.OK)
    return select(Capture.id).where(is_before, is_good).order_by(Capture.capture_timestamp.desc()).limit(1)


def _names_something(original: Original) -> bool:
    return bool(original.record_id or original.payload_digest or original.is_dated)


def _key_of(original: Original) -> str | None:
    try:
        return surt(original.url)
    except UsageError:
        return None


def _first_in_each_file(which: ColumnElement[bool], *keys: _Column) -> Select[int]:
    """Select one capture per file: a missing file is checked once, however many captures it contains."""
    return select(func.min(Capture.id)).where(which).group_by(Capture.warc_file_id, *keys)


def _places(session: Session, ways: Iterable[Select[int]]) -> list[RecordPlace]:
    found: dict[int, RecordPlace] = {}
    for way in ways:
        rows = session.execute(
            select(Capture, WarcFile.path, ArchiveJob.output_dir)
            .join(WarcFile, Capture.warc_file_id == WarcFile.id)
            .join(ArchiveJob, WarcFile.job_id == ArchiveJob.id)
            .where(Capture.id.in_(way))
            .order_by(Capture.id)
        )
        for row in rows:
            found.setdefault(row[0].id, _place(row))
    return list(found.values())


def _place(row: Row[Capture, str, str]) -> RecordPlace:
    capture, path, output_dir = row
    return RecordPlace(
        warc_path=path,
        offset=capture.warc_offset,
        length=capture.warc_length,
        record_id=capture.warc_record_id,
        url=capture.url,
        captured_at=capture.capture_timestamp,
        output_dir=output_dir,
        capture_id=capture.id,
    )
