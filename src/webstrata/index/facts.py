"""What the index wants to know of one capture, worked out before any transaction."""

import hashlib
from dataclasses import dataclass

from webstrata.content.html import make_snippet, parse_page
from webstrata.db.captures import NewCapture
from webstrata.db.documents import NewDocument
from webstrata.model.urls import surt, url_group
from webstrata.warc.reader import ArchiveRecord

_MAX_IDENTIFIER = 256


@dataclass(frozen=True)
class PageFacts:
    """What a page says."""

    document: NewDocument
    snippet: str
    language: str | None
    content_hash: str
    mime_type: str | None
    status_code: int | None


@dataclass(frozen=True)
class CaptureFacts:
    """A capture, and what its page says when it is one."""

    capture: NewCapture
    page: PageFacts | None


def facts_of(record: ArchiveRecord, payload: ArchiveRecord) -> CaptureFacts:
    """Return what a record holds; a revisit's payload comes from elsewhere."""
    return CaptureFacts(_capture(record), _page(payload) if payload.is_html else None)


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
    )


def _page(record: ArchiveRecord) -> PageFacts:
    page = parse_page(record.body_bytes, record.headers.get("content-type"))
    text = page.text
    return PageFacts(
        document=NewDocument(url_group(record.url), page.title, text),
        snippet=make_snippet(text),
        language=page.language(record.headers.get("content-language")),
        content_hash=hashlib.sha256(record.body_bytes).hexdigest(),
        mime_type=record.mime_type,
        status_code=record.status_code,
    )


def _indexable(identifier: str | None) -> str | None:
    """Drop an identifier that is none: databases cannot index one of any length."""
    return identifier if identifier and len(identifier) <= _MAX_IDENTIFIER else None
