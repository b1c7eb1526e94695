"""Captured pages as they are compared: lines with their kinds and regions, links and images."""

import json
from collections.abc import Iterable, Iterator

from webstrata.content.blocks import CELL, PARAGRAPH, ROW, Region, lines_with_blocks, without_cells
from webstrata.content.reading import Reading
from webstrata.model.changes import PageLine, PageText


def page_text(
    reading: Reading, *, status_code: int | None = 200, quality: float = 1.0, quality_kind: str = "page"
) -> PageText:
    """Return a page that was read, as it is compared."""
    stated = json.loads(reading.metadata) if reading.metadata else {}
    return PageText(
        title=reading.title,
        lines=tuple(page_lines(reading.text, reading.blocks, reading.regions)),
        status_code=status_code,
        language=reading.language,
        links=frozenset(reading.outlinks),
        images=image_names(stated.get("images", ())),
        quality=quality,
        quality_kind=quality_kind,
    )


def page_lines(text: str, blocks: str, regions: str = "") -> Iterator[PageLine]:
    """Yield the lines of a text with their kinds and regions; lines without a stored kind are paragraphs."""
    count = text.count("\n") + 1 if text else 0
    kinds = blocks[:count].ljust(count, PARAGRAPH)
    regions = regions[:count].ljust(count, Region.UNSTATED)
    columns: tuple[str, ...] = ()
    for block, region in zip(lines_with_blocks(text, kinds), regions, strict=False):
        if block.kind != ROW:
            columns = ()
        if CELL not in block.text:
            yield PageLine(block.text, block.kind, region, block.is_main)
            continue
        cells = tuple(block.text.removesuffix(CELL).split(CELL))
        yield PageLine(without_cells(block.text), block.kind, region, block.is_main, cells, columns)
        if block.text.endswith(CELL):
            columns = cells


def image_names(addresses: Iterable[str]) -> frozenset[str]:
    """Return images by their addresses without queries, in which sites put versions and sizes."""
    return frozenset(address.partition("#")[0].partition("?")[0] for address in addresses)
