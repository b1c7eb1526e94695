"""Indexing and the viewer under their old names and with their old arguments."""

import hashlib

from webstrata.app import App
from webstrata.compat.configuration import ArchiveToolConfig, opened_app
from webstrata.db.operations import catalog
from webstrata.db.queue import jobs
from webstrata.db.schema.tables import ArchiveJob, Snapshot, Source
from webstrata.errors import NotFoundError
from webstrata.jobs.running.persistent import index_persistent_job
from webstrata.model.archive import RecordPlace
from webstrata.model.urls import url_group
from webstrata.replay import raw
from webstrata.storage.paths import recorded_as
from webstrata.warc.reader import ArchiveRecord


def index_job(job_id: int) -> int:
    """Index a job whose crawl is over; return 0, or 1 when it failed. ConflictError for a job without a source."""
    with opened_app() as app:
        return index_persistent_job(job_id, context=app.context())


def record_to_snapshot(
    job: ArchiveJob, source: Source, rec: ArchiveRecord, title: str, snippet: str, language: str | None
) -> Snapshot:
    """Return a new row for a record, not yet in a session; only `index_job` also makes a page's text searchable."""
    return Snapshot(
        job_id=job.id,
        source_id=source.id,
        url=rec.url,
        normalized_url_group=url_group(rec.url, tuple(source.page_parameters or ())),
        capture_timestamp=rec.capture_timestamp,
        mime_type=rec.mime_type,
        status_code=rec.status_code,
        title=title,
        snippet=snippet,
        language=language,
        warc_path=recorded_as(ArchiveToolConfig().archive_root, rec.warc_path),
        warc_record_id=rec.warc_record_id,
        warc_offset=rec.offset,
        warc_length=rec.length,
        content_hash=hashlib.sha256(rec.body_bytes).hexdigest(),
    )


def find_record_for_snapshot(snapshot: Snapshot) -> ArchiveRecord | None:
    """Return the record that a snapshot was made from, or None when it is not in the archive any more."""
    with opened_app() as app:
        try:
            place = _place(app, snapshot)
            return raw.find_record_for_snapshot(place, database=app.database, archive_root=app.archive_root)
        except NotFoundError:
            return None


def _place(app: App, snapshot: Snapshot) -> RecordPlace:
    """Return the position of a snapshot's record, even for a row that is not stored yet."""
    snapshot_id = getattr(snapshot, "id", None)
    with app.database.read() as session:
        stored = None if snapshot_id is None else catalog.record_place(session, snapshot_id)
        if stored is not None:
            return stored
        job = jobs.load_job(session, snapshot.job_id) if snapshot.job_id is not None else None
    return RecordPlace(
        warc_path=snapshot.warc_path,
        offset=snapshot.warc_offset,
        length=snapshot.warc_length,
        record_id=snapshot.warc_record_id,
        url=snapshot.url,
        captured_at=snapshot.capture_timestamp,
        output_dir=job.output_dir if job else None,
    )
