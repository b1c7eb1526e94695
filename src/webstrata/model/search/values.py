"""Search requests and responses."""

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

from webstrata.errors import UsageError
from webstrata.model.archive import SnapshotView
from webstrata.model.search.query import Intent
from webstrata.model.search.ranking import Ranking


class Sort(StrEnum):
    """The order of results."""

    RELEVANCE = "relevance"
    NEWEST = "newest"


class View(StrEnum):
    """The kind of results: every capture, or the newest of each page."""

    SNAPSHOTS = "snapshots"
    PAGES = "pages"


class FileKind(StrEnum):
    """What kind of file a capture is."""

    HTML = "html"
    PDF = "pdf"
    TEXT = "text"
    OTHER = "other"


class Fallback(StrEnum):
    """The fallback that found something when the words as written found nothing."""

    NONE = "none"
    MOST_WORDS = "most_words"
    PREFIX = "prefix"
    FUZZY = "fuzzy"
    PARTS = "parts"


@dataclass(frozen=True)
class SearchRequest:
    """A search as the reader requested it."""

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
    as_of: date | None = None
    """Only captures up to the end of this UTC day."""
    language: str | None = None
    kind: FileKind | None = None
    year: int | None = None
    cursor: str | None = None
    """Where the next page of results begins, from the last response; replaces the page number."""
    facets: bool = False
    ranking: Ranking = Ranking.V2
    exact: bool = False
    """Find only documents with all words as they are written."""

    @property
    def effective_sort(self) -> Sort:
        """Return the requested order; by default queries with words have the best first, browsing the newest."""
        return self.sort or (Sort.RELEVANCE if self.q else Sort.NEWEST)


@dataclass(frozen=True)
class FacetCount:
    """How many results there would be with this value."""

    value: str
    count: int


@dataclass(frozen=True)
class SearchResponse:
    """One page of results and how many there are in all."""

    results: tuple[SnapshotView, ...]
    total: int
    page: int
    page_size: int
    total_capped: bool = False
    """Whether there are more than `total`: counting stopped there."""
    facets: Mapping[str, tuple[FacetCount, ...]] | None = None
    next_cursor: str | None = None
    instead: str | None = None
    """What was searched instead of misspelt words."""
    intent: Intent = Intent.PLAIN
    fallback: Fallback = Fallback.NONE
    total_all_words: int | None = None
    """How many results hold all words of a question; None where no words were searched."""
    without: tuple[str, ...] = ()
    """Words that none of the results on this page has, where results need not have all words."""


@dataclass(frozen=True)
class Cursor:
    """The beginning of a page of results: a number of results, and in order of time the capture before it."""

    offset: int
    at: datetime | None = None
    snapshot_id: int = 0

    def written(self) -> str:
        """Return the cursor as an opaque text for `read_cursor`."""
        parts = [self.offset] if self.at is None else [self.offset, self.at.isoformat(), self.snapshot_id]
        return base64.urlsafe_b64encode(json.dumps(parts).encode()).decode().rstrip("=")


_LARGEST = 2**62


def read_cursor(word: str) -> Cursor:
    """Return the cursor that a text encodes; UsageError when it encodes none."""
    try:
        parts = json.loads(base64.urlsafe_b64decode(word.encode("ascii") + b"=" * (-len(word) % 4)))
        offset, at, snapshot_id = [*parts, None, 0][:3] if len(parts) == 1 else parts
        cursor = Cursor(int(offset), None if at is None else datetime.fromisoformat(at), int(snapshot_id))
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError, binascii.Error):
        raise UsageError(f"{word!r} is not a cursor of a search") from None
    in_bounds = 0 <= cursor.offset < _LARGEST and 0 <= cursor.snapshot_id < _LARGEST
    if not in_bounds or _naive(cursor.at) or cursor.written() != word:
        raise UsageError(f"{word!r} is not a cursor of a search")
    return cursor


def _naive(at: datetime | None) -> bool:
    return at is not None and at.utcoffset() is None


def walks(requested: int, found: int, archive: int) -> bool:
    """Return whether walking through the archive finds the newest results sooner than sorting all results.

    Walking passes archive/found captures for each result; sorting has to read all results.
    """
    return requested * archive < found * found
