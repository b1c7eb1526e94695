"""When a page was published: as it states, else by its time elements, its address, and the dates near its heading."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from urllib.parse import urlsplit

from webstrata.content.blocks import Region
from webstrata.content.metadata import HtmlMetadata
from webstrata.content.tree import Document, Element
from webstrata.content.written_dates import written_dates

_ARTICLE = 500
"""If the main text is at least this long, a date near the heading is that of the article."""

_MOST_ELEMENTS = 60
_MOST_AROUND = 6
_AFTER, _BEFORE = 12, 4
_LONGEST_LINE = 140
_SENTENCE = 60
_LABELLED_LINES = 400
_STATED = re.compile(r"\s*((?:19|20)\d\d-\d\d-\d\d)")
_IN_PATH = re.compile(r"/((?:19|20)\d\d)[/-]?(0\d|1[0-2])[/-]?([0-2]\d|3[01])(?=[/_-])")
_CHANGED = re.compile(
    r"updat|modif|revis|last change|aktuali|geändert|stand\b|mis(?:e)? à jour|actualiz|atualiz|aggiorn|bijgewerkt"
    r"|gewijzigd|zmieni|обновл|измен|оновл|uppdater|opdater|oppdater|päivitet|更新|改訂|수정|güncel|frissít|crawl|copyright|©",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"\W*(?:published|posted|date|first published|publication date|veröffentlicht|erschienen|datum|publié|mis en ligne"
    r"|publicado|publicación|fecha|pubblicat|data|gepubliceerd|geplaatst|opublikowan|publicerad|publiceret|publisert"
    r"|julkaistu|опубликован|дата|опубліковано|publikováno|megjelent|yayın|公開|掲載|投稿|发布|發布|日期"
    r"|(?:기사 ?)?(?:입력|등록)|승인|작성)",
    re.IGNORECASE,
)
_OTHER_NAMES = re.compile(r"comment|related|teaser|recommend|sidebar|modif|updat|latest|more-|footer|today|clock")
_WHOLE = frozenset({"article", "main", "body"})
_EDGES = frozenset({"aside", "footer", "nav"})
_OUTSIDE = frozenset({Region.HEADER, Region.EDGE, Region.NAVIGATION, Region.CONSENT})


@dataclass(frozen=True)
class DatedPage:
    """The facts from which a page's date is determined."""

    url: str
    text: str
    regions: str
    language: str | None
    main_text: str
    metadata: HtmlMetadata


def published_date(tree: Document, page: DatedPage, *, is_listing: bool) -> str | None:
    """Return the publication date of a page: as the page states it, or a day in ISO 8601; None when unknown."""
    # The dates on a product page without a stated date are those of reviews and deliveries.
    if page.metadata.published or is_listing:
        return page.metadata.published
    return next((found for found in (_marked(tree), _of_address(page.url), _written(tree, page)) if found), None)


def _marked(tree: Document) -> str | None:
    """Return the first date of an element that is marked as the date of publication, else of the first time element."""
    for selector in ('[itemprop~="datePublished"]', "time[pubdate]", 'time[class*="publish" i]', "time[datetime]"):
        for element in tree.select(selector)[:_MOST_ELEMENTS]:
            written = element.attr("datetime") or element.attr("content") or ""
            found = _STATED.match(written)
            if found and not _is_other(element):
                return written.strip()
    return None


def _is_other(element: Element) -> bool:
    """Return whether a time is that of a change, a comment or another article."""
    around, current = [element], element.parent
    while isinstance(current, Element) and len(around) <= _MOST_AROUND and current.tag not in _WHOLE:
        around.append(current)
        current = current.parent
    if any(one.tag in _EDGES or _OTHER_NAMES.search(f"{one.attr('class')} {one.attr('id')}".lower()) for one in around):
        return True
    parent = element.parent
    label = parent.text.partition(element.text)[0][-30:] if isinstance(parent, Element) and element.text else ""
    return _CHANGED.search(label) is not None


def _of_address(url: str) -> str | None:
    found = _IN_PATH.search(urlsplit(url).path)
    return "-".join(found.groups()) if found else None


def _written(tree: Document, page: DatedPage) -> str | None:
    """Return the date in a line near the heading of an article, or in a line with a label such as `Published`."""
    lines = page.text.split("\n")
    if len(page.main_text) >= _ARTICLE:
        near = _around_heading(tree, page, lines)
        if found := next((day for line in near if (day := _own_date(line, page.language))), None):
            return found
    labelled = (line for line in lines[:_LABELLED_LINES] if _LABEL.match(line))
    return next((day for line in labelled if (day := _own_date(line, page.language))), None)


def _around_heading(tree: Document, page: DatedPage, lines: list[str]) -> Iterator[str]:
    """Yield the lines after the first heading, then those before it, without those of the page's header."""
    heading = tree.select_one("h1")
    title = " ".join(heading.text.split()) if heading is not None else ""
    if not title or title not in lines:
        return
    at = lines.index(title)
    places = [*range(at + 1, min(at + 1 + _AFTER, len(lines))), *range(at - 1, max(at - 1 - _BEFORE, -1), -1)]
    yield from (lines[place] for place in places if page.regions[place : place + 1] not in _OUTSIDE)


def _own_date(line: str, language: str | None) -> str | None:
    """Return the first date in a line, except the date of a change."""
    if len(line) > _LONGEST_LINE or (len(line) > _SENTENCE and line.endswith((".", "。", "!", "?"))):
        return None
    end = 0
    for start, stop, day in islice(written_dates(line, language), 4):
        if not _CHANGED.search(line[end:start]):
            return day
        end = stop
    return None
