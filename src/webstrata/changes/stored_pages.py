"""Captured pages as the index stored them, and as they are compared."""

from dataclasses import dataclass

from webstrata.content.blocks import lines_with_blocks
from webstrata.model.changes import PageLine, PageText


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
    """Return a stored page as it is compared; a text without blocks has lines of no kind."""
    blocks = page.blocks or "o" * (page.text.count("\n") + 1)
    regions = page.regions.ljust(len(blocks), "o")
    lines = (
        PageLine(block.text, block.kind, region, block.is_main)
        for block, region in zip(lines_with_blocks(page.text, blocks), regions, strict=False)
        if block.text
    )
    return PageText(
        title=page.title,
        lines=tuple(lines),
        status_code=page.status_code,
        language=page.language,
        links=page.links,
        images=page.images,
        quality=page.quality,
        quality_kind=page.quality_kind,
    )
