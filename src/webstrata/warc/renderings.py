"""Records of what a browser showed of a page, under the names that Browsertrix gives them: text, view, document."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from webstrata.errors import WarcError
from webstrata.model.crawl.fetching import FetchResult
from webstrata.warc.reader import ArchiveRecord, Span, iter_span, read_record
from webstrata.warc.record import WarcRecord, resource

VIEW = "urn:view:"
TEXT = "urn:text:"
DOCUMENT = "urn:dom:"
"""Not one of Browsertrix's names: it stores no rendered documents."""

_HTML = "text/html; charset=utf-8"
_SEARCHED_BYTES = 100_000_000
_MAX_TEXT_BYTES = 20_000_000


def rendering_records(result: FetchResult, warcinfo_id: str, page_id: str) -> Iterator[WarcRecord]:
    """Yield the text and the screenshot of a rendered page, each linked to the page's own record."""
    if result.rendering is None:
        return
    made = result.fetched_at, warcinfo_id, page_id
    text = result.rendering.text.encode("utf-8", "replace")
    yield resource(f"{TEXT}{result.url}", "text/plain; charset=utf-8", text, *made)
    if result.rendering.screenshot is not None:
        yield resource(f"{VIEW}{result.url}", "image/png", result.rendering.screenshot, *made)


def document_record(result: FetchResult, warcinfo_id: str) -> WarcRecord | None:
    """Return the record of a page's document after its scripts ran, for the index; None without one.

    It is written before the page's own record, which then names its place.
    """
    if result.rendering is None or not result.rendering.html:
        return None
    html = result.rendering.html
    return resource(f"{DOCUMENT}{result.url}", _HTML, html, result.fetched_at, warcinfo_id)


def find_document(record: ArchiveRecord, most_bytes: int) -> ArchiveRecord | None:
    """Return a page's record with the rendered document as its body; None when none is stored where it should be.

    Other tools that copy records leave the place in the header, but not the document at that place.
    """
    if record.rendered_at is None or record.rendered_at[1] > most_bytes:
        return None
    try:
        document = read_record(record.warc_path, *record.rendered_at)
    except WarcError:
        return None
    if document.url != f"{DOCUMENT}{record.url}" or len(document.body_bytes) > most_bytes:
        return None
    headers = {name: value for name, value in record.headers.items() if name != "content-encoding"}
    headers["content-type"] = _HTML
    return replace(record, body_bytes=document.body_bytes, headers=headers, omitted_bytes=0, refers_to=None)


def find_text(warc_path: Path, offset: int, url: str) -> str | None:
    """Return the text that a browser showed of the page at an offset; None when none was stored.

    It is looked for among the records that follow: a batch of pages is written before what was shown of them.
    """
    requested = f"{TEXT}{url}"
    for record in _records_after(warc_path, offset):
        if record.url == requested:
            return record.body_bytes.decode("utf-8", "replace")
    return None


def _records_after(warc_path: Path, offset: int) -> Iterator[ArchiveRecord]:
    size = warc_path.stat().st_size
    span = Span(offset, min(size, offset + _SEARCHED_BYTES), size)
    yield from iter_span(warc_path, span, lambda _damage: None, _most_bytes)


def _most_bytes(mime_type: str | None) -> int:
    return _MAX_TEXT_BYTES if mime_type == "text/plain" else 0
