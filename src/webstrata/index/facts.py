"""What the index wants to know of one capture, worked out before any transaction."""

import hashlib
from dataclasses import dataclass

from webstrata.content.html import make_snippet, parse_page
from webstrata.db.captures import NewCapture
from webstrata.db.documents import NewDocument
from webstrata.model.urls import surt, url_group
from webstrata.warc.reader import ArchiveRecord


@dataclass(frozen=True)
class PageFacts:
    """What a page says."""

    document: NewDocument
    snippet: str
    language: str | None
    content_hash: str


@dataclass(frozen=True)
class CaptureFacts:
    """A capture, and what its page says when it is one."""

    capture: NewCapture
    page: PageFacts | None


def facts_of(record: ArchiveRecord) -> CaptureFacts:
    """Return what a record holds."""
    return CaptureFacts(_capture(record), _page(record) if record.is_html else None)


def _capture(record: ArchiveRecord) -> NewCapture:
    return NewCapture(
        offset=record.offset,
        length=record.length,
        record_id=record.warc_record_id or "",
        record_type=record.record_type,
        url=record.url,
        url_key=surt(record.url),
        captured_at=record.capture_timestamp,
        status_code=record.status_code,
        mime_type=record.mime_type,
        payload_digest=record.payload_digest,
    )


def _page(record: ArchiveRecord) -> PageFacts:
    page = parse_page(record.body_bytes, record.headers.get("content-type"))
    text = _storable(page.text)
    return PageFacts(
        document=NewDocument(url_group(record.url), _storable(page.title), text),
        snippet=make_snippet(text),
        language=page.language(record.headers.get("content-language")),
        content_hash=hashlib.sha256(record.body_bytes).hexdigest(),
    )


def _storable(text: str) -> str:
    """Drop the one character that PostgreSQL cannot store."""
    return text.replace("\0", "")
