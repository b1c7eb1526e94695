"""Reading WARC files: record by record, or one record at its place."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType
from resiliparse.parse.encoding import detect_mime

from webstrata.content.decode import dechunked, decoded
from webstrata.errors import RecordNotFoundError, WarcError
from webstrata.model.fetching import REDIRECT_STATUSES

_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_CAPTURE_TYPES = WarcRecordType.response | WarcRecordType.revisit | WarcRecordType.resource


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

    @property
    def mime_type(self) -> str | None:
        """Return the declared type without its parameters."""
        declared = self.headers.get("content-type", "").partition(";")[0].strip().lower()
        return declared or None

    @property
    def is_html(self) -> bool:
        """Tell whether this is a page: it says so, or says nothing and looks like one."""
        if self.status_code in REDIRECT_STATUSES or not self.body_bytes:
            return False
        if self.mime_type is None:
            return _looks_like_html(self.body_bytes)
        return self.mime_type in _HTML_TYPES


def iter_records(warc_path: Path, end: int | None = None) -> Iterator[ArchiveRecord]:
    """Yield the captures of a file in order, up to a byte that is known to be whole.

    A record's length shows only when the next one begins, so each is held back until then.
    """
    size = warc_path.stat().st_size if end is None else end
    held: ArchiveRecord | None = None
    with _opened(warc_path) as file:
        for record in ArchiveIterator(_Bounded(file, size), parse_http=True, auto_decode="none"):
            if held is not None:
                yield replace(held, length=record.stream_pos - held.offset)
            held = _archive_record(record, warc_path, record.stream_pos, 0) if _is_capture(record) else None
        if held is not None:
            yield replace(held, length=size - held.offset)


def iter_html_records(warc_path: Path) -> Iterator[ArchiveRecord]:
    """Yield the pages of a file in order."""
    return (record for record in iter_records(warc_path) if record.is_html)


def read_record(warc_path: Path, offset: int, length: int | None) -> ArchiveRecord:
    """Return the capture at a place; RecordNotFoundError when there is none."""
    with _opened(warc_path) as file:
        file.seek(offset)
        stream = file if length is None else io.BytesIO(file.read(length))
        record = next(iter(ArchiveIterator(stream, parse_http=True, auto_decode="none")), None)
        if record is None or not _is_capture(record):
            raise RecordNotFoundError(f"{warc_path}: no capture at byte {offset}")
        return _archive_record(record, warc_path, offset, length or 0)


def _is_capture(record: WarcRecord) -> bool:
    return bool(record.record_type & _CAPTURE_TYPES) and "WARC-Target-URI" in record.headers


def _archive_record(record: WarcRecord, warc_path: Path, offset: int, length: int) -> ArchiveRecord:
    http = record.http_headers
    headers = {name.lower(): value for name, value in (http or record.headers).items()}
    return ArchiveRecord(
        url=record.headers["WARC-Target-URI"].strip("<>"),
        capture_timestamp=_moment(record),
        headers=headers,
        body_bytes=_payload(record.reader.read(), headers) if http else record.reader.read(),
        warc_path=warc_path,
        warc_record_id=record.headers.get("WARC-Record-ID"),
        offset=offset,
        length=length,
        record_type=record.headers["WARC-Type"].lower(),
        status_code=http.status_code if http else None,
        payload_digest=record.headers.get("WARC-Payload-Digest"),
    )


def _payload(block: bytes, headers: dict[str, str]) -> bytes:
    if "chunked" in headers.get("transfer-encoding", "").lower():
        block = dechunked(block)
    return decoded(block, headers.get("content-encoding"))


def _moment(record: WarcRecord) -> datetime:
    """Return when a record was made, as its WARC-Date says."""
    try:
        moment = datetime.fromisoformat(record.headers.get("WARC-Date") or "")
    except ValueError:
        raise WarcError(f"record at byte {record.stream_pos} has no readable WARC-Date") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _looks_like_html(body: bytes) -> bool:
    return detect_mime(body[:1024]) in _HTML_TYPES


@contextmanager
def _opened(warc_path: Path) -> Iterator[IO[bytes]]:
    """Open a file and turn what can go wrong while reading it into our errors, in this one place."""
    try:
        with warc_path.open("rb") as file:
            yield file
    except FileNotFoundError as error:
        raise RecordNotFoundError(f"{warc_path} is not there") from error
    except (OSError, EOFError, ValueError) as error:
        raise WarcError(f"{warc_path}: {error}") from error


class _Bounded(io.RawIOBase):
    """A file that seems to end at a byte: what lies behind is not acknowledged yet."""

    def __init__(self, file: IO[bytes], end: int) -> None:
        self._file = file
        self._end = end

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._file.tell()

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if whence == io.SEEK_END:
            return self._file.seek(self._end + offset)
        return self._file.seek(offset, whence)

    def read(self, size: int = -1) -> bytes:
        left = max(0, self._end - self._file.tell())
        return self._file.read(left if size < 0 else min(size, left))
