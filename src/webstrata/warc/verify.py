"""Verification of WARC and ARC files from any tool: reads every byte and reports each error with its position."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from webstrata.content.decode import dechunked
from webstrata.model.captures import Original
from webstrata.warc.arc import MAX_LINE_BYTES, ArcHead, arc_head
from webstrata.warc.bytestream import TOO_SHORT, ByteStream, DamagedError, TooShortError, members
from webstrata.warc.dates import parsed_date
from webstrata.warc.digests import DigestCheck
from webstrata.warc.packages.verify_wacz import check_wacz
from webstrata.warc.packages.wacz_reader import is_wacz
from webstrata.warc.resync import next_record

MAX_HEADER_BYTES = 65_536
_MAX_LENGTH_DIGITS = 18
_MAX_HTTP_HEAD = 1_048_576
_MAX_CHUNKED = 256 * 1_048_576
_READ_BYTES = 1_048_576
_RECORD_ENDING = b"\r\n\r\n"
_WARC = b"WARC/"
_LINE_ENDS = (b"\r", b"\n")

HasOriginal = Callable[[Original], bool]
"""Callback that returns whether the record that a revisit refers to is in the archive."""
OnRecord = Callable[[int, str], None]
"""Called with the offset and the id of every record that could be read."""


@dataclass(frozen=True)
class Finding:
    """An error in a file, and its location."""

    path: Path
    offset: int
    reason: str

    def __str__(self) -> str:
        """Return the error as a line of text."""
        return f"{self.path}: byte {self.offset}: {self.reason}"


@dataclass
class Report:
    """The result of a verification: what was read, and the errors."""

    files: int = 0
    records: int = 0
    bytes_read: int = 0
    findings: list[Finding] = field(default_factory=list)


@dataclass(frozen=True)
class _Revisit:
    """A revisit record, which refers to another record's payload."""

    path: Path
    offset: int
    target_id: str | None
    target_url: str | None
    target_date: str | None
    digest: str | None

    @property
    def target(self) -> str:
        """Return what it refers to, in words."""
        place = f"{self.target_url} of {self.target_date}" if self.target_url else None
        return self.target_id or place or self.digest or "no record is named"


class _Seen:
    """Records that revisits may refer to."""

    def __init__(self, has_original: HasOriginal | None, on_record: OnRecord | None) -> None:
        self._has_original = has_original
        self.on_record = on_record
        self.record_ids: set[str] = set()
        self.captures: set[tuple[str, str]] = set()
        self.digests: set[str] = set()
        self.revisits: list[_Revisit] = []

    def missing(self) -> Iterator[Finding]:
        for revisit in self.revisits:
            if not self._has_target(revisit):
                reason = f"revisit of a record that was not found: {revisit.target}"
                yield Finding(revisit.path, revisit.offset, reason)

    def _has_target(self, revisit: _Revisit) -> bool:
        """Return whether a revisit's original was read; in WARC 1.0 it may be identified only by the payload's
        digest."""
        if revisit.target_id is None and revisit.target_url is None:
            return revisit.digest in self.digests
        place = (_without_scheme(revisit.target_url), revisit.target_date)
        return revisit.target_id in self.record_ids or place in self.captures or self._is_elsewhere(revisit)

    def _is_elsewhere(self, revisit: _Revisit) -> bool:
        """Return whether the caller knows the record that a revisit refers to."""
        if self._has_original is None:
            return False
        date = parsed_date(revisit.target_date) or datetime.now(UTC)
        return self._has_original(Original(revisit.target_id or "", (revisit.target_url or "").strip("<>"), date))


def verify(paths: Iterable[Path], has_original: HasOriginal | None = None, on_record: OnRecord | None = None) -> Report:
    """Read WARC, ARC and WACZ files to their last byte; revisits may refer to a record of any of them.

    Others are looked up with `has_original`, if it is given.
    """
    report, seen = Report(), _Seen(has_original, on_record)
    for path in paths:
        report.files += 1
        try:
            report.bytes_read += path.stat().st_size
            _verify_file(path, report, seen)
        except OSError as error:
            report.findings.append(Finding(path, 0, error.strerror or str(error)))
    report.findings += seen.missing()
    return report


def verify_streams(streams: Iterable[tuple[Path, IO[bytes]]], report: Report) -> None:
    """Read open WARC files to their last byte and add their errors to a report; each has a path for messages."""
    seen = _Seen(None, None)
    for path, file in streams:
        report.files += 1
        _verify_stream(path, file, report, seen)
    report.findings += seen.missing()


def _verify_file(path: Path, report: Report, seen: _Seen) -> None:
    if is_wacz(path):
        reasons = check_wacz(path, lambda entry, file: _verify_stream(entry, file, report, seen))
        report.findings += [Finding(path, 0, reason) for reason in reasons]
        return
    with path.open("rb") as file:
        _verify_stream(path, file, report, seen)


def _verify_stream(path: Path, file: IO[bytes], report: Report, seen: _Seen) -> None:
    for member in members(file):
        try:
            _verify_member(path, member, report, seen)
        except DamagedError as damage:
            report.findings.append(_finding(path, file, member, damage))
            member.give_up()


def _finding(path: Path, file: IO[bytes], stream: ByteStream, damage: DamagedError) -> Finding:
    """Return the error. A record that seems cut off by the end of the file is only too short if another record
    follows."""
    is_short = isinstance(damage, TooShortError) and not stream.is_packed
    if is_short and next_record(file, stream.record_offset + 1) is not None:
        return Finding(path, stream.record_offset, TOO_SHORT)
    return Finding(path, damage.offset, damage.reason)


