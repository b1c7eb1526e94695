"""What lies in WARC files, read without the product's own reader: gzip member by gzip member."""

import zlib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Record:
    """One record, and where its gzip member lies."""

    offset: int
    length: int
    headers: dict[str, str]
    block: bytes

    @property
    def kind(self) -> str:
        """Return the record's type."""
        return self.headers["WARC-Type"]

    @property
    def url(self) -> str:
        """Return what the record is about."""
        return self.headers["WARC-Target-URI"]


class BrokenWarcError(AssertionError):
    """A file holds something that is no whole record."""


def records(file: Path) -> list[Record]:
    """Return every record of a file; BrokenWarcError unless the file consists of whole ones to its last byte."""
    data, offset, found = file.read_bytes(), 0, []
    while offset < len(data):
        unpacking = zlib.decompressobj(31)
        try:
            record = unpacking.decompress(data[offset:])
        except zlib.error as error:
            raise BrokenWarcError(f"{file}: no gzip member at byte {offset}") from error
        if not unpacking.eof:
            raise BrokenWarcError(f"{file}: the gzip member at byte {offset} is cut off")
        length = len(data) - offset - len(unpacking.unused_data)
        found.append(_record(file, offset, length, record))
        offset += length
    return found


def _record(file: Path, offset: int, length: int, record: bytes) -> Record:
    head, _, rest = record.partition(b"\r\n\r\n")
    version, *lines = head.decode().split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    size = int(headers["Content-Length"])
    if version != "WARC/1.1" or rest[size:] != b"\r\n\r\n":
        raise BrokenWarcError(f"{file}: the record at byte {offset} is not whole")
    return Record(offset, length, headers, rest[:size])
