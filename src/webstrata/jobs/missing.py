"""Fetching what a captured page lacks: a job of the page's source that captures the page again, with its requisites."""

from dataclasses import dataclass
from pathlib import Path

from webstrata.db import catalog
from webstrata.db.engine import Database
from webstrata.db.tombstones import missing_snapshot
from webstrata.jobs.queueing import queue_archive

_ONE_PAGE = {"max_pages": 1, "max_depth": 0, "use_sitemaps": False, "capture_requisites": True}


@dataclass(frozen=True)
class QueuedPage:
    """A job that was queued for one page."""

    job_id: int
    url: str
    source: str


def queue_missing(database: Database, archive_root: Path, snapshot_id: int) -> QueuedPage:
    """Queue a job that captures a snapshot's page again with all that it shows; NotFoundError without a snapshot."""
    with database.read() as session:
        snapshot = catalog.snapshot(session, snapshot_id)
        if snapshot is None:
            raise missing_snapshot(session, snapshot_id)
    job_id = queue_archive(database, archive_root, (snapshot.url,), crawl=_ONE_PAGE, code=snapshot.source_code)
    return QueuedPage(job_id, snapshot.url, snapshot.source_code)
