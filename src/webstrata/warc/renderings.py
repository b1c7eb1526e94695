"""Records of a page's rendering in the browser, with Browsertrix's names: text, view (screenshot), page info."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from webstrata.errors import WarcError
from webstrata.model.crawl.fetching import FetchResult
from webstrata.warc.reader import ArchiveRecord, Span, iter_span, read_record
from webstrata.warc.record import WarcRecord, resource

VIEW = "urn:view:"
TEXT = "urn:text:"
PAGE_INFO = "urn:pageinfo:"
"""The URLs that a page loaded, as JSON."""
DOCUMENT = "urn:dom:"
"""Our own name, as Browsertrix stores no rendered documents."""

_HTML = "text/html; charset=utf-8"
_SEARCHED_BYTES = 100_000_000
_MAX_TEXT_BYTES = 20_000_000


def rendering_records(result: FetchResult, warcinfo_id: str, page_id: str) -> Iterator[WarcRecord]:
    """Yield the text, the screenshot and the loaded URLs of a rendered page, each linked to the page's own record."""
    if result.rendering is None:
        return
    made = result.fetched_at, warcinfo_id, page_id
    text = result.rendering.text.encode("utf-8", "replace")
    yield resource(f"{TEXT}{result.url}", "text/plain; charset=utf-8", text, *made)
    if result.rendering.screenshot is not None:
        yield resource(f"{VIEW}{result.url}", "image/png", result.rendering.screenshot, *made)
    yield resource(f"{PAGE_INFO}{result.url}", "application/json", _page_info(result), *made)


def document_record(result: FetchResult, warcinfo_id: str) -> WarcRecord | None:
    """Return the record of a page's document after its scripts ran, for the index; None without one.

    It is written before the page's own record, which contains its position.
    """
    if result.rendering is None or not result.rendering.html:
        return None
    html = result.rendering.html
    return resource(f"{DOCUMENT}{result.url}", _HTML, html, result.fetched_at, warcinfo_id)


def find_document(record: ArchiveRecord, most_bytes: int) -> ArchiveRecord | None:
    """Return a page's record with the rendered document as its body; None when there is none at the stated position.

    Tools that copy records copy the header, but not the document to that position.
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
    """Return the rendered text of the page at an offset; None when none was stored.

    It is searched in the following records, as a batch of pages is written before their renderings.
    """
    requested = f"{TEXT}{url}"
    for record in _records_after(warc_path, offset):
        if record.url == requested:
            return record.body_bytes.decode("utf-8", "replace")
    return None


def find_shown(warc_path: Path, offset: int, length: int, url: str) -> list[ArchiveRecord]:
    """Return the rendering records of the page at an offset, without the screenshot's body.

    They are consecutive, and exist only for pages that a browser opened.
    """
    if read_record(warc_path, offset, length, decode=False).rendered_at is None:
        return []
    wanted = [f"{kind}{url}" for kind in (TEXT, VIEW, PAGE_INFO)]
    found: list[ArchiveRecord] = []
    for record in _records_after(warc_path, offset):
        if record.url in wanted:
            found.append(record)
        elif found:
            break
    return found


def find_loaded(warc_path: Path, offset: int, length: int, url: str) -> list[str]:
    """Return the URLs that the page at an offset loaded in a browser; empty when no browser opened it."""
    for record in find_shown(warc_path, offset, length, url):
        if record.url.startswith(PAGE_INFO):
            return _loaded_urls(record.body_bytes)
    return []


def _page_info(result: FetchResult) -> bytes:
    """Return the URLs that a page loaded as Browsertrix's JSON; a POST has its body as a query."""
    rendering = result.rendering
    loaded = (result, *(rendering.resources if rendering else ()))
    urls = {one.capture_url: {"status": one.status, "mime": _mime(one)} for one in loaded}
    info: dict[str, object] = {"url": result.url, "ts": result.fetched_at.isoformat(), "urls": urls}
    if rendering and rendering.problem:
        info["problem"] = rendering.problem
    return json.dumps(info, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _mime(result: FetchResult) -> str:
    return (result.header("content-type") or "").partition(";")[0].strip().lower()


def _loaded_urls(body: bytes) -> list[str]:
    try:
        urls = json.loads(body)["urls"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return []
    return [url for url in urls if isinstance(url, str)] if isinstance(urls, dict) else []


def _records_after(warc_path: Path, offset: int) -> Iterator[ArchiveRecord]:
    size = warc_path.stat().st_size
    span = Span(offset, min(size, offset + _SEARCHED_BYTES), size)
    yield from iter_span(warc_path, span, lambda _damage: None, _most_bytes)


def _most_bytes(mime_type: str | None) -> int:
    return _MAX_TEXT_BYTES if mime_type in {"text/plain", "application/json"} else 0
