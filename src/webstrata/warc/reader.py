"""Reading WARC files: record by record, or one record at its place."""

import io
import os
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from fastwarc.warc import WarcRecord, WarcRecordType

from webstrata.content.kinds import PageKind, page_kind
from webstrata.errors import RecordNotFoundError, WarcError
from webstrata.model.browser.posted import METHODS, posted_url
from webstrata.model.captures import DateSource, Original
from webstrata.model.crawl.fetching import REDIRECT_STATUSES
from webstrata.warc.arc import ArcRecord, PackedTogetherError, arc_record, begins_arc_record
from webstrata.warc.dates import moment_of, parsed_date
from webstrata.warc.digests import normal_digest
from webstrata.warc.gzip_members import inflate_member
from webstrata.warc.parsing import NO_RECORD, BoundedFile, BrokenError, as_broken, opened, parsed_records
from webstrata.warc.record import POSTED, RENDERED_AT, RESOURCE_TYPE
from webstrata.warc.record_block import MAX_BLOCK_BYTES, MostBytes, SenselessError, declared_type, read_block
from webstrata.warc.resync import has_damaged_head, next_record, raw_target, record_length
from webstrata.warc.seeking import Seekable, is_gzip

_CAPTURE_TYPES = WarcRecordType.response | WarcRecordType.revisit | WarcRecordType.resource
_NOT_ONE_BY_ONE = "its records are not compressed one by one, so single records cannot be read"

_PAGE_RESOURCES = frozenset({"", "document", "page"})
_MAX_DIGITS = 16
_UNDECODED = "\N{REPLACEMENT CHARACTER}"
_WRONG_LENGTH = "the record does not end at its Content-Length"
_MOST_BLANK = 64


@dataclass(frozen=True)
class Damage:
    """A place where a file cannot be read as it should, and why."""

    offset: int
    reason: str


OnDamage = Callable[[Damage], None]


@dataclass(frozen=True)
class ArchiveRecord:
    """One capture as it was read from a file; the body is decoded of its content encoding."""

    url: str
    capture_timestamp: datetime
    headers: dict[str, str]
    body_bytes: bytes
    warc_path: Path
    warc_record_id: str | None
    offset: int
    length: int
    record_type: str
    status_code: int | None
    payload_digest: str | None
    refers_to: Original | None = None
    """The capture whose payload a revisit refers to; None for records that hold their payload themselves."""
    date_source: DateSource | None = None
    """The source of the time if the record's own date is missing or invalid."""
    omitted_bytes: int = 0
    """The size of a body that was left out because it is too large, as far as known."""
    truncated: str | None = None
    """Why the crawler cut the body off: the value of `WARC-Truncated`."""
    resource_type: str | None = None
    """The kind of resource that the crawler requested: the value of `WARC-Resource-Type`."""

    @property
    def is_requisite(self) -> bool:
        """Return whether the record states that it was requested as a resource of a page."""
        return self.resource_type is not None and self.resource_type.lower() not in _PAGE_RESOURCES

    rendered_at: tuple[int, int] | None = None
    """Offset and length of the record that should hold the page's document after its scripts ran."""

    @property
    def mime_type(self) -> str | None:
        """Return the declared type without its parameters."""
        return declared_type(self.headers)

    @property
    def all_headers(self) -> dict[str, str]:
        """Return the headers of the response, and of its record whether it was cut off."""
        return self.headers if self.truncated is None else {**self.headers, "warc-truncated": self.truncated}

    @property
    def is_html(self) -> bool:
        """Return whether this is an HTML page, by its declared type and its bytes."""
        if self.status_code in REDIRECT_STATUSES:
            return False
        return page_kind(self.headers.get("content-type"), self.body_bytes, self.url) is PageKind.HTML


@dataclass(frozen=True)
class Span:
    """A part of a file: the records that begin in it."""

    start: int
    stop: int
    end: int


