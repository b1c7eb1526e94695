"""Paging of search results: by number as far as results are counted, then by cursor."""

from dataclasses import dataclass, replace

from webstrata.model.search.values import Cursor, SearchResponse
from webstrata.web.search.form import SearchForm, address

_NEIGHBOURS = 1


@dataclass(frozen=True)
class Leaf:
    """A link to a page of results by number; `after_gap` when the links before it are left out."""

    number: int
    address: str
    is_here: bool
    after_gap: bool


@dataclass(frozen=True)
class Pager:
    """The position among the pages of results, with links to other pages."""

    here: int
    pages: int
    """The number of pages, or of those that can be reached by number if there are more."""
    has_more: bool
    previous: str | None
    next: str | None
    leaves: tuple[Leaf, ...]

    @property
    def place(self) -> str:
        """Return where this is: `Page 2 of 3`."""
        if self.here > self.pages:
            return f"Page {self.here:,}"
        return f"Page {self.here:,} of {'more than ' if self.has_more else ''}{self.pages:,}"


def pager(form: SearchForm, found: SearchResponse) -> Pager | None:
    """Return the links to the other pages of results; None when there is only one."""
    pages = pages_by_number(found)
    if pages <= 1 and found.page <= 1 and not found.next_cursor:
        return None
    return Pager(
        found.page, pages, found.total_capped, _previous(form, found), _next(form, found), _leaves(form, found)
    )


def pages_by_number(found: SearchResponse) -> int:
    """Return the number of pages for a number of results."""
    return -(-found.total // found.page_size)


def page_address(form: SearchForm, number: int) -> str:
    """Return the address of a page of results by its number."""
    return address(replace(form, page=str(number), cursor=""))


def _next(form: SearchForm, found: SearchResponse) -> str | None:
    if found.page < pages_by_number(found):
        return page_address(form, found.page + 1)
    if not found.next_cursor:
        return None
    return address(replace(form, page=str(found.page + 1), cursor=found.next_cursor))


def _previous(form: SearchForm, found: SearchResponse) -> str | None:
    before = found.page - 1
    if before < 1:
        return None
    if before <= pages_by_number(found):
        return page_address(form, before)
    skipped = Cursor((before - 1) * found.page_size).written()
    return address(replace(form, page=str(before), cursor=skipped))


def _leaves(form: SearchForm, found: SearchResponse) -> tuple[Leaf, ...]:
    """Return the first page, those around this one, and the last."""
    pages, here = pages_by_number(found), found.page
    around = range(here - _NEIGHBOURS, here + _NEIGHBOURS + 1)
    numbers = sorted({1, pages, *(number for number in around if 1 <= number <= pages)} - {0})
    return tuple(
        Leaf(number, page_address(form, number), number == here, at > 0 and numbers[at - 1] < number - 1)
        for at, number in enumerate(numbers)
    )
