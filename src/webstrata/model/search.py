"""What a search asks and answers."""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from webstrata.model.archive import SnapshotView


class Sort(StrEnum):
    """What comes first."""

    RELEVANCE = "relevance"
    NEWEST = "newest"


class View(StrEnum):
    """What a result is: every capture, or the newest of each page."""

    SNAPSHOTS = "snapshots"
    PAGES = "pages"


@dataclass(frozen=True)
class SearchRequest:
    """A search as the reader put it."""

    q: str | None = None
    source: str | None = None
    sort: Sort | None = None
    view: View = View.SNAPSHOTS
    include_non_2xx: bool = False
    include_duplicates: bool = False
    from_date: date | None = None
    to_date: date | None = None
    page: int = 1
    page_size: int = 20

    @property
    def effective_sort(self) -> Sort:
        """Return the order asked for; words want the best first, browsing the newest."""
        return self.sort or (Sort.RELEVANCE if self.q else Sort.NEWEST)


@dataclass(frozen=True)
class SearchResponse:
    """One page of results and how many there are in all."""

    results: tuple[SnapshotView, ...]
    total: int
    page: int
    page_size: int
