"""Captured pages as they are compared: lines with their kinds and regions, links and images."""

import json
from collections.abc import Iterable, Iterator
from functools import partial
from operator import not_

from webstrata.content.blocks import PARAGRAPH, Region, kinds_of
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
    """Return the lines of a text with their kinds and regions; lines without a stored kind are paragraphs."""
    count = text.count("\n") + 1 if text else 0
    letters = blocks[:count].ljust(count, PARAGRAPH)
    regions = regions[:count].ljust(count, Region.UNSTATED)
    are_main = map(not_, map(str.isupper, letters))
    rows = zip(text.split("\n"), kinds_of(letters), regions, are_main, strict=False)
    # Without a call of Python for each line: pages have thousands.
    return map(partial(tuple.__new__, PageLine), rows)


def image_names(addresses: Iterable[str]) -> frozenset[str]:
    """Return images by their addresses without queries, in which sites put versions and sizes."""
    return frozenset(address.partition("#")[0].partition("?")[0] for address in addresses)
