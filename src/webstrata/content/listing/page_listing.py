"""Reads the listing of an HTML page, and adds it to the stored metadata of pages."""

import json

from webstrata.content.html import HtmlPage
from webstrata.content.language import tag_to_language
from webstrata.content.listing.reader import ListedPage, read_listing
from webstrata.content.tree import Document
from webstrata.model.collections.listing import Listing
from webstrata.model.collections.listing_json import listing_as_json

_FIRST = '{"listing":'


def listing_of_page(tree: Document, page: HtmlPage, url: str) -> Listing | None:
    """Return the listing of a page; None when it is neither a product nor a property page."""
    return read_listing(
        tree,
        ListedPage(url, page.title, page.text, page.blocks, tag_to_language(page.stated_language), page.metadata),
    )


def metadata_with_listing(metadata: str, listing: Listing | None) -> str:
    """Return the metadata of a page, as JSON, with its listing first; empty when the page has neither."""
    if not metadata and listing is None:
        return ""
    stated = json.dumps(listing_as_json(listing) if listing else None, ensure_ascii=False, separators=(",", ":"))
    rest = f",{metadata[1:]}" if metadata else "}"
    return f"{_FIRST}{stated}{rest}"
