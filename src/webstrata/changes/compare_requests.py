"""Requests to compare two pages, and how they are compared."""

from dataclasses import dataclass, replace

from webstrata.changes.stored_pages import StoredPage, page_text
from webstrata.content.blocks import Region, without_cells
from webstrata.content.comparing.comparison import compare_pages
from webstrata.content.comparing.volatile import learn_volatile
from webstrata.content.diff.html import diff_html
from webstrata.model.changes.values import Comparison, Limits, LineEdit, PageText, SiteKnowledge

MAX_CPU_SECONDS = 5.0
"""The limit of processor time for one pair; real pairs take milliseconds."""

_LIMITS = Limits()


@dataclass(frozen=True)
class ComparePages:
    """Two pages to be compared, with knowledge of their site and the page's earlier captures."""

    old: StoredPage
    new: StoredPage
    knowledge: SiteKnowledge
    history: tuple[str, ...] = ()
    """The texts of earlier captures of the page, oldest first."""
    wants_edits: bool = False
    is_full: bool = False
    """Whether menus, headers and footers are compared like content."""


@dataclass(frozen=True)
class ComparedPages:
    """The comparison of two pages, and the difference as HTML."""

    comparison: Comparison
    diff_html: str
    diff_truncated: bool


def compare(request: ComparePages) -> ComparedPages:
    """Compare two pages in this process."""
    histories = [[*map(without_cells, text.split("\n"))] for text in request.history]
    knowledge = replace(request.knowledge, volatile=request.knowledge.volatile | learn_volatile(histories))
    old, new = page_text(request.old), page_text(request.new)
    if request.is_full:
        old, new = _all_main(old), _all_main(new)
    comparison = compare_pages(old, new, knowledge, _LIMITS)
    html, is_truncated = diff_html(comparison.edits, _LIMITS)
    kept = comparison if request.wants_edits else replace(comparison, edits=_ignored(comparison))
    return ComparedPages(kept, html, is_truncated)


def _all_main(page: PageText) -> PageText:
    return replace(page, lines=tuple(line._replace(is_main=True, region=Region.CONTENT) for line in page.lines))


def _ignored(comparison: Comparison) -> tuple[LineEdit, ...]:
    return tuple(edit for edit in comparison.edits if edit.ignored)
