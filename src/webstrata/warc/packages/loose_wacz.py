"""Makes WACZ files from WARC files that are not in the database, such as those of an audit session."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import IO

from webstrata.db.captures.export_records import ExportedRecord
from webstrata.errors import UsageError
from webstrata.model.captures import ArchivedCapture
from webstrata.model.urls import bounded, surt
from webstrata.warc.packages.contents import WholeFile
from webstrata.warc.packages.index_lines import LineSorter, index_line
from webstrata.warc.packages.pages import PageList
from webstrata.warc.packages.wacz import WaczWriter
from webstrata.warc.reader import ArchiveRecord, iter_records
from webstrata.warc.writer import Extent


def write_loose_wacz(file: IO[bytes], warcs: Sequence[Path], title: str, page_urls: Collection[str] = ()) -> int:
    """Write a WACZ file of whole WARC files and return how many captures it has; WarcError when one is damaged.

    The captures of `page_urls` are listed as its pages; without any, all HTML pages are.
    """
    captures = 0
    with (
        closing(LineSorter()) as lines,
        closing(PageList("pages", "All Pages")) as pages,
        closing(PageList("extra-pages", "Other Pages")) as others,
        closing(WaczWriter(file, lambda _bytes: None)) as writer,
    ):
        for warc in warcs:
            writer.add_whole(WholeFile(warc.name, warc, warc.stat().st_size))
            for record, exported in _captures(warc, captures):
                captures += 1
                lines.add(index_line(exported, warc.name, Extent(record.offset, record.length)))
                if _is_page(record, page_urls):
                    (others if exported.is_error else pages).add(exported)
        writer.finish(title, lines.lines(), pages, others)
    return captures


def _captures(warc: Path, before: int) -> Iterator[tuple[ArchiveRecord, ExportedRecord]]:
    for number, record in enumerate(iter_records(warc), before + 1):
        capture = ArchivedCapture(
            id=number,
            url_key=_key(record.url),
            captured_at=record.capture_timestamp,
            url=record.url,
            mime_type=record.mime_type,
            status_code=record.status_code,
            payload_digest=record.payload_digest,
            record_type=record.record_type,
            record_id=record.warc_record_id or "",
            offset=record.offset,
            length=record.length,
            warc_path=warc.name,
            output_dir="",
            job_id=0,
        )
        yield record, ExportedRecord(capture, source_id=0, refers_to=None, snapshot_id=number, title=None)


def _is_page(record: ArchiveRecord, page_urls: Collection[str]) -> bool:
    return record.url in page_urls if page_urls else record.record_type == "response" and record.is_html


def _key(url: str) -> str:
    """Return the key of a capture in the index; for addresses such as `urn:text:…`, the address itself."""
    try:
        return surt(url)
    except UsageError:
        return bounded(url)
