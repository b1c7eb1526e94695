"""When a page was published: as it states, else by its time elements, its address and the dates in its text."""

from webstrata.content.metadata import HtmlMetadata
from webstrata.content.tree import publication_date

_ARTICLE = 500
"""Characters of main text from which a date in the text is taken for that of the article."""


def published_date(source: str, metadata: HtmlMetadata, main_text: str, *, is_listing: bool) -> str | None:
    """Return when a page was published: as it states it, or a day as in ISO 8601; None when unknown."""
    # A product page without a stated date shows those of reviews and deliveries.
    if metadata.published or is_listing:
        return metadata.published
    found = publication_date(source, reads_text=len(main_text) >= _ARTICLE)
    return found.date if found else None
