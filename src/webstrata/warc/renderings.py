"""Records of what a browser showed of a page, under the names that Browsertrix gives them."""

from collections.abc import Iterator

from webstrata.model.fetching import FetchResult
from webstrata.warc.record import WarcRecord, resource

VIEW = "urn:view:"
TEXT = "urn:text:"


def rendering_records(result: FetchResult, warcinfo_id: str, page_id: str) -> Iterator[WarcRecord]:
    """Yield the text and the screenshot of a rendered page, each linked to the page's own record."""
    if result.rendering is None:
        return
    made = result.fetched_at, warcinfo_id, page_id
    text = result.rendering.text.encode("utf-8", "replace")
    yield resource(f"{TEXT}{result.url}", "text/plain; charset=utf-8", text, *made)
    if result.rendering.screenshot is not None:
        yield resource(f"{VIEW}{result.url}", "image/png", result.rendering.screenshot, *made)
