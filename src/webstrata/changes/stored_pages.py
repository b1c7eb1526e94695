"""Captured pages from the index, converted to the form for comparison."""

from dataclasses import dataclass

from webstrata.content.comparing.page_text import image_names, page_lines
from webstrata.model.changes.values import PageText


@dataclass(frozen=True)
class StoredPage:
    """A captured page as the index stored it; it is sent to the process that compares."""

    title: str
    text: str
    blocks: str
    regions: str
    status_code: int | None
    language: str | None
    links: frozenset[str]
    images: frozenset[str]
    quality: float
    quality_kind: str


def page_text(page: StoredPage) -> PageText:
    """Return a stored page in the form for comparison."""
    return PageText(
        title=page.title,
        lines=tuple(page_lines(page.text, page.blocks, page.regions)),
        status_code=page.status_code,
        language=page.language,
        links=page.links,
        images=image_names(page.images),
        quality=page.quality,
        quality_kind=page.quality_kind,
    )
