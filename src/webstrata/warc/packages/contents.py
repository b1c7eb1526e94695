"""The contents of a package: complete WARC files, and single records of files that cannot be included completely."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain, count
from pathlib import Path

from webstrata.db.captures import export_records
from webstrata.db.captures.export_records import ExportedFile, ExportedRecord
from webstrata.db.engine import Database
from webstrata.db.retention import tombstones
from webstrata.errors import NotFoundError, OutsideRootError, StorageError, UsageError, WarcError
from webstrata.model.captures import ArchivedCapture
from webstrata.storage.paths import place_of
from webstrata.warc.arc import begins_arc_record
from webstrata.warc.packages.originals import OriginalsSearch
from webstrata.warc.packages.page_records import page_url, records_of_page
from webstrata.warc.parsing import BoundedFile, as_broken, opened, parsed_records
from webstrata.warc.reader import ArchiveRecord
from webstrata.warc.renderings import find_shown
from webstrata.warc.seeking import is_gzip


@dataclass(frozen=True)
class ExportRequest:
    """What to export: captures of a job, of a source's jobs, of a URL, or a snapshot's page with its requisites."""

    job_id: int | None = None
    source_code: str | None = None
    url: str | None = None
    snapshot_id: int | None = None

    def __post_init__(self) -> None:
        """Refuse anything but one of them."""
        if sum(value is not None for value in vars(self).values()) != 1:
            raise UsageError("give one of --job, --source, --url and --snapshot")

    @property
    def filters(self) -> dict[str, object]:
        """Return the request for the export history."""
        named: dict[str, object] = {"job": self.job_id, "source": self.source_code, "url": self.url}
        return named if self.snapshot_id is None else {**named, "snapshot": self.snapshot_id}


@dataclass(frozen=True)
class WholeFile:
    """A WARC file that is copied into a package up to its last acknowledged byte."""

    name: str
    path: Path
    size: int


@dataclass(frozen=True)
class RecordSpan:
    """Where one record is."""

    path: Path
    offset: int
    length: int


@dataclass
class PackageContents:
    """The files and records of a package; its captures are read from the database in parts, as they may be many."""

    title: str
    whole: dict[str, WholeFile]
    """By the path that the database records."""
    spans: dict[tuple[Path, int], RecordSpan] = field(default_factory=dict)
    shown: list[ArchiveRecord] = field(default_factory=list)
    """The texts and screenshots of pages whose records are copied one by one."""
    created: datetime | None = None
    """The time of creation to be written, for packages that must be byte-identical whenever they are made."""

    @property
    def size(self) -> int:
        """Return how many bytes are copied from whole files."""
        return sum(file.size for file in self.whole.values())


class CaptureSource:
    """Reads the captures of a request, and decides which files and records its package contains."""

    def __init__(self, database: Database, archive_root: Path, request: ExportRequest) -> None:
        """Read from an archive; NotFoundError when the job or the source is unknown."""
        self._database = database
        self._archive_root = archive_root
        self._request = request
        with database.read() as session:
            self._withheld = tombstones.places_of_copies(session)
            self._files_with_withheld = {name for name, _ in self._withheld}
            self.jobs = (
                []
                if request.url or request.snapshot_id is not None
                else export_records.jobs_to_export(session, job_id=request.job_id, source_code=request.source_code)
            )

    def contents(self) -> PackageContents:
        """Return the files of the package; StorageError when one is missing."""
        with self._database.read() as session:
            files = export_records.files_to_export(session, [job.id for job in self.jobs])
        contents = PackageContents(self._title(), {})
        names: set[str] = set()
        for file in files:
            self._add(file, contents, names)
        return contents

    def records(self, contents: PackageContents) -> Iterator[ExportedRecord]:
        """Yield the captures of the package; a span is added for captures that are in no whole file."""
        for record in self._records():
            capture = record.capture
            if (capture.warc_path.rpartition("/")[2], capture.offset) in self._withheld:
                continue
            whole = contents.whole.get(capture.warc_path)
            if whole is None:
                self._add_span(record, contents)
                self._add_shown(record, contents)
            elif capture.offset + capture.length > whole.size:
                continue  # It was written after the files were listed.
            yield record

    def originals(
        self, revisits: Iterable[ExportedRecord], contents: PackageContents
    ) -> tuple[list[ExportedRecord], int]:
        """Return the records of other jobs that revisits refer to, and the number of revisits without an original."""
        search = OriginalsSearch(self._database, self._archive_root, self._withheld)
        found, unresolved = search.find(revisits)
        added = []
        for record in found:
            capture = record.capture
            if capture.warc_path not in contents.whole and self._place(capture) not in contents.spans:
                self._add_span(record, contents)
                added.append(record)
        return added, unresolved

    def span_of(self, record: ExportedRecord) -> tuple[Path, int]:
        """Return the key of a record's span."""
        return self._place(record.capture)

    def _place(self, capture: ArchivedCapture) -> tuple[Path, int]:
        return place_of(self._archive_root, capture.warc_path, capture.output_dir), capture.offset

    def _records(self) -> Iterator[ExportedRecord]:
        if self._request.url is not None:
            found = export_records.records_of_url(self._database, self._request.url)
            if not found:
                raise NotFoundError(f"there are no captures of {self._request.url}")
            yield from found
        if self._request.snapshot_id is not None:
            yield from records_of_page(self._database, self._archive_root, self._request.snapshot_id)
        for job in self.jobs:
            yield from export_records.records_of_job(self._database, job.id)

    def _add_span(self, record: ExportedRecord, contents: PackageContents) -> None:
        path, offset = self._place(record.capture)
        contents.spans[path, offset] = RecordSpan(path, offset, record.capture.length)

    def _add_shown(self, record: ExportedRecord, contents: PackageContents) -> None:
        """Add the text and the screenshot of a page, if a browser opened it."""
        path, offset = self._place(record.capture)
        if record.snapshot_id is None or begins_arc(path, offset):
            return
        try:
            found = find_shown(path, offset, record.capture.length, record.capture.url)
        except WarcError:
            # A damaged record is copied unchanged, without its renderings, which cannot be identified.
            return
        for shown in found:
            contents.spans[path, shown.offset] = RecordSpan(path, shown.offset, shown.length)
            contents.shown.append(shown)

    def _add(self, file: ExportedFile, contents: PackageContents, names: set[str]) -> None:
        try:
            path = place_of(self._archive_root, file.path, file.output_dir)
        except OutsideRootError as error:
            raise StorageError(f"job {file.job_id}: {error}") from error
        if not path.is_file():
            raise StorageError(f"{path} of job {file.job_id} is missing: the export would not be complete")
        is_withheld = path.name in self._files_with_withheld
        with opened(path) as opened_file:
            is_packed, is_arc = is_gzip(opened_file.read(3)), begins_arc_record(opened_file, 0)
        if is_packed and not is_arc and not is_withheld:
            name = _free_name(path.name, file.job_id, names)
            contents.whole[file.path] = WholeFile(name, path, file.committed_bytes)
            return
        if not is_arc and not is_withheld:
            spans = plain_records(path, file.committed_bytes)
            contents.spans.update({(span.path, span.offset): span for span in spans})

    def _title(self) -> str:
        if self._request.url is not None:
            return self._request.url
        if self._request.snapshot_id is not None:
            return page_url(self._database, self._request.snapshot_id)
        job = self.jobs[0]
        return f"Job {job.id}: {job.name}" if self._request.source_code is None else f"Source {job.source_code}"


def begins_arc(path: Path, offset: int) -> bool:
    """Return whether the record at an offset is one of an ARC file."""
    with opened(path) as file:
        return begins_arc_record(file, offset)


def plain_records(path: Path, end: int) -> list[RecordSpan]:
    """Return the spans of all records of an uncompressed WARC file."""
    with opened(path) as file, as_broken():
        starts = [record.stream_pos for record in parsed_records(BoundedFile(file, end))]
    return [RecordSpan(path, start, stop - start) for start, stop in zip(starts, [*starts[1:], end], strict=True)]


def _free_name(name: str, job_id: int, names: set[str]) -> str:
    """Return a name that ends like a compressed WARC file's and that no other file of the package has."""
    stem = name if name.endswith(".warc.gz") else f"{name.removesuffix('.gz').removesuffix('.warc')}.warc.gz"
    # As they are needed: a source has thousands of files, nearly all with names of their own.
    numbered = (f"job-{job_id}-{n}-{stem}" for n in count(2))
    free = next(name for name in chain((stem, f"job-{job_id}-{stem}"), numbered) if name not in names)
    names.add(free)
    return free
