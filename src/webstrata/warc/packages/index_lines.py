"""CDXJ lines of a package, sorted, and the compressed index of a WACZ file."""

import gzip
import heapq
import json
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from hashlib import sha256
from itertools import islice
from typing import IO

from webstrata.db.captures.export_records import ExportedRecord
from webstrata.model.browser.posted import split_posted_url
from webstrata.model.timestamps import fourteen_digits
from webstrata.warc.reader import ArchiveRecord
from webstrata.warc.writer import Extent

LINES_IN_BLOCK = 3_000
"""The number of lines in a gzip member of the index; for a URL, a reader loads one member."""

_LINES_IN_MEMORY = 200_000

_IP_ADDRESS = re.compile(r"^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?=[:)])")
"""The IP address at the beginning of a key; pywb and wabac.js reverse it like a host name."""


def index_line(record: ExportedRecord, filename: str, extent: Extent) -> bytes:
    """Return the CDXJ line of a capture at its place in a package, with its end."""
    capture = record.capture
    is_revisit = capture.record_type == "revisit"
    fields = {
        "url": capture.url,
        "mime": "warc/revisit" if is_revisit else (capture.mime_type or "unk").replace(" ", "") or "unk",
        # wabac.js replays a revisit with status 304 as an empty response.
        "status": "" if record.replayed_status is None else str(record.replayed_status),
        "digest": capture.payload_digest or "",
        "length": str(extent.length),
        "offset": str(extent.offset),
        "filename": filename,
    }
    if (posted := split_posted_url(capture.url)) is not None:
        # In the form of wabac.js and cdxj-indexer, so that other replay tools find the response.
        fields |= dict(zip(("url", "method", "requestBody"), posted, strict=True))
    key = _IP_ADDRESS.sub(r"\4,\3,\2,\1", capture.url_key.replace(" ", "%20"))
    return f"{key} {capture.timestamp} {json.dumps(fields)}\n".encode("utf-8", "replace")


def shown_line(record: ArchiveRecord, filename: str, extent: Extent) -> bytes:
    """Return the CDXJ line of a page's text or screenshot, which is found by its `urn:` address."""
    fields = {
        "url": record.url,
        "mime": record.mime_type or "unk",
        "status": "200",
        "digest": record.payload_digest or "",
        "length": str(extent.length),
        "offset": str(extent.offset),
        "filename": filename,
    }
    key, moment = record.url.replace(" ", "%20"), fourteen_digits(record.capture_timestamp)
    return f"{key} {moment} {json.dumps(fields)}\n".encode("utf-8", "replace")


class LineSorter:
    """Sorts any number of lines as bytes; large numbers are sorted on disk."""

    def __init__(self) -> None:
        """Begin without lines."""
        self._files = ExitStack()
        self._runs: list[IO[bytes]] = []
        self._lines: list[bytes] = []

    def add(self, line: bytes) -> None:
        """Add a line with its line end."""
        self._lines.append(line)
        if len(self._lines) >= _LINES_IN_MEMORY:
            run = self._files.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - closed by `close`
            run.writelines(sorted(self._lines))
            self._runs.append(run)
            self._lines.clear()

    def lines(self) -> Iterator[bytes]:
        """Yield all lines in order, equal ones once."""
        for run in self._runs:
            run.seek(0)
        last = b""
        for line in heapq.merge(sorted(self._lines), *self._runs):
            if line != last:
                yield line
            last = line

    def close(self) -> None:
        """Delete the temporary file."""
        self._files.close()


class CompressedIndex:
    """The index of a WACZ file: blocks of compressed CDXJ lines, and a list of the blocks."""

    NAME = "index.cdx.gz"

    def __init__(self, lines: Iterable[bytes]) -> None:
        """Add lines in order."""
        self._lines = iter(lines)
        self._blocks = [f"!meta 0 {json.dumps({'format': 'cdxj-gzip-1.0', 'filename': self.NAME})}\n".encode()]

    def pieces(self) -> Iterator[bytes]:
        """Yield the blocks."""
        offset = 0
        while block := list(islice(self._lines, LINES_IN_BLOCK)):
            packed = gzip.compress(b"".join(block), mtime=0)
            digest = f"sha256:{sha256(packed).hexdigest()}"
            place = {"offset": offset, "length": len(packed), "digest": digest, "filename": self.NAME}
            key, moment, _ = block[0].split(b" ", 2)
            self._blocks.append(b"%s %s %s\n" % (key, moment, json.dumps(place).encode()))
            offset += len(packed)
            yield packed

    @property
    def block_list(self) -> bytes:
        """Return the list of blocks (index.idx), after all blocks were read."""
        return b"".join(self._blocks)