def iter_records(warc_path: Path, end: int | None = None, on_damage: OnDamage | None = None) -> Iterator[ArchiveRecord]:
    """Yield the captures of a file in order, up to a byte that is known to be complete.

    Damage is reported, and what comes after it is still read; without `on_damage`, it is raised as WarcError.
    """
    report = on_damage or _raising(warc_path)
    with opened(warc_path) as file:
        size = os.fstat(file.fileno()).st_size
        bounded = BoundedFile(file, size if end is None else min(end, size))
        reading = _Reading(warc_path, bounded.end, report, _is_plain(bounded))
        start: int | None = 0
        while start is not None and start < bounded.end:
            start = yield from _records_from(start, bounded, reading)
        if end is not None and size < end:
            report(Damage(size, f"{end - size} acknowledged bytes are missing"))


def first_record(warc_path: Path, span: Span) -> int | None:
    """Return the offset of the first record in a span, found by its form; None without one."""
    with opened(warc_path) as file:
        return next_record(BoundedFile(file, span.end), span.start, span.stop)


def iter_span(
    warc_path: Path, span: Span, on_damage: OnDamage, most_bytes: MostBytes
) -> Generator[ArchiveRecord, None, int]:
    """Yield the captures that begin in a span, which begins with a record, and return where the next one begins.

    A body that is larger than its type may be is left out.
    """
    with opened(warc_path) as file:
        size = os.fstat(file.fileno()).st_size
        bounded = BoundedFile(file, min(span.end, size))
        start: int | None = span.start
        reading = _Reading(warc_path, span.stop, on_damage, _is_plain(bounded), most_bytes)
        while start is not None and start < min(span.stop, bounded.end):
            start = yield from _records_from(start, bounded, reading)
        if size < span.end <= span.stop:
            on_damage(Damage(size, f"{span.end - size} acknowledged bytes are missing"))
    return span.end if start is None else start


@dataclass(frozen=True)
class _Reading:
    """The options of reading a file: how far, the callback for damage, and which bodies."""

    warc_path: Path
    stop: int
    report: OnDamage
    is_plain: bool
    most_bytes: MostBytes | None = None


def _is_plain(file: BoundedFile) -> bool:
    file.seek(0)
    return not is_gzip(file.read(3))


def _records_from(start: int, file: BoundedFile, reading: _Reading) -> Generator[ArchiveRecord, None, int | None]:
    """Yield captures up to the stop or to damage, and return where reading can continue."""
    is_arc = begins_arc_record(file, start)
    return (yield from (_arc_records_from if is_arc else _warc_records_from)(start, file, reading))


def _warc_records_from(start: int, file: BoundedFile, reading: _Reading) -> Generator[ArchiveRecord, None, int | None]:
    """Yield the captures of a WARC file as `_records_from` does.

    A record's length shows only when the next one begins, so each is held back until then.
    """
    held: ArchiveRecord | None = None
    begun, senseless, broken = -1, -1, "the file ends in the middle of a record"
    file.seek(start)
    try:
        with as_broken():
            for record in parsed_records(file):
                if held is not None:
                    yield replace(held, length=record.stream_pos - held.offset)
                held, begun = None, _place(record, begun, file, reading.warc_path)
                if begun >= reading.stop:
                    return begun
                try:
                    held = _capture_of(record, file, reading, begun)
                except SenselessError as error:
                    senseless = begun
                    reading.report(Damage(begun, str(error)))
    except BrokenError as error:
        broken = str(error)
    length = record_length(file, begun) if begun >= 0 else None
    if held is not None and length is not None:
        yield replace(held, length=length)
    after = max(begun, start) + (length or 0)
    if _is_blank_from(file, after):
        return None
    if length is not None and next_record(file, after, after + 1) == after:
        return after  # Read from its beginning it may be complete; if not, that is reported then.
    if after != senseless:
        is_in_record = after == begun and broken == NO_RECORD
        reading.report(Damage(after, _WRONG_LENGTH if is_in_record else broken))
    return next_record(file, after + 1)


