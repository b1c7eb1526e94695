"""Indexing during a crawl: captures become searchable before it ends."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import structlog

from webstrata.db.engine import Database
from webstrata.db.queue import jobs
from webstrata.db.queue.jobs import StoredJob
from webstrata.errors import WebstrataError

log = structlog.get_logger()

IndexSoFar = Callable[[int, threading.Event], int]
"""Indexes the captures of a job's crawl until the event is set, and returns an exit code."""


@contextmanager
def index_beside(database: Database, job: StoredJob, index: IndexSoFar | None, every: float) -> Iterator[None]:
    """Index the captures of a crawl while the block lasts; `every` is the pause before and between passes.

    With 0, and for a job without a source, nothing is indexed during the crawl.
    """
    if index is None or not every or job.source is None:
        yield
        return
    over = threading.Event()
    indexing = threading.Thread(target=_index_until, args=(over, database, job.id, index, every), name="index-so-far")
    indexing.start()
    try:
        yield
    finally:
        over.set()
        indexing.join()


def _index_until(over: threading.Event, database: Database, job_id: int, index: IndexSoFar, every: float) -> None:
    """Index new captures until the crawl is over; errors are only logged, as the job is indexed again at its end."""
    while not over.wait(every):
        try:
            with database.read() as session:
                indexed, kept = jobs.indexed_bytes(session, job_id)
            code = index(job_id, over) if indexed < kept else 0
        except WebstrataError as error:
            log.warning("index.so_far.failed", job_id=job_id, reason=str(error))
            continue
        if code and not over.is_set():
            log.warning("index.so_far.failed", job_id=job_id, exit_code=code)
