"""Loads the pages of pairs: from the index, or from the WARC if another version of the index read them."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import structlog

from webstrata.changes.stored_pages import StoredPage
from webstrata.content.decode import decoded
from webstrata.content.kinds import PageKind, page_kind
from webstrata.content.reader.page_reader import PageReader
from webstrata.content.reader.page_requests import ReadPage
from webstrata.content.reading import Body, Reading
from webstrata.db.captures import page_metadata, snapshots
from webstrata.db.changes import changes
from webstrata.db.changes.changes import ComparedSnapshot, StoredText
from webstrata.db.engine import Database
from webstrata.db.operations import catalog
from webstrata.errors import UsageError, WebstrataError
from webstrata.model.crawl.fetching import FetchResult
from webstrata.storage.paths import place_of
from webstrata.warc.reader import read_record
from webstrata.warc.revisits import with_payload

log = structlog.get_logger()

MAX_LIVE_BYTES = 20_000_000
"""The largest size of a live page after decompression."""

_GOOD = range(200, 300)


@dataclass(frozen=True)
class _Content:
    """The text and the quality of a captured page."""

    text: StoredText
    quality: float
    quality_kind: str


@dataclass(frozen=True)
class PageLoader:
    """Loads pages for comparisons."""

    database: Database
    archive_root: Path
    reader: PageReader
    index_version: int

    def load(self, requested: Collection[ComparedSnapshot]) -> dict[int, StoredPage]:
        """Return the pages of snapshots, by the snapshots' ids."""
        with self.database.read() as session:
            texts = changes.load_texts(session, {one.document_id for one in requested if one.document_id is not None})
            holders = {one.outlinks_from for one in requested if one.outlinks_from is not None}
            linked = snapshots.linked_pages(session, holders)
            stated = {one.content_hash for one in requested if one.content_hash is not None}
            images = page_metadata.load_images(session, stated)
        return {
            one.id: _stored_page(
                one,
                self._content(one, texts),
                frozenset(linked.get(one.outlinks_from or 0, ())),
                images.get(one.content_hash or "", frozenset()),
            )
            for one in requested
        }

    def read_live(self, live: FetchResult) -> StoredPage:
        """Return a live page; UsageError when it cannot be compared."""
        content_type = live.header("content-type")
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in live.headers}
        body = decoded(live.body, live.header_lines("content-encoding"), MAX_LIVE_BYTES)
        kind = page_kind(content_type, body, live.url)
        if kind is None:
            raise UsageError(
                f"{live.url} is not a page that can be compared (its type is {content_type or 'not stated'})"
            )
        reading = self.reader.page(ReadPage(kind, Body.of_response(live.url, body, live.status, headers)))
        quality, quality_kind = _quality_of_reading(reading, live.status)
        return StoredPage(
            title=reading.title,
            text=reading.text,
            blocks=reading.blocks,
            regions=reading.regions,
            status_code=live.status,
            language=reading.language,
            links=frozenset(),
            images=frozenset(),
            quality=quality,
            quality_kind=quality_kind,
        )

    def _content(self, snapshot: ComparedSnapshot, texts: dict[int, StoredText]) -> _Content:
        """Return the text and the quality of a page, as computed by this version of the index."""
        text = texts.get(snapshot.document_id or 0, StoredText(snapshot.title or "", "", "", ""))
        stored = _Content(text, *quality_of(snapshot))
        if snapshot.index_version in (None, self.index_version):
            return stored
        reading = self._read_again(snapshot)
        if reading is None:
            return stored
        text = StoredText(reading.title, reading.text, reading.blocks, reading.regions)
        return _Content(text, *_quality_of_reading(reading, snapshot.status_code))

    def _read_again(self, snapshot: ComparedSnapshot) -> Reading | None:
        """Read a page again from its WARC, as another version of the index may have returned another text."""
        with self.database.read() as session:
            place = catalog.record_place(session, snapshot.id)
        if place is None or place.offset is None:
            return None
        try:
            path = place_of(self.archive_root, place.warc_path, place.output_dir)
            record = with_payload(read_record(path, place.offset, place.length), self.database, self.archive_root)
            kind = page_kind(record.headers.get("content-type"), record.body_bytes, record.url) or PageKind.HTML
            body = Body.of_response(record.url, record.body_bytes, record.status_code, record.all_headers)
            return self.reader.page(ReadPage(kind, body))
        except WebstrataError as error:
            log.warning("changes.page.not_read_again", snapshot_id=snapshot.id, reason=str(error))
            return None


def quality_of(snapshot: ComparedSnapshot) -> tuple[float, str]:
    """Return the quality of a capture and its kind; from its HTTP status when the index did not compute it."""
    if snapshot.quality is not None:
        return snapshot.quality, snapshot.quality_kind or "page"
    return _quality_of_status(snapshot.status_code)


def _quality_of_status(status: int | None) -> tuple[float, str]:
    return (1.0, "page") if status is None or status in _GOOD else (0.0, "error")


def _quality_of_reading(reading: Reading, status: int | None) -> tuple[float, str]:
    judged = reading.quality
    return _quality_of_status(status) if judged is None else (judged.quality, judged.kind.value)


def _stored_page(
    snapshot: ComparedSnapshot, content: _Content, links: frozenset[str], images: frozenset[str]
) -> StoredPage:
    text = content.text
    return StoredPage(
        title=text.title,
        text=text.text,
        blocks=text.blocks or "",
        regions=text.regions or "",
        status_code=snapshot.status_code,
        language=snapshot.language,
        links=links,
        images=images,
        quality=content.quality,
        quality_kind=content.quality_kind,
    )
