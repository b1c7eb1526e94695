"""Writing all records of a package into one WARC file."""

from collections.abc import Iterable
from typing import IO

from webstrata.warc.packages.contents import WholeFile
from webstrata.warc.packages.pages import PageList
from webstrata.warc.packages.wacz import OnBytes, read_whole


class SingleWarcWriter:
    """Appends WARC files to each other: every record is a gzip member of its own, so the result is a WARC file."""

    def __init__(self, file: IO[bytes], on_bytes: OnBytes) -> None:
        """Write to an open file."""
        self._file = file
        self._on_bytes = on_bytes

    def add_whole(self, file: WholeFile) -> None:
        """Append a WARC file; StorageError when it is shorter than its acknowledged length."""
        self.add_records(file.name, read_whole(file))

    def add_records(self, name: str, pieces: Iterable[bytes]) -> None:
        """Append single records."""
        for piece in pieces:
            self._file.write(piece)
            self._on_bytes(len(piece))

    def finish(self, title: str, lines: Iterable[bytes], pages: PageList, others: PageList) -> None:
        """End the file; it has neither an index nor a list of pages."""

    def close(self) -> None:
        """Close the file."""
