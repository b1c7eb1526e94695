"""Reading of one part of a WARC file, without a database: its captures, its problems, and the offset of its end."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from webstrata.content.reader.page_reader import reason_of_failure
from webstrata.content.reader.page_requests import MAX_PAGE_BYTES, ReadPage
from webstrata.db.captures.new_rows import NewCapture, Problem
from webstrata.db.search.indexed_words import PreparedDocument, prepared
from webstrata.errors import WarcError, WebstrataError
from webstrata.index.facts import CaptureFacts, PageFacts, Read, facts_of
from webstrata.model.captures import Original
from webstrata.model.content_types import PDF_TYPES, may_be_page
from webstrata.model.crawl.fetching import REDIRECT_STATUSES
from webstrata.model.quality import Quality
from webstrata.warc.reader import ArchiveRecord, Span, first_record, iter_span, read_record
from webstrata.warc.renderings import find_document

MAX_PDF_BYTES = 64_000_000
_MAX_REASON = 300
_PORTION = 32
_PORTION_CHARACTERS = 500_000
_WEB = ("http://", "https://")
_NEVER_PAGES = ("image/", "video/", "audio/", "font/")

Note = Callable[[int], None]
"""Called with the offset of each record before it is read, so that a record that crashes the reader is known."""


@dataclass(frozen=True)
class ReadingOptions:
    """Options of reading records, the same for all files of a job."""

    for_sqlite: bool
    page_parameters: tuple[str, ...] = ()


@dataclass(frozen=True)
class WarcPart:
    """A part of a file to be read in one go."""

    warc_path: Path
    span: Span
    kind: ReadingOptions
    begins_with_record: bool = True
    """Whether a record is known to begin at the start of the span."""
    deadly: Mapping[int, str] = field(default_factory=dict)
    """Records that crashed a reader, with the error; only their capture is stored."""
    one_by_one: bool = False
    """Whether each record is returned before the next one is read."""


@dataclass(frozen=True)
class Place:
    """The position of a record."""

    warc_path: Path
    offset: int
    length: int


@dataclass(frozen=True)
class Revisit:
    """A revisit, and the position of its payload."""

    place: Place
    payload: Place
    kind: ReadingOptions


@dataclass(frozen=True)
class FoundPage:
    """The extracted text and metadata of a page, as they are stored."""

    document: PreparedDocument
    snippet: str
    language: str | None
    content_hash: str | None
    mime_type: str | None
    status_code: int | None
    outlinks: tuple[str, ...]
    metadata: str = ""
    quality: float | None = None
    quality_kind: str | None = None
    quality_reasons: str | None = None
    """Why it is not a good capture, one sentence per line; None for a good one."""


@dataclass(frozen=True)
class ReadCapture:
    """A capture, the content of its page when it is one, and the capture it refers to when it is a revisit."""

    capture: NewCapture
    page: FoundPage | None = None
    refers_to: Original | None = None
    is_requisite: bool = False
    """Whether it was requested as a requisite of a page."""


@dataclass(frozen=True)
class Portion:
    """Captures and problems of a part, up to a position."""

    found: tuple[ReadCapture, ...]
    problems: tuple[Problem, ...]
    passed_over: tuple[Problem, ...]
    """Records that were skipped because they are not captures of web addresses."""
    position: int


@dataclass(frozen=True)
class PartStart:
    """The offset of a part's first record, if it has one."""

    at: int | None


@dataclass(frozen=True)
class PartEnd:
    """The offset of the first record after a part."""

    at: int


Item = PartStart | Portion | PartEnd


def read_part(part: WarcPart, note: Note = lambda offset: None, read: Read = ReadPage.read) -> Iterator[Item]:
    """Yield the contents of a part: its start, its portions, its end."""
    begins = part.span.start if part.begins_with_record else first_record(part.warc_path, part.span)
    yield PartStart(begins)
    if begins is None:
        return
    reading = _PartReading(part.kind, part.deadly, note, read)
    records = iter_span(
        part.warc_path, replace(part.span, start=begins), lambda damage: reading.trouble(damage.offset, damage.reason),
        _most_bytes,
    )  # fmt: skip
    ends = begins
    try:
        while True:
            record = next(records)
            reading.take(record)
            if reading.is_full or part.one_by_one:
                yield reading.portion(record.offset + record.length)
    except StopIteration as stop:
        ends = stop.value
    yield reading.portion(ends)
    yield PartEnd(ends)


def read_revisit(revisit: Revisit, read: Read = ReadPage.read) -> ReadCapture:
    """Return what a revisit captured, with the payload that it refers to; WarcError when either cannot be read."""
    record = read_record(revisit.place.warc_path, revisit.place.offset, revisit.place.length)
    original = read_record(revisit.payload.warc_path, revisit.payload.offset, revisit.payload.length)
    fitting = len(original.body_bytes) <= _most_bytes(original.mime_type)
    payload = replace(
        record,
        body_bytes=original.body_bytes if fitting else b"",
        headers=original.headers,
        status_code=original.status_code,
    )
    try:
        facts = facts_of(record, payload, revisit.kind.page_parameters, read)
    except Exception as error:  # pages are hostile: a failure affects only the page itself
        raise WarcError(f"{revisit.place.warc_path}: {reason_of_failure(error)}") from error
    return _found(record, facts, revisit.kind)


