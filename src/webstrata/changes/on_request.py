"""Comparison of any two captures on request: in a child process, cached in memory, never stored."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from webstrata.changes.compare_requests import ComparedPages, ComparePages
from webstrata.changes.comparer import Comparer
from webstrata.changes.events import compared_event, plain_event, plain_type
from webstrata.changes.knowledge import KnowledgeLoader
from webstrata.changes.pages import PageLoader
from webstrata.db.changes import changes
from webstrata.db.changes.changes import CapturePair, ComparedSnapshot, NewEvent
from webstrata.db.retention.tombstones import missing_snapshot
from webstrata.errors import TooManyComparisonsError
from webstrata.model.changes.values import LineEdit, SiteKnowledge
from webstrata.model.crawl.fetching import FetchResult

MAX_CACHED = 200
MAX_CACHED_BYTES = 32 * 1024 * 1024
MAX_WAITING = 8
"""The most requests that wait for a comparison, as each occupies a thread of the server."""

_BYTES_AN_EDIT = 400
_BYTES_A_CHARACTER = 2

LoadedPair = tuple[ComparedSnapshot | None, ComparedSnapshot]


@dataclass(frozen=True)
class PairComparison:
    """The result of a comparison: the event, and every line of both pages."""

    event: NewEvent
    edits: tuple[LineEdit, ...] = ()

    @property
    def bytes(self) -> int:
        """Return roughly how much memory it takes."""
        characters = len(self.event.diff_html or "")
        for edit in self.edits:
            characters += sum(len(line.text) for line in (edit.old, edit.new) if line is not None)
            characters += sum(len(run.text) for run in edit.words)
        return characters * _BYTES_A_CHARACTER + (len(self.edits) + 1) * _BYTES_AN_EDIT


@dataclass
class ComparisonCache:
    """A cache of the last used comparisons, with limits of their number and bytes."""

    max_count: int = MAX_CACHED
    max_bytes: int = MAX_CACHED_BYTES
    bytes: int = 0
    _cached: OrderedDict[LoadedPair, PairComparison] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __len__(self) -> int:
        """Return how many comparisons are cached."""
        return len(self._cached)

    def get(self, pair: LoadedPair) -> PairComparison | None:
        """Return the comparison of a pair, if it is cached."""
        with self._lock:
            if pair in self._cached:
                self._cached.move_to_end(pair)
            return self._cached.get(pair)

    def put(self, pair: LoadedPair, compared: PairComparison) -> None:
        """Cache a comparison in place of the least recently used ones."""
        with self._lock:
            if compared.bytes > self.max_bytes or pair in self._cached:
                return
            self._cached[pair] = compared
            self.bytes += compared.bytes
            while len(self._cached) > self.max_count or self.bytes > self.max_bytes:
                self.bytes -= self._cached.popitem(last=False)[1].bytes


@dataclass(frozen=True)
class PairComparisons:
    """Compares pairs of captures on request, one at a time."""

    loader: PageLoader
    comparer: Comparer = field(default_factory=Comparer)
    cache: ComparisonCache = field(default_factory=ComparisonCache)
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    _waiting: threading.BoundedSemaphore = field(default_factory=lambda: threading.BoundedSemaphore(MAX_WAITING))

    def compare(self, old_id: int | None, new_id: int) -> PairComparison:
        """Return the comparison of two captures; without an older one, the newer one is a new page."""
        old, new = pair = self._load(old_id, new_id)
        known = self.cache.get(pair)
        if known is not None:
            return known
        with self._slot():
            compared = self._compare(CapturePair(old, new, is_announced=False))
        self.cache.put(pair, compared)
        return compared

    def compare_live(self, snapshot_id: int, live: FetchResult, *, is_full: bool) -> ComparedPages:
        """Return the comparison of a capture with a live page; UsageError when the response is not a page."""
        _, old = self._load(None, snapshot_id)
        knowledge = KnowledgeLoader(self.loader.database)
        request = ComparePages(
            # Links of a live page are not resolved: only its text is compared.
            replace(self.loader.load([old])[snapshot_id], links=frozenset(), images=frozenset()),
            self.loader.read_live(live),
            SiteKnowledge() if is_full else knowledge.of_site(old, old),
            knowledge.history(old),
            is_full=is_full,
        )
        with self._slot():
            return self.comparer.compare(request)

    def close(self) -> None:
        """End the process that compares, if there is one."""
        self.comparer.close()
        self.loader.reader.close()

    def _load(self, old_id: int | None, new_id: int) -> LoadedPair:
        requested = [snapshot_id for snapshot_id in (old_id, new_id) if snapshot_id is not None]
        with self.loader.database.read() as session:
            found = changes.load_snapshots(session, requested)
            for snapshot_id in requested:
                if snapshot_id not in found:
                    raise missing_snapshot(session, snapshot_id)
        return (None if old_id is None else found[old_id]), found[new_id]

    def _compare(self, pair: CapturePair) -> PairComparison:
        plain = plain_type(pair)
        if plain is not None or pair.old is None:
            assert plain is not None
            return PairComparison(plain_event(pair, plain, _ON_REQUEST, self.now()))
        pages = self.loader.load([pair.old, pair.new])
        knowledge = KnowledgeLoader(self.loader.database)
        request = ComparePages(
            pages[pair.old.id],
            pages[pair.new.id],
            knowledge.of_site(pair.old, pair.new),
            knowledge.history(pair.old),
            wants_edits=True,
        )
        compared = self.comparer.compare(request)
        event = compared_event(pair, compared, _ON_REQUEST, self.now())
        return PairComparison(event, compared.comparison.edits)

    @contextmanager
    def _slot(self) -> Iterator[None]:
        if not self._waiting.acquire(blocking=False):
            raise TooManyComparisonsError("Too many comparisons at once: try again in a minute")
        try:
            yield
        finally:
            self._waiting.release()


_ON_REQUEST = "request"
