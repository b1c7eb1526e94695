"""Pages in the form for comparison: lines with their kinds and regions, links and images."""

import json
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import repeat
from operator import not_

from webstrata.content.blocks import CELL, PARAGRAPH, ROW, Region, kinds_of, without_cells
from webstrata.content.reading import Reading
from webstrata.model.changes.values import PageLine, PageText


def page_text(
    reading: Reading, *, status_code: int | None = 200, quality: float = 1.0, quality_kind: str = "page"
) -> PageText:
    """Return a page that was read in the form for comparison."""
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
    """Return the lines of a text with their kinds and regions; lines without a stored kind are paragraphs."""
    count = text.count("\n") + 1 if text else 0
    letters = blocks[:count].ljust(count, PARAGRAPH)
    regions = regions[:count].ljust(count, Region.UNSTATED)
    are_main = map(not_, map(str.isupper, letters))
    rows = zip(text.split("\n"), kinds_of(letters), regions, are_main, repeat(()), repeat(()), strict=False)
    # Without a function call for each line, as pages have thousands.
    lines = map(partial(tuple.__new__, PageLine), rows)
    return _split_rows(lines) if CELL in text else lines


def _split_rows(lines: Iterable[PageLine]) -> Iterator[PageLine]:
    """Yield lines, those of tables with their cells and the headers of their columns."""
    columns: tuple[str, ...] = ()
    for line in lines:
        if line.kind != ROW:
            columns = ()
        if CELL not in line.text:
            yield line
            continue
        cells = tuple(line.text.removesuffix(CELL).split(CELL))
        yield line._replace(text=without_cells(line.text), cells=cells, columns=columns)
        if line.text.endswith(CELL):
            columns = cells


def image_names(addresses: Iterable[str]) -> frozenset[str]:
    """Return images by their addresses without queries, in which sites put versions and sizes."""
    return frozenset(address.partition("#")[0].partition("?")[0] for address in addresses)