@dataclass
class _PartReading:
    """The captures and problems that are collected for the next portion of a part."""

    kind: ReadingOptions
    deadly: Mapping[int, str]
    note: Note
    read: Read
    found: list[ReadCapture] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    passed_over: list[Problem] = field(default_factory=list)
    characters: int = 0

    @property
    def is_full(self) -> bool:
        return len(self.found) >= _PORTION or self.characters >= _PORTION_CHARACTERS

    def trouble(self, offset: int, reason: str) -> None:
        self.problems.append(Problem(offset, reason))

    def take(self, record: ArchiveRecord) -> None:
        self.note(record.offset)
        if not record.url.lower().startswith(_WEB):
            self.passed_over.append(Problem(record.offset, f"{record.url[:200]!r} is not a web address"))
            return
        rendered = None if record.offset in self.deadly else find_document(record, MAX_PAGE_BYTES)
        facts = self._facts(record, rendered)
        if facts is not None:
            # The page is what a browser rendered, even if the response's payload is in another record.
            self.found.append(_found(rendered or record, facts, self.kind))
            if facts.page is not None and facts.page.trouble:
                self.trouble(record.offset, facts.page.trouble)
            self.characters += len(facts.page.document.text) if facts.page else 0

    def portion(self, position: int) -> Portion:
        made = Portion(tuple(self.found), tuple(self.problems), tuple(self.passed_over), position)
        self.found, self.problems, self.passed_over, self.characters = [], [], [], 0
        return made

    def _facts(self, record: ArchiveRecord, rendered: ArchiveRecord | None) -> CaptureFacts | None:
        """Return the facts of a record; for one that cannot be parsed, at least that it exists."""
        if record.offset in self.deadly:
            self.trouble(record.offset, self.deadly[record.offset])
        elif rendered is None and record.omitted_bytes and _may_be_page(record):
            self.trouble(record.offset, f"a page of {record.omitted_bytes} bytes is larger than what is indexed")
        elif rendered is not None or record.refers_to is None:
            try:
                return facts_of(record, rendered or record, self.kind.page_parameters, self.read)
            except Exception as error:  # noqa: BLE001 - pages are hostile: whatever one does costs only itself
                self.trouble(record.offset, reason_of_failure(error))
        try:
            return facts_of(record, replace(record, body_bytes=b""), self.kind.page_parameters)
        except (WebstrataError, ValueError) as error:
            if not self.problems or self.problems[-1].offset != record.offset:
                self.trouble(record.offset, str(error))
            return None


def _found(record: ArchiveRecord, facts: CaptureFacts, kind: ReadingOptions) -> ReadCapture:
    page = None if facts.page is None else _page(facts.page, kind)
    return ReadCapture(facts.capture, page, record.refers_to, record.is_requisite)


def _page(page: PageFacts, kind: ReadingOptions) -> FoundPage:
    quality = page.quality
    return FoundPage(
        document=prepared(
            page.document,
            for_sqlite=kind.for_sqlite,
            blocks=page.blocks,
            regions=page.regions,
            fingerprint=page.fingerprint,
        ),
        snippet=page.snippet,
        language=page.language,
        content_hash=page.content_hash,
        mime_type=page.mime_type,
        status_code=page.status_code,
        outlinks=page.outlinks,
        metadata=page.metadata,
        quality=quality.quality if quality else None,
        quality_kind=quality.kind.value if quality else None,
        quality_reasons=stored_reasons(quality) if quality else None,
    )


def stored_reasons(quality: Quality) -> str | None:
    """Return the reasons of a problem, one sentence per line, without characters that databases refuse."""
    if quality.quality >= 1:
        return None
    flat = "\n".join(" ".join(reason.split())[:_MAX_REASON] for reason in quality.reasons)
    return flat.replace("\0", "").encode("utf-8", "replace").decode()


def _may_be_page(record: ArchiveRecord) -> bool:
    return may_be_page(record.mime_type) and record.status_code not in REDIRECT_STATUSES


def _most_bytes(mime_type: str | None) -> int:
    if mime_type is not None and mime_type.startswith(_NEVER_PAGES):
        return 0
    return MAX_PDF_BYTES if mime_type in PDF_TYPES else MAX_PAGE_BYTES


def parts_of(warc_path: Path, kind: ReadingOptions, start: int, end: int, size: int | None) -> Sequence[WarcPart]:
    """Split a file into parts of about a given size; None leaves it whole."""
    step = max(size or end, 1)
    starts = range(start, end, step) or range(start, start + 1)
    return [
        WarcPart(warc_path, Span(begin, min(begin + step, end), end), kind, begins_with_record=begin == start)
        for begin in starts
    ]
