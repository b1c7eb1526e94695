"""A WARC file made of single records from other files, each its own gzip member."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from webstrata import __version__
from webstrata.errors import WarcError
from webstrata.warc.arc import PackedTogetherError, arc_record, begins_arc_record
from webstrata.warc.packages.contents import RecordSpan
from webstrata.warc.parsing import BrokenError, opened
from webstrata.warc.record import WarcRecord, warcinfo
from webstrata.warc.record_block import MAX_BLOCK_BYTES
from webstrata.warc.seeking import is_gzip
from webstrata.warc.writer import Extent

COPY_BYTES = 1_048_576


class RecordFile:
    """Yields the bytes of a new WARC file; afterwards `extents` has the new place of every record."""

    def __init__(self, name: str, spans: Iterable[RecordSpan], title: str, created: datetime | None = None) -> None:
        """Write records in the given order; with a fixed time of creation, the same records give the same bytes."""
        self._created = created
        self._name = name
        self._spans = spans
        self._title = title
        self.extents: dict[tuple[Path, int], Extent] = {}
        self.size = 0

    def pieces(self) -> Iterator[bytes]:
        """Yield the file's bytes; WarcError when a record cannot be read."""
        fields = [
            ("software", f"webstrata/{__version__}"),
            ("format", "WARC File Format 1.1"),
            ("isPartOf", self._title),
        ]
        named = f"{self._title} {self._created}"
        record_id = None if self._created is None else uuid5(NAMESPACE_URL, named).urn
        opening = warcinfo(self._name, self._created or datetime.now(UTC), fields, record_id and f"<{record_id}>")
        yield from self._count_bytes(opening.compressed())
        for span in self._spans:
            start = self.size
            yield from self._count_bytes(_member(span))
            self.extents[span.path, span.offset] = Extent(start, self.size - start)

    def _count_bytes(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            self.size += len(piece)
            yield piece


def _member(span: RecordSpan) -> Iterator[bytes]:
    """Yield a record as a gzip member: as it is, or compressed, or converted from ARC."""
    with opened(span.path) as file:
        if begins_arc_record(file, span.offset):
            try:
                data = arc_record(file, span.offset, MAX_BLOCK_BYTES).as_warc
            except (BrokenError, PackedTogetherError) as error:
                raise WarcError(f"{span.path}: byte {span.offset}: {error}") from error
            yield from WarcRecord("", (data,)).compressed()
            return
        file.seek(span.offset)
        first = file.read(min(COPY_BYTES, span.length))
        if not is_gzip(first):
            yield from WarcRecord("", (first, file.read(span.length - len(first)))).compressed()
            return
        yield first
        left = span.length - len(first)
        while left > 0 and (data := file.read(min(COPY_BYTES, left))):
            left -= len(data)
            yield data
    if left:
        raise WarcError(f"{span.path}: byte {span.offset}: the file ends in the middle of this record")
