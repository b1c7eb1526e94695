"""Writing WACZ files (Web Archive Collection Zipped, 1.1.1): WARC files, their index and their pages in a ZIP file."""

import json
import re
import struct
import zipfile
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import IO

from webstrata import __version__
from webstrata.errors import StorageError
from webstrata.warc.packages.contents import WholeFile
from webstrata.warc.packages.index_lines import CompressedIndex
from webstrata.warc.packages.pages import PageList, moment_text
from webstrata.warc.packages.record_file import COPY_BYTES

WACZ_VERSION = "1.1.1"
_ZIP64_BYTES = 2**31 - 1
"""The largest entry whose header needs no ZIP64 field."""

_PADDING = struct.pack("<HHHH", 0xA220, 4, 0xA028, 0)
"""An extra field with only padding.

If an entry has no extra fields in the ZIP file's directory, wabac.js assumes that its own header has none either; but
that has a ZIP64 field if the size was not known in advance. With this field, wabac.js reads the header.
"""

_NOT_IN_NAMES = re.compile(r"[^a-z0-9._-]")

OnBytes = Callable[[int], None]
"""Progress callback, called with the number of bytes copied since the last call."""


class WaczWriter:
    """Writes a WACZ file entry by entry; WARC files and the index are stored uncompressed, for range requests."""

    def __init__(self, file: IO[bytes], on_bytes: OnBytes, created: datetime | None = None) -> None:
        """Write to an open file; a fixed `created` makes packages of the same contents byte-identical."""
        self._zip = zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True)
        self._on_bytes = on_bytes
        self._created = created or datetime.now(UTC)
        self._resources: list[dict[str, object]] = []

    def add_whole(self, file: WholeFile) -> None:
        """Add a WARC file; StorageError when it is shorter than its acknowledged length."""
        self._add(f"archive/{file.name}", read_whole(file), known=file.size)

    def add_records(self, name: str, pieces: Iterable[bytes]) -> None:
        """Add a WARC file of single records."""
        self._add(f"archive/{name}", pieces)

    def finish(self, title: str, lines: Iterable[bytes], pages: PageList, others: PageList) -> None:
        """Add index, lists of pages and metadata, and end the file."""
        index = CompressedIndex(lines)
        self._add(f"indexes/{index.NAME}", index.pieces())
        self._add("indexes/index.idx", [index.block_list], known=len(index.block_list))
        self._add("pages/pages.jsonl", pages.pieces(), zipfile.ZIP_DEFLATED)
        if others.count:
            self._add("pages/extraPages.jsonl", others.pieces(), zipfile.ZIP_DEFLATED)
        package = json.dumps(self._package(title, pages), indent=2).encode()
        digest = {"path": "datapackage.json", "hash": f"sha256:{sha256(package).hexdigest()}"}
        self._write_text("datapackage.json", package)
        self._write_text("datapackage-digest.json", json.dumps(digest, indent=2).encode())
        self.close()

    def close(self) -> None:
        """Close the file, even if it is incomplete."""
        self._zip.close()

    def _package(self, title: str, pages: PageList) -> dict[str, object]:
        created = self._created.strftime("%Y-%m-%dT%H:%M:%SZ")
        package: dict[str, object] = {
            "profile": "data-package",
            "wacz_version": WACZ_VERSION,
            "title": title,
            "software": f"webstrata {__version__}",
            "created": created,
            "modified": created,
            "resources": self._resources,
        }
        if pages.main is not None:
            package |= {"mainPageUrl": pages.main.capture.url, "mainPageDate": moment_text(pages.main)}
        return package

    def _add(
        self, path: str, pieces: Iterable[bytes], compression: int = zipfile.ZIP_STORED, known: int | None = None
    ) -> None:
        size, digest = self._write(path, pieces, compression, known)
        # Resource names of Frictionless Data Packages must be unique and have only these characters.
        name = f"{len(self._resources)}-{_NOT_IN_NAMES.sub('-', path.rpartition('/')[2].lower())}"
        self._resources.append({"name": name, "path": path, "hash": f"sha256:{digest}", "bytes": size})

    def _write_text(self, path: str, text: bytes) -> None:
        self._write(path, [text], zipfile.ZIP_DEFLATED, len(text))

    def _write(self, path: str, pieces: Iterable[bytes], compression: int, known: int | None = None) -> tuple[int, str]:
        """Write an entry, whose size may be unknown, and return its size and digest."""
        entry = zipfile.ZipInfo(path, self._created.timetuple()[:6])
        entry.compress_type = compression
        if known is None:
            entry.extra = _PADDING
        size, digest = 0, sha256()
        with self._zip.open(entry, "w", force_zip64=known is None or known > _ZIP64_BYTES) as target:
            for piece in pieces:
                target.write(piece)
                digest.update(piece)
                size += len(piece)
                self._on_bytes(len(piece))
        return size, digest.hexdigest()


def read_whole(file: WholeFile) -> Iterator[bytes]:
    """Yield the bytes of a file up to its acknowledged length; StorageError when it is shorter."""
    left = file.size
    try:
        with Path(file.path).open("rb") as source:
            while left > 0 and (data := source.read(min(COPY_BYTES, left))):
                left -= len(data)
                yield data
    except OSError as error:
        raise StorageError(f"{file.path}: {error.strerror or error}") from error
    if left:
        raise StorageError(f"{file.path}: {left} acknowledged bytes are missing")
