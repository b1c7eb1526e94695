"""Indexing a job: its WARCs, one after the other, a batch of records a transaction."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

import structlog

from webstrata.db import captures, jobs, snapshots
from webstrata.db.captures import KnownWarc
from webstrata.db.documents import ensure_documents
from webstrata.db.engine import Database
from webstrata.db.jobs import StoredJob
from webstrata.db.snapshots import NewSnapshot
from webstrata.errors import (
    DatabaseError,
    OutsideRootError,
    RecordNotFoundError,
    StorageError,
    UsageError,
    WarcError,
    WebstrataError,
)
from webstrata.index.facts import CaptureFacts, PageFacts, facts_of
from webstrata.model.jobs import INDEXABLE, JobStatus
from webstrata.storage.paths import confined
from webstrata.warc.reader import ArchiveRecord, iter_records, read_record
from webstrata.warc.revisits import with_payload

log = structlog.get_logger()

_BATCH = 200
_BATCH_CHARACTERS = 16_000_000
"""What a batch holds in memory, but for its last page."""

Progress = Callable[[int], None]


def index_job(
    job_id: int,
    *,
    database: Database,
    archive_root: Path,
    progress: Progress = lambda pages: None,
    done: JobStatus = JobStatus.INDEXED,
) -> int:
    """Make a job's captures searchable; return 0, or 1 when it could not be done, which the job then says.

    Trouble of ours, a disk or a database that refuses, is raised: it is no fault of the job, which can go on later.
    """
    job = _begin(database, job_id)
    try:
        pages = _index_files(database, archive_root, job, progress)
    except WebstrataError as error:
        if isinstance(error, StorageError | DatabaseError) and not isinstance(error, OutsideRootError):
            raise
        log.error("index.failed", job_id=job_id, reason=str(error))
        with database.write() as session:
            jobs.set_job(session, job_id, status=JobStatus.INDEX_FAILED, status_reason=str(error))
        return 1
    with database.write() as session:
        jobs.set_job(session, job_id, status=done, indexed_page_count=pages)
    return 0


def _begin(database: Database, job_id: int) -> StoredJob:
    with database.write() as session:
        job = jobs.load_job(session, job_id)
        if job.status not in INDEXABLE:
            raise UsageError(f"job {job_id} is {job.status}: it can be indexed when its crawl has ended")
        jobs.set_job(session, job_id, status=JobStatus.INDEXING)
        if job.status is JobStatus.INDEX_FAILED:
            jobs.set_job(session, job_id, status_reason=None)
    return job


def _index_files(database: Database, archive_root: Path, job: StoredJob, progress: Progress) -> int:
    """Index every file that is not indexed yet and return how many pages the job has in all."""
    with database.read() as session:
        files = captures.warc_files(session, job.id)
    if not files:
        raise WarcError(f"job {job.id} has no WARC files")
    for warc in files:
        if warc.indexed_bytes != warc.committed_bytes:
            _index_file(database, archive_root, job, warc, progress)
    with database.write() as session:
        count, size = captures.warc_totals(session, job.id)
        jobs.set_job(session, job.id, warc_file_count=count, warc_bytes_total=size)
        return snapshots.count_of_job(session, job.id)


def _index_file(database: Database, archive_root: Path, job: StoredJob, warc: KnownWarc, progress: Progress) -> None:
    path = confined(archive_root, warc.path)
    records = iter_records(path, warc.committed_bytes, lambda damage: _skipped(path, damage.offset, damage.reason))
    payload_of = partial(with_payload, database=database, archive_root=archive_root)
    early: list[tuple[int, int]] = []
    # What a revisit refers to may be in the same file, and is found only once it is saved.
    first = _readable(records, payload_of, lambda record, _: early.append((record.offset, record.length)))
    second = _readable((read_record(path, *place) for place in early), payload_of, _unresolved)
    for facts in (first, second):
        for batch in _batches(facts):
            _save(database, job, warc, batch)
            progress(sum(found.page is not None for found in batch))
    with database.write() as session:
        captures.mark_indexed(session, warc.id, warc.committed_bytes)


def _readable(
    records: Iterable[ArchiveRecord],
    payload_of: Callable[[ArchiveRecord], ArchiveRecord],
    unresolved: Callable[[ArchiveRecord, RecordNotFoundError], None],
) -> Iterator[CaptureFacts]:
    """Yield the facts of each record; one that makes no sense is reported with its place and passed over."""
    for record in records:
        try:
            yield facts_of(record, payload_of(record))
        except RecordNotFoundError as error:
            unresolved(record, error)
        except (WebstrataError, ValueError) as error:
            _skipped(record.warc_path, record.offset, str(error))


def _unresolved(revisit: ArchiveRecord, error: RecordNotFoundError) -> None:
    _skipped(revisit.warc_path, revisit.offset, str(error))


def _skipped(path: Path, offset: int, reason: str) -> None:
    log.warning("index.record.skipped", file=path.name, offset=offset, reason=reason)


def _batches(facts: Iterator[CaptureFacts]) -> Iterator[list[CaptureFacts]]:
    batch: list[CaptureFacts] = []
    characters = 0
    for found in facts:
        batch.append(found)
        characters += len(found.page.document.text) if found.page else 0
        if len(batch) == _BATCH or characters >= _BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def _save(database: Database, job: StoredJob, warc: KnownWarc, batch: Sequence[CaptureFacts]) -> None:
    """Record a batch: captures that the crawl did not record itself, documents, snapshots, pages."""
    with database.write() as session:
        offsets = [facts.capture.offset for facts in batch]
        known = captures.capture_ids(session, warc.id, offsets)
        unknown = [facts.capture for facts in batch if facts.capture.offset not in known]
        captures.add_captures(session, job.id, job.source_id, warc.id, unknown)
        known |= captures.capture_ids(session, warc.id, [capture.offset for capture in unknown])
        pages = [(facts, facts.page) for facts in batch if facts.page is not None]
        documents = ensure_documents(session, [page.document for _, page in pages])
        snapshots.save_snapshots(
            session,
            [
                _snapshot(job, warc, facts, page, known[facts.capture.offset], documents[page.document.key])
                for facts, page in pages
            ],
        )
        snapshots.refresh_pages(session, job.source_id, {page.document.normalized_url_group for _, page in pages})


def _snapshot(
    job: StoredJob, warc: KnownWarc, facts: CaptureFacts, page: PageFacts, capture_id: int, document_id: int
) -> NewSnapshot:
    capture = facts.capture
    return NewSnapshot(
        job_id=job.id,
        source_id=job.source_id,
        capture_id=capture_id,
        document_id=document_id,
        url=capture.url,
        normalized_url_group=page.document.normalized_url_group,
        capture_timestamp=capture.captured_at,
        mime_type=page.mime_type,
        status_code=page.status_code,
        title=page.document.title,
        snippet=page.snippet,
        language=page.language,
        warc_path=warc.path,
        warc_record_id=capture.record_id or None,
        warc_offset=capture.offset,
        warc_length=capture.length,
        content_hash=page.content_hash,
    )
