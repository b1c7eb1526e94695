"""Exports of captures to a WACZ or WARC file: read the captures, copy their records, write the index."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

from webstrata.db.captures.export_records import ExportedRecord
from webstrata.db.engine import Database
from webstrata.errors import NotFoundError
from webstrata.storage.output_file import new_file
from webstrata.warc.packages.contents import CaptureSource, ExportRequest, PackageContents, WholeFile
from webstrata.warc.packages.formats import PackageFormat
from webstrata.warc.packages.index_lines import LineSorter, index_line, shown_line
from webstrata.warc.packages.pages import PageList
from webstrata.warc.packages.record_file import RecordFile
from webstrata.warc.packages.single_warc import SingleWarcWriter
from webstrata.warc.packages.wacz import OnBytes, WaczWriter
from webstrata.warc.writer import Extent

_RECORDS_NAME = "records.warc.gz"
"""The name of the file of single records in a package."""


class PackageWriter(Protocol):
    """Receives the files of a package one after the other."""

    def add_whole(self, file: WholeFile) -> None:
        """Add a WARC file as it is."""

    def add_records(self, name: str, pieces: Iterable[bytes]) -> None:
        """Add a WARC file of single records."""

    def finish(self, title: str, lines: Iterable[bytes], pages: PageList, others: PageList) -> None:
        """Add the index and the lists of pages."""

    def close(self) -> None:
        """Close the file."""


@dataclass
class PackageReport:
    """The numbers of files, captures and pages in a package."""

    files: int = 0
    captures: int = 0
    pages: int = 0
    originals: int = 0
    """Records of other jobs that were added because revisits refer to them."""
    unresolved: int = 0
    """Revisits whose original is not in the archive."""
    bytes: int = 0


OnProgress = Callable[[int, int], None]
"""Progress callback, called with (bytes done, bytes in total)."""

_WRITERS: Mapping[PackageFormat, Callable[[IO[bytes], OnBytes], PackageWriter]] = {
    PackageFormat.WACZ: WaczWriter,
    PackageFormat.WARC: SingleWarcWriter,
}


def export_captures(
    database: Database,
    archive_root: Path,
    request: ExportRequest,
    output: Path,
    package_format: PackageFormat,
    on_progress: OnProgress,
    *,
    force: bool = False,
) -> PackageReport:
    """Write captures to a file, which appears when it is complete.

    ConflictError when the file exists and is not to be replaced; NotFoundError when there is nothing to export.
    """
    source = CaptureSource(database, archive_root, request)
    contents = source.contents()
    make, count = _WRITERS[package_format], _counter(contents.size, on_progress)
    with new_file(output, force=force) as file, closing(make(file, count)) as writer:
        report = write_package(source, contents, writer)
        report.bytes = file.tell()
    return report


def write_package(
    source: CaptureSource,
    contents: PackageContents,
    writer: PackageWriter,
    *,
    records_name: str = _RECORDS_NAME,
    lists_unmodified: bool = True,
) -> PackageReport:
    """Pass the files, the index and the pages of a package to a writer; NotFoundError without any capture.

    Without `lists_unmodified`, the index omits revisits for 304 responses.
    """
    for file in contents.whole.values():
        writer.add_whole(file)
    with ExitStack() as closed_at_end:
        build = _Build(source, contents, lists_unmodified, closed_at_end)
        build.read_captures()
        if not build.report.captures:
            raise NotFoundError(f"{contents.title}: there are no captures to export (webstrata index-job indexes them)")
        if contents.spans:
            records = RecordFile(records_name, list(contents.spans.values()), contents.title, contents.created)
            writer.add_records(records_name, records.pieces())
            build.add_extracted(records, records_name)
        writer.finish(contents.title, build.lines.lines(), build.pages, build.others)
        return build.report


class _Build:
    """Collects the index lines and pages of a package while its captures are read."""

    def __init__(
        self, source: CaptureSource, contents: PackageContents, lists_unmodified: bool, closed_at_end: ExitStack
    ) -> None:
        self._source = source
        self._contents = contents
        self._lists_unmodified = lists_unmodified
        self._extracted: list[ExportedRecord] = []
        self.lines = closed_at_end.enter_context(closing(LineSorter()))
        self.pages = closed_at_end.enter_context(closing(PageList("pages", "All Pages")))
        self.others = closed_at_end.enter_context(closing(PageList("extra-pages", "Other Pages")))
        self.report = PackageReport(files=len(contents.whole))

    def read_captures(self) -> None:
        """Read the captures, then the records of other jobs that revisits among them refer to."""
        revisits = (record for record in self._source.records(self._contents) if self._add(record))
        added, self.report.unresolved = self._source.originals(revisits, self._contents)
        self._extracted += added
        self.report.originals = len(added)

    def add_extracted(self, records: RecordFile, name: str) -> None:
        """Add the index lines of the records that were copied one by one."""
        self.report.files += 1
        for record in self._extracted:
            self._list(record, name, records.extents[self._source.span_of(record)])
        for shown in self._contents.shown:
            self.lines.add(shown_line(shown, name, records.extents[shown.warc_path, shown.offset]))

    def _add(self, record: ExportedRecord) -> bool:
        """Add a capture; return True for a revisit."""
        capture = record.capture
        self.report.captures += 1
        whole = self._contents.whole.get(capture.warc_path)
        if whole is None:
            self._extracted.append(record)
        else:
            self._list(record, whole.name, Extent(capture.offset, capture.length))
        if record.snapshot_id is not None:
            self.report.pages += 1
            (self.others if record.is_error else self.pages).add(record)
        return capture.record_type == "revisit"

    def _list(self, record: ExportedRecord, name: str, extent: Extent) -> None:
        if self._lists_unmodified or not record.is_unmodified:
            self.lines.add(index_line(record, name, extent))


def _counter(total: int, on_progress: OnProgress) -> OnBytes:
    done = 0

    def count(added: int) -> None:
        nonlocal done
        done += added
        on_progress(done, max(done, total))

    return count