def _is_blank_from(file: BoundedFile, offset: int) -> bool:
    """Return whether nothing but a few line ends is left."""
    file.seek(offset)
    return file.end - offset <= _MOST_BLANK and not file.read(_MOST_BLANK).strip(b"\r\n")


def _arc_records_from(start: int, file: BoundedFile, reading: _Reading) -> Generator[ArchiveRecord, None, int | None]:
    """Yield the captures of an ARC file as `_records_from` does."""
    offset = start
    while offset < min(reading.stop, file.end):
        try:
            arc = _arc_at(file, offset, reading.warc_path)
        except BrokenError as error:
            reading.report(Damage(offset, str(error)))
            return next_record(file, offset + 1)
        try:
            found = _of_arc(arc, reading.warc_path, offset, reading.most_bytes)
        except (BrokenError, SenselessError) as error:
            reading.report(Damage(offset, str(error)))
        else:
            if found is not None:
                yield found
        offset += arc.length
    return offset if offset < file.end else None


def _arc_at(file: Seekable, offset: int, warc_path: Path) -> ArcRecord:
    try:
        return arc_record(file, offset, MAX_BLOCK_BYTES)
    except PackedTogetherError:
        raise WarcError(f"{warc_path}: {_NOT_ONE_BY_ONE}") from None


def _of_arc(
    arc: ArcRecord, warc_path: Path, offset: int, most_bytes: MostBytes | None = None, *, decode: bool = True
) -> ArchiveRecord | None:
    """Return the capture of an ARC record; None for the record that describes its file."""
    with as_broken():
        record = next(parsed_records(io.BytesIO(arc.as_warc)))
        if not _is_capture(record):
            return None
        return _archive_record(record, warc_path, offset, arc.length, most_bytes, decode=decode)


def _capture_of(record: WarcRecord, file: BoundedFile, reading: _Reading, offset: int) -> ArchiveRecord | None:
    """Return a capture, or None for a record of another kind; one without a required header is reported."""
    if reading.is_plain and has_damaged_head(file, offset):
        raise SenselessError("the record's header is damaged")
    if _is_capture(record):
        if "Content-Length" not in record.headers:
            raise SenselessError("the record does not state its length (Content-Length)")
        return _archive_record(record, reading.warc_path, offset, 0, reading.most_bytes)
    if record.record_type & _CAPTURE_TYPES:
        raise SenselessError("the record has no URL (WARC-Target-URI)")
    if "WARC-Type" not in record.headers:
        raise SenselessError("the record has no type (WARC-Type)")
    return None


def _place(record: WarcRecord, last: int, file: BoundedFile, warc_path: Path) -> int:
    """Return where a record begins; in a file compressed as a whole, records have no place of their own."""
    if record.stream_pos <= last or record.stream_pos >= file.end:
        raise WarcError(f"{warc_path}: {_NOT_ONE_BY_ONE}")
    return record.stream_pos


def _raising(warc_path: Path) -> OnDamage:
    def raise_it(damage: Damage) -> None:
        raise WarcError(f"{warc_path}: byte {damage.offset}: {damage.reason}")

    return raise_it


def iter_html_records(warc_path: Path) -> Iterator[ArchiveRecord]:
    """Yield the pages of a file in order."""
    return (record for record in iter_records(warc_path) if record.is_html)


def read_record(warc_path: Path, offset: int, length: int | None, *, decode: bool = True) -> ArchiveRecord:
    """Return the capture at a place; RecordNotFoundError when there is none, WarcError when it is damaged.

    Its body is decoded, or only without its chunks, otherwise as it was sent.
    """
    with opened(warc_path) as file:
        size = length or record_length(file, offset) or 0
        file.seek(offset)
        content = file.read(size)
    inflated = inflate_member(content)
    data = io.BytesIO(content if inflated is None else inflated)
    try:
        found = (_arc_in if begins_arc_record(data, 0) else _warc_in)(data, warc_path, offset, decode)
    except (BrokenError, SenselessError) as error:
        raise WarcError(f"{warc_path}: byte {offset}: {error}") from error
    if found is None:
        raise RecordNotFoundError(f"{warc_path}: no capture at byte {offset}")
    return replace(found, length=size)


