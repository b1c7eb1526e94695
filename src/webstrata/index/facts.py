"""The facts of one capture that the index stores, computed before any transaction."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

from webstrata.content.html import make_snippet
from webstrata.content.kinds import PageKind, is_asset_file, page_kind
from webstrata.content.reader.page_requests import ReadPage
from webstrata.content.reading import Body, Reading
from webstrata.db.captures.new_rows import NewCapture
from webstrata.db.search.indexed_words import NewDocument
from webstrata.model.browser.posted import split_posted_url
from webstrata.model.crawl.fetching import REDIRECT_STATUSES
from webstrata.model.quality import Quality
from webstrata.model.urls import parse_url, surt, url_group
from webstrata.warc.reader import ArchiveRecord

_MAX_IDENTIFIER = 256

Read = Callable[[ReadPage], Reading]
"""A function that reads a page, in this process or in one with limits."""


@dataclass(frozen=True)
class PageFacts:
    """The text and metadata extracted from a page."""

    document: NewDocument
    blocks: str
    """The kind of each line of the document's text, one letter per line; see `content/blocks.py`."""
    regions: str
    """The region of each line, one letter per line."""
    fingerprint: int | None
    snippet: str
    language: str | None
    content_hash: str
    mime_type: str | None
    status_code: int | None
    outlinks: tuple[str, ...]
    """The URL groups of the pages that it links to."""
    metadata: str
    """What the page states about itself, as JSON; empty when it states nothing."""
    trouble: str | None
    """Why the page could not be read completely; None when it could."""
    quality: Quality | None = None
    """The quality of the capture."""


@dataclass(frozen=True)
class CaptureFacts:
    """A capture, and the extracted facts of its page when it is one."""

    capture: NewCapture
    page: PageFacts | None


def facts_of(
    record: ArchiveRecord, payload: ArchiveRecord, page_parameters: tuple[str, ...] = (), read: Read = ReadPage.read
) -> CaptureFacts:
    """Return the facts of a record; a revisit's payload is read from its original.

    `page_parameters` are the query parameters that distinguish the source's pages.
    """
    # The response to a POST is data that a page loads; it has no URL that a reader could open.
    kind = _kind(payload) if split_posted_url(record.url) is None else None
    reading = None if kind is None else read(_request(kind, payload, page_parameters))
    is_page = reading is not None and not (record.is_requisite and _replaces_requisite(kind, payload, reading))
    page = _page(payload, reading, page_parameters) if reading is not None and is_page else None
    return CaptureFacts(_capture(record), page)


def _replaces_requisite(kind: PageKind | None, payload: ArchiveRecord, reading: Reading) -> bool:
    """Return whether a server sent a page in place of an image, a style sheet or a script: an error or a start page."""
    if payload.status_code is not None and payload.status_code >= HTTPStatus.BAD_REQUEST:
        return True
    # A PDF that a page embeds is indexed.
    if kind is PageKind.PDF:
        return False
    is_bad = reading.quality is not None and not reading.quality.is_good
    return is_bad or is_asset_file(payload.url)


def _capture(record: ArchiveRecord) -> NewCapture:
    return NewCapture(
        offset=record.offset,
        length=record.length,
        record_id=_indexable(record.warc_record_id) or "",
        record_type=record.record_type,
        url=record.url,
        url_key=surt(record.url),
        captured_at=record.capture_timestamp,
        status_code=record.status_code,
        mime_type=record.mime_type,
        payload_digest=_indexable(record.payload_digest),
        refers_to=_indexable(record.refers_to.record_id) if record.refers_to else None,
        etag=record.headers.get("etag"),
        last_modified=record.headers.get("last-modified"),
        date_source=record.date_source,
    )


def _kind(record: ArchiveRecord) -> PageKind | None:
    if record.status_code in REDIRECT_STATUSES:
        return None
    return page_kind(record.headers.get("content-type"), record.body_bytes, record.url)


def _page(record: ArchiveRecord, reading: Reading, page_parameters: tuple[str, ...]) -> PageFacts:
    return PageFacts(
        document=NewDocument(url_group(record.url, page_parameters), reading.title, reading.text, reading.language),
        blocks=reading.blocks,
        regions=reading.regions,
        fingerprint=reading.fingerprint,
        snippet=make_snippet(reading.text),
        language=reading.language,
        content_hash=hashlib.sha256(record.body_bytes).hexdigest(),
        mime_type=record.mime_type,
        status_code=record.status_code,
        outlinks=reading.outlinks,
        metadata=reading.metadata,
        trouble=reading.trouble,
        quality=reading.quality,
    )


def _request(kind: PageKind, record: ArchiveRecord, page_parameters: tuple[str, ...]) -> ReadPage:
    # Other crawlers store URLs as they found them, such as `http://example.org` without a path.
    url = parse_url(record.url).href
    return ReadPage(
        kind, Body.of_response(url, record.body_bytes, record.status_code, record.all_headers), page_parameters
    )


def _indexable(identifier: str | None) -> str | None:
    """Return an identifier, None when it is too long to be one: databases cannot index long values."""
    return identifier if identifier and len(identifier) <= _MAX_IDENTIFIER else None
