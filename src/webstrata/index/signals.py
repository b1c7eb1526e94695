"""Updates of PageRank while indexing: only what changed since the last update is computed."""

from collections.abc import Callable

import structlog

from webstrata.db.engine import Database
from webstrata.db.links import signals
from webstrata.model.search.pagerank import MOST_PAGES, TOLERANCE, Settling

log = structlog.get_logger()

_WRITTEN_AT_ONCE = 20_000
"""Ranks of pages that are written in one transaction, so that other writers do not wait for long."""


def refresh_pagerank(database: Database, *, cancelled: Callable[[], bool] = lambda: False) -> int:
    """Update PageRank and return the number of pages whose value changed.

    After it was cancelled or killed, the next call continues. The error of a rank is below some two percent; the ranks
    of all captured pages add up to 1 within one percent.
    """
    settle_ranks(database, cancelled=cancelled)
    if cancelled():
        return 0
    written = _spread(database)
    log.debug("index.pagerank", pages=written)
    return written


def settle_ranks(database: Database, *, cancelled: Callable[[], bool] = lambda: False) -> None:
    """Compute the ranks of pages from their links, which is nearly all the work, without writing them."""
    while not cancelled() and _settle_some(database, cancelled):
        pass


def _settle_some(database: Database, cancelled: Callable[[], bool]) -> bool:
    """Update as many pages as fit into memory and return whether there were any."""
    with database.read() as session:
        start = signals.unsettled_pages(session, TOLERANCE, MOST_PAGES // 2)
        if not start:
            return False
        read = signals.LinksRead()
        settling = Settling(lambda pages: signals.ranked_pages(session, pages), lambda pages: read.of(session, pages))
        settling.settle(start, cancelled)
    with database.write() as session:
        signals.hand_on(session, settling.handed_on(), settling.changes(), settling.links, read)
    return True


def _spread(database: Database) -> int:
    """Write the ranks that differ from what is stored."""
    with database.read() as session:
        total, last = signals.total_mass(session), signals.last_page(session)
    written = 0
    for first in range(1, last + 1, _WRITTEN_AT_ONCE):
        with database.write() as session:
            written += signals.spread_rank(session, total or 1.0, TOLERANCE, range(first, first + _WRITTEN_AT_ONCE))
    return written
