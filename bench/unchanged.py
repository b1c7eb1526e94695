"""A site that was crawled twice and did not change: how fast the change stage settles its captures."""

import hashlib
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import text

from webstrata.changes.stage import ChangeTracking
from webstrata.db.captures import captures, snapshots
from webstrata.db.captures.documents import ensure_documents
from webstrata.db.captures.snapshots import NewSnapshot
from webstrata.db.changes import changes
from webstrata.db.engine import Database, Session
from webstrata.db.migrate import upgrade
from webstrata.db.queue import jobs
from webstrata.db.schema.tables import Capture
from webstrata.db.search.indexed_words import NewDocument
from webstrata.index.version import INDEX_VERSION
from webstrata.model.jobs.job import JobConfig, JobStatus

PAGES = 100_000

_SITE = "https://bench.example"
_BATCH = 5_000
_FIRST = datetime(2026, 1, 1, tzinfo=UTC)


def settled_per_second(url: str, archive_root: Path) -> float:
    """Return how many pairs of equal captures get their events a second."""
    database = Database(url)
    upgrade(database)
    source_id = _crawl(database, 0)
    tracking = ChangeTracking(database, archive_root, INDEX_VERSION)
    assert tracking.compute(source_id).by_type == {"new_page": PAGES}
    _crawl(database, 1)
    began = time.perf_counter()
    counts = tracking.compute(source_id)
    seconds = time.perf_counter() - began
    database.dispose()
    assert counts.by_type == {"unchanged": PAGES}, counts
    return PAGES / seconds


def _crawl(database: Database, number: int) -> int:
    """Store a job that captured every page, as the index does, and return its source."""
    with database.write() as session:
        source_id = jobs.ensure_source(session, "bench", name="Bench", base_url=_SITE)
        job_id = jobs.add_job(
            session, source_id, name=f"bench {number}", output_dir="", config=JobConfig(()), queued_at=_FIRST
        )
        warc_id = captures.add_warc_file(session, job_id, f"{number}.warc.gz")
        captures.set_index_state(session, warc_id, indexed_bytes=1, index_version=INDEX_VERSION)
        jobs.set_job(session, job_id, status=JobStatus.INDEXED)
    for start in range(0, PAGES, _BATCH):
        with database.write() as session:
            rows = _save(session, (source_id, job_id, warc_id), number, range(start, start + _BATCH))
            changes.add_pending(session, source_id, [row.capture_id for row in rows], is_announced=True)
    if not database.is_sqlite:
        with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text("ANALYZE"))
    return source_id


def _save(session: Session, job: tuple[int, int, int], number: int, pages: range) -> list[NewSnapshot]:
    source_id, job_id, warc_id = job
    documents = [NewDocument(f"{_SITE}/{page}", f"Page {page}", f"What page {page} says.") for page in pages]
    stored = ensure_documents(session, documents)
    rows = [
        _snapshot(source_id, job_id, document, stored[document.key], number * PAGES + page + 1, number)
        for page, document in zip(pages, documents, strict=True)
    ]
    session.execute(Capture.__table__.insert(), [_capture(row, warc_id) for row in rows])  # type: ignore[attr-defined]
    snapshots.save_snapshots(session, rows)
    return rows


def _snapshot(
    source_id: int, job_id: int, page: NewDocument, document_id: int, snapshot_id: int, number: int
) -> NewSnapshot:
    return NewSnapshot(
        job_id=job_id,
        source_id=source_id,
        capture_id=snapshot_id,
        document_id=document_id,
        url=page.normalized_url_group,
        normalized_url_group=page.normalized_url_group,
        capture_timestamp=_FIRST + timedelta(days=number, seconds=snapshot_id % PAGES),
        mime_type="text/html",
        status_code=200,
        title=page.title,
        snippet=page.text,
        language="en",
        warc_path=f"{number}.warc.gz",
        warc_record_id=f"<{snapshot_id}>",
        warc_offset=snapshot_id,
        warc_length=1,
        content_hash=hashlib.sha256(page.text.encode()).hexdigest(),
        id=snapshot_id,
    )


def _capture(row: NewSnapshot, warc_id: int) -> dict[str, object]:
    return {
        "id": row.capture_id,
        "job_id": row.job_id,
        "source_id": row.source_id,
        "warc_file_id": warc_id,
        "warc_offset": row.warc_offset,
        "warc_length": row.warc_length,
        "warc_record_id": row.warc_record_id,
        "record_type": "response",
        "url": row.url,
        "url_key": row.url,
        "capture_timestamp": row.capture_timestamp,
    }