def _verify_member(path: Path, stream: ByteStream, report: Report, seen: _Seen) -> None:
    if stream.at_end():
        raise DamagedError(stream.offset, "no WARC record here")
    records_here = 0
    while not stream.at_end():
        offset = stream.begin_record()
        records_here += 1
        if records_here == 2 and stream.is_packed:
            reason = "several records in one gzip member: they cannot be read one by one"
            report.findings.append(Finding(path, offset, reason))
        if (arc := _arc_head(stream)) is not None:
            report.records += 1
            _verify_arc_record(offset, arc, stream)
            if seen.on_record is not None:
                seen.on_record(offset, "")
            continue
        headers = _headers(stream, offset)
        report.records += 1
        for reason in _verify_record(path, offset, headers, stream, seen):
            report.findings.append(Finding(path, offset, reason))


def _verify_record(path: Path, offset: int, headers: dict[str, str], stream: ByteStream, seen: _Seen) -> list[str]:
    """Read one record to its end and return its errors; DamagedError when its end cannot be found."""
    length = headers.get("content-length", "")
    if not (length.isascii() and length.isdecimal() and len(length) <= _MAX_LENGTH_DIGITS):
        raise DamagedError(offset, f"Content-Length is {length[:40]!r}, not a number")
    problems = _verify_block(stream, headers, int(length))
    if (stream.is_packed and stream.at_end()) or stream.read(len(_RECORD_ENDING)) != _RECORD_ENDING:
        raise DamagedError(offset, "the record does not end at its Content-Length")
    if not headers.get("warc-record-id"):
        problems.append("no WARC-Record-ID")
    _remember(path, offset, headers, seen)
    return problems


def _verify_arc_record(offset: int, head: ArcHead, stream: ByteStream) -> None:
    """Read a record of an ARC file to its end, and the empty lines after it; it has no digest."""
    stream.read(head.line_bytes)
    for _ in stream.parts(head.length, _READ_BYTES):
        pass
    ended = False
    while stream.peek(1) in _LINE_ENDS:
        ended = bool(stream.read(1))
    if not ended and not stream.at_end() and _arc_head(stream) is None:
        raise DamagedError(offset, "this record does not end at its declared length")


def _arc_head(stream: ByteStream) -> ArcHead | None:
    return None if stream.peek(len(_WARC)) == _WARC else arc_head(stream.peek(MAX_LINE_BYTES))


def _headers(stream: ByteStream, offset: int) -> dict[str, str]:
    head = stream.read_until(b"\r\n\r\n", MAX_HEADER_BYTES)
    if head is None or not head.startswith(_WARC):
        raise DamagedError(offset, "no WARC record here")
    headers = {}
    for line in head.decode("utf-8", "replace").split("\r\n")[1:]:
        name, colon, value = line.partition(":")
        if colon:
            headers[name.strip().lower()] = value.strip()
    return headers


def _verify_block(stream: ByteStream, headers: dict[str, str], length: int) -> list[str]:
    """Read a block and compare it with the record's headers."""
    block = DigestCheck(headers.get("warc-block-digest"))
    payload = DigestCheck(_payload_digest(headers))
    head = (
        stream.read_until(b"\r\n\r\n", min(length, _MAX_HTTP_HEAD)) if payload.is_needed and _is_http(headers) else b""
    )
    left = length - len(head or b"")
    block.update(head or b"")
    if head and b"chunked" in head.lower() and left <= _MAX_CHUNKED:
        body = stream.read(left)
        block.update(body)
        payload.update_either(body, dechunked(body))
    else:
        for part in stream.parts(left, _READ_BYTES):
            block.update(part)
            payload.update(part)
    return [
        f"the {name} does not match its digest"
        for name, check in (("block", block), ("payload", payload))
        if not check.matches()
    ]


def _payload_digest(headers: dict[str, str]) -> str | None:
    """Return the payload's digest if the payload is in the record and complete, so not for revisits and truncated
    ones."""
    if headers.get("warc-type") in ("revisit", "request") or "warc-truncated" in headers:
        return None
    return headers.get("warc-payload-digest")


def _is_http(headers: dict[str, str]) -> bool:
    return headers.get("content-type", "").startswith("application/http")


def _remember(path: Path, offset: int, headers: dict[str, str], seen: _Seen) -> None:
    kind = headers.get("warc-type", "")
    if seen.on_record is not None:
        seen.on_record(offset, headers.get("warc-record-id", ""))
    if kind == "revisit":
        seen.revisits.append(
            _Revisit(
                path,
                offset,
                headers.get("warc-refers-to"),
                headers.get("warc-refers-to-target-uri"),
                headers.get("warc-refers-to-date"),
                headers.get("warc-payload-digest"),
            )
        )
    elif kind in ("response", "resource"):
        seen.record_ids.add(headers.get("warc-record-id", ""))
        seen.digests.add(headers.get("warc-payload-digest", ""))
        seen.captures.add((_without_scheme(headers.get("warc-target-uri")), headers.get("warc-date", "")))


def _without_scheme(url: str | None) -> str:
    """Return a URL with http and https as one, as in replay's search for originals."""
    return (url or "").strip("<>").partition("://")[2]
