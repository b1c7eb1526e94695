"""Reading listings: pages per CPU second, from their bytes and from a parse that the index has made anyway."""

import time
from collections.abc import Callable
from pathlib import Path

from bench.pages import pages
from bench.report import Measurement
from webstrata.content.charset import text_of
from webstrata.content.html import HtmlPage, page_of_tree
from webstrata.content.listing.page_listing import listing_of_page
from webstrata.content.main_content import main_content
from webstrata.content.tree import Document, parse_html

_PAGES = 200
_ROUNDS = 3
_URL = "https://shop.example/p/1"


def measure(_folder: Path) -> list[Measurement]:
    bodies = list(pages(_PAGES))
    parsed = [_parsed(body) for body in bodies]
    found = sum(listing_of_page(tree, page, _URL) is not None for tree, page in parsed)
    beside_index = _rate(lambda: [listing_of_page(tree, page, _URL) for tree, page in parsed], len(parsed))
    alone = _rate(lambda: [listing_of_page(*_parsed(body), _URL) for body in bodies], len(bodies))
    main = _rate(lambda: [main_content(tree, page.title) for tree, page in parsed], len(parsed))
    what = f"listings of {len(bodies)} pages ({found} have one)"
    return [
        Measurement(f"{what}, from the parse of the index", beside_index, "pages per CPU second", asked="≥ 200"),
        Measurement(
            f"{what}, from bytes: decoding, parsing and reading the text included", alone, "pages per CPU second"
        ),
        Measurement("main texts, from the same parse", main, "pages per CPU second"),
    ]


def _parsed(body: bytes) -> tuple[Document, HtmlPage]:
    source = text_of(body, None)
    tree = parse_html(source)
    return tree, page_of_tree(tree, source)


def _rate(work: Callable[[], object], count: int) -> float:
    """Return how many pages a CPU second suffices for, of several rounds the best."""
    best = float("inf")
    for _ in range(_ROUNDS):
        began = time.process_time()
        work()
        best = min(best, time.process_time() - began)
    return count / best
