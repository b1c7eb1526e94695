"""Records of what a browser showed of a page, under the names that Browsertrix gives them."""

from collections.abc import Iterator
from pathlib import Path

from webstrata.model.fetching import FetchResult
from webstrata.warc.reader import ArchiveRecord, Span, iter_span
from webstrata.warc.record import WarcRecord, resource

VIEW = "urn:view:"
TEXT = "urn:text:"

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


def find_text(warc_path: Path, offset: int, url: str) -> str | None:
    """Return the text that a browser showed of the page at an offset; None when none was stored.

    It is looked for among the records that follow: a batch of pages is written before what was shown of them.
    """
    wanted = f"{TEXT}{url}"
    for record in _records_after(warc_path, offset):
        if record.url == wanted:
            return record.body_bytes.decode("utf-8", "replace")
    return None


def _records_after(warc_path: Path, offset: int) -> Iterator[ArchiveRecord]:
    size = warc_path.stat().st_size
    span = Span(offset, min(size, offset + _SEARCHED_BYTES), size)
    yield from iter_span(warc_path, span, lambda _damage: None, _most_bytes)


def _most_bytes(mime_type: str | None) -> int:
    return _MAX_TEXT_BYTES if mime_type == "text/plain" else 0