def _warc_in(data: io.BytesIO, warc_path: Path, offset: int, decode: bool) -> ArchiveRecord | None:
    """Return the capture in bytes of a WARC file; None when they do not begin with one."""
    data.seek(0)
    with as_broken():
        records = parsed_records(data)
        record = next(records, None)
        if record is None or record.stream_pos != 0 or not _is_capture(record):
            return None
        found = _archive_record(record, warc_path, offset, 0, decode=decode)
        if is_gzip(data.getvalue()):
            next(records, None)  # The checksum is checked at the end of the record.
    return found


def _arc_in(data: io.BytesIO, warc_path: Path, offset: int, decode: bool) -> ArchiveRecord | None:
    return _of_arc(_arc_at(data, 0, warc_path), warc_path, offset, decode=decode)


def _is_capture(record: WarcRecord) -> bool:
    return bool(record.record_type & _CAPTURE_TYPES) and "WARC-Target-URI" in record.headers


def _archive_record(
    record: WarcRecord,
    warc_path: Path,
    offset: int,
    length: int,
    most_bytes: MostBytes | None = None,
    *,
    decode: bool = True,
) -> ArchiveRecord:
    block = read_block(record, most_bytes, decode=decode)
    moment, date_source = moment_of(record.headers.get("WARC-Date"), block.headers.get("date"), warc_path)
    return ArchiveRecord(
        url=_target(record, warc_path, offset),
        capture_timestamp=moment,
        headers=block.headers,
        body_bytes=block.body,
        warc_path=warc_path,
        warc_record_id=record.headers.get("WARC-Record-ID"),
        offset=offset,
        length=length,
        record_type=record.headers["WARC-Type"].lower(),
        status_code=block.status_code,
        payload_digest=block.payload_digest,
        refers_to=_refers_to(record, moment) if record.record_type == WarcRecordType.revisit else None,
        date_source=date_source,
        omitted_bytes=block.omitted_bytes,
        truncated=record.headers.get("WARC-Truncated"),
        resource_type=record.headers.get(RESOURCE_TYPE),
        rendered_at=_rendered_at(record.headers.get(RENDERED_AT)),
    )


def _target(record: WarcRecord, warc_path: Path, offset: int) -> str:
    """Return the URL by which a record is found: of a response to a request with a body, with the body as a query."""
    url = record.headers["WARC-Target-URI"].strip("<>")
    if _UNDECODED in url:
        # Not UTF-8: its bytes are escaped instead.
        url = raw_target(warc_path, offset) or url
    method, _, query = (record.headers.get(POSTED) or "").partition(" ")
    return posted_url(url, method, query) if method in METHODS else url


def _rendered_at(value: str | None) -> tuple[int, int] | None:
    if value is None:
        return None
    offset, _, length = value.partition(", ")
    is_place = all(part.isascii() and part.isdigit() and len(part) < _MAX_DIGITS for part in (offset, length))
    return (int(offset), int(length)) if is_place else None


def _refers_to(record: WarcRecord, moment: datetime) -> Original:
    headers = record.headers
    date, named = parsed_date(headers.get("WARC-Refers-To-Date")), headers.get("WARC-Refers-To") or ""
    return Original(
        record_id=named,
        url=(headers.get("WARC-Refers-To-Target-URI") or headers["WARC-Target-URI"]).strip("<>"),
        captured_at=date or moment,
        payload_digest=normal_digest(headers.get("WARC-Payload-Digest")),
        is_dated=date is not None,
    )
