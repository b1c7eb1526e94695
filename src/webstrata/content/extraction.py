"""The output of `extract` for a saved page, from one parse: its text, main part, dates and listing."""

from dataclasses import dataclass

from webstrata.content.blocks import main_text
from webstrata.content.charset import text_of
from webstrata.content.html import page_of_tree
from webstrata.content.listing.page_listing import listing_of_page
from webstrata.content.main_content import main_content
from webstrata.content.published import DatedPage, published_date
from webstrata.content.reading import Body
from webstrata.content.tree import parse_html
from webstrata.model.collections.listing import Listing


@dataclass(frozen=True)
class PageExtract:
    """The text of a page and the listing on it."""

    title: str
    text: str
    """What a reader sees, a block a line."""
    main_text: str
    """The article or main part, without menus, teasers and footers."""
    language: str | None
    published: str | None
    """When the page states that it was published: a date or a moment as in ISO 8601."""
    listing: Listing | None


def extract_page(body: Body) -> PageExtract:
    """Return the text of an HTML page and the listing on it."""
    source = text_of(body.content, body.content_type)
    tree = parse_html(source)
    page = page_of_tree(tree, source)
    listing = listing_of_page(tree, page, body.url)
    main = main_content(tree, page.title) or main_text(page.text, page.blocks)
    language = page.language(body.content_language)
    return PageExtract(
        title=page.title,
        text=page.text,
        main_text=main,
        language=language,
        published=published_date(
            tree,
            DatedPage(body.url, page.text, page.regions, language, main, page.metadata),
            is_listing=listing is not None,
        ),
        listing=listing,
    )


def read_page_listing(body: Body) -> Listing | None:
    """Return what an HTML page offers, None when it is neither a product's nor a property's page."""
    source = text_of(body.content, body.content_type)
    tree = parse_html(source)
    return listing_of_page(tree, page_of_tree(tree, source), body.url)
