"""PageRank, updated incrementally when pages and links change.

A captured page is given a rank mass of 1, and passes 0.85 of all its mass on to the pages it links to, in equal parts:

    mass = 1 + 0.85 · (the sum of what the pages that link to it pass on)

PageRank is the mass divided by the sum over all captured pages. The mass that a page without links does not pass on is
in effect spread over all captured pages, as PageRank requires; so is the mass that goes to pages that were never
captured.

Two numbers are stored for every page: its mass, and its residual, the mass that it has not passed on yet. A new page
starts with a residual of 1; a page whose links changed adds residuals to its former and its current link targets. So
the cost of an update depends only on what changed. When no captured page has a residual above TOLERANCE, the relative
error of every mass is below TOLERANCE too.
"""

from array import array
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

DAMPING = 0.85
TELEPORT = 1.0
TOLERANCE = 0.01
"""The tolerated relative error of a mass: only the order of magnitude of a rank matters."""

MOST_PAGES = 300_000
MOST_LINKS = 8_000_000
"""Limits of one round, some 100 MB of memory; other residuals wait for a later round."""

_AT_ONCE = 2_000


@dataclass(frozen=True)
class RankedPage:
    """A page's residual, and whether it was captured: only captured pages pass mass on."""

    page_id: int
    residual: float
    captured: bool


PagesOf = Callable[[Collection[int]], Iterable[RankedPage]]
LinksOf = Callable[[Collection[int]], Mapping[int, Sequence[int]]]


@dataclass
class Settling:
    """Passes residuals on from page to page; the graph is read from the database for many pages at once.

    Pages have indexes in arrays, in the order in which they are seen, as millions of links are followed repeatedly.
    """

    pages_of: PagesOf
    links_of: LinksOf
    _places: dict[int, int] = field(default_factory=dict)
    _pages: list[int] = field(default_factory=list)
    _residuals: "array[float]" = field(default_factory=lambda: array("d"))
    _before: "array[float]" = field(default_factory=lambda: array("d"))
    _captured: bytearray = field(default_factory=bytearray)
    _handed_on: dict[int, float] = field(default_factory=dict)
    _links: dict[int, "array[int]"] = field(default_factory=dict)
    _link_count: int = 0

    def settle(self, start: Collection[int], enough: Callable[[], bool] = lambda: False) -> None:
        """Pass residuals on, beginning with some pages, until all are small, memory is full, or `enough` returns
        True."""
        self._load(start)
        while (waiting := self._unsettled()) and not enough():
            for some in _pieces(waiting):
                if self._is_full():
                    return
                self._load_links(some)
                self._hand_on(some)

    def handed_on(self) -> dict[int, float]:
        """Return the increase of the mass of each page."""
        return {self._pages[place]: given for place, given in self._handed_on.items()}

    def links(self, page: int) -> list[int]:
        """Return the link targets of a page that passed mass on."""
        # One page at a time: as Python's integers, millions of links take ten times the memory of an array.
        return [self._pages[target] for target in self._links[self._places[page]]]

    def changes(self) -> dict[int, float]:
        """Return the change of each page's residual."""
        both = zip(self._pages, self._before, self._residuals, strict=True)
        return {page: after - before for page, before, after in both if after != before}

    def _unsettled(self) -> list[int]:
        """Return the indexes of the captured pages whose residual is not small, always in the same order."""
        captured = self._captured
        return [
            place
            for place, value in enumerate(self._residuals)
            if (value > TOLERANCE or value < -TOLERANCE) and captured[place]
        ]

    def _hand_on(self, places: Iterable[int]) -> None:
        """Let each page pass on its mass, including mass that it just received."""
        residuals, handed_on = self._residuals, self._handed_on
        for place in places:
            given = residuals[place]
            residuals[place] = 0.0
            handed_on[place] = handed_on.get(place, 0.0) + given
            targets = self._links[place]
            part = DAMPING * given / len(targets) if targets else 0.0
            for target in targets:
                residuals[target] += part

    def _load(self, pages: Iterable[int]) -> None:
        """Load the stored numbers of pages that are seen for the first time."""
        unknown = {page for page in pages if page not in self._places}
        for found in sorted(self.pages_of(unknown), key=lambda page: page.page_id) if unknown else ():
            self._places[found.page_id] = len(self._pages)
            self._pages.append(found.page_id)
            self._before.append(found.residual)
            self._residuals.append(found.residual)
            self._captured.append(found.captured)

    def _load_links(self, places: Sequence[int]) -> None:
        unknown = [place for place in places if place not in self._links]
        if not unknown:
            return
        found = self.links_of([self._pages[place] for place in unknown])
        self._load(set().union(*found.values()))
        for place in unknown:
            targets = found.get(self._pages[place], ())
            self._links[place] = array("i", map(self._places.__getitem__, targets))
            self._link_count += len(targets)

    def _is_full(self) -> bool:
        return len(self._pages) > MOST_PAGES or self._link_count > MOST_LINKS


def _pieces(pages: Sequence[int]) -> Iterable[list[int]]:
    waiting = iter(pages)
    while some := list(islice(waiting, _AT_ONCE)):
        yield some
