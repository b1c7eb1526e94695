"""Page lists of WACZ files: pages in pages.jsonl, error pages in extraPages.jsonl."""

import json
import tempfile
from collections.abc import Iterator
from typing import IO

from webstrata.db.captures.export_records import ExportedRecord

_COPY_BYTES = 1_048_576
_IN_MEMORY = 16_777_216


class PageList:
    """Collects the lines of a page list; a long list is written to disk."""

    def __init__(self, identifier: str, title: str) -> None:
        """Begin a list."""
        self._file: IO[bytes] = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - closed by `close`
        self.count = 0
        self.main: ExportedRecord | None = None
        self._write({"format": "json-pages-1.0", "id": identifier, "title": title})

    def add(self, record: ExportedRecord) -> None:
        """Add a page."""
        capture = record.capture
        line = {"id": str(record.snapshot_id), "url": capture.url, "ts": moment_text(record)}
        self._write(line | ({"title": record.title} if record.title else {}))
        self.main = self.main or record
        self.count += 1

    def pieces(self) -> Iterator[bytes]:
        """Yield the list's bytes."""
        self._file.seek(0)
        while data := self._file.read(_COPY_BYTES):
            yield data

    def close(self) -> None:
        """Delete the temporary file."""
        self._file.close()

    def _write(self, line: dict[str, str]) -> None:
        self._file.write(f"{json.dumps(line)}\n".encode())


def moment_text(record: ExportedRecord) -> str:
    """Return the time of a capture in the format of WACZ files."""
    return record.capture.captured_at.strftime("%Y-%m-%dT%H:%M:%SZ")
