"""Writers of batches: on PostgreSQL one stores the texts of a batch while another finishes the batch before it."""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass

_AT_ONCE = 2
"""Storing the texts takes PostgreSQL longer than all other rows; more batches at once would all wait for that."""

Wait = Callable[[], None]
"""Returns when the batch before is stored; raises its error if that failed."""


@dataclass(frozen=True)
class _Running:
    future: Future[int]
    done: Callable[[int], None]


class BatchWriters(AbstractContextManager["BatchWriters"]):
    """Runs the functions that store batches, in threads if they may overlap; batches are complete in their order."""

    def __init__(self, *, overlap: bool) -> None:
        """Prepare; without `overlap` each batch is stored before the next is read."""
        self._threads = ThreadPoolExecutor(_AT_ONCE, "batch-writer") if overlap else None
        self._running: deque[_Running] = deque()

    def __exit__(self, *_: object) -> None:
        """Wait for the batches that are being stored; after an error, the ones after it are not stored."""
        if self._threads is not None:
            self._threads.shutdown()
        self._running.clear()

    @property
    def overlap(self) -> bool:
        """Return whether batches may overlap."""
        return self._threads is not None

    def run_alone(self, store: Callable[[], int], done: Callable[[int], None]) -> None:
        """Store a batch when all before it are stored, and before any after it begins; report its number of pages."""
        self.finish()
        done(store())

    def run(self, store: Callable[[Wait], int], done: Callable[[int], None]) -> None:
        """Store a batch beside the one before it; `done` is called later, by this thread, with its number of pages."""
        assert self._threads is not None, "these writers do not overlap"
        before = self._running[-1].future if self._running else None
        self._running.append(_Running(self._threads.submit(store, lambda: _wait_for(before)), done))
        while len(self._running) > _AT_ONCE:
            self._take()

    def finish(self) -> None:
        """Wait until every batch is stored; raises the error of the first that failed."""
        while self._running:
            self._take()

    def _take(self) -> None:
        running = self._running.popleft()
        running.done(running.future.result())


def _wait_for(before: Future[int] | None) -> None:
    if before is not None:
        before.result()
