"""Tombstones of withheld snapshots, and what is removed of a snapshot when it gets one."""

from collections.abc import Collection
from dataclasses import asdict, fields
from datetime import datetime

from sqlalchemy import and_, delete, exists, select, update
from sqlalchemy.orm import Session, aliased

from webstrata.db.assets.assets import batches
from webstrata.db.captures import snapshots
from webstrata.db.captures.documents import forget_documents
from webstrata.db.schema.link_tables import PageSignal, SnapshotOutlink
from webstrata.db.schema.retention_tables import Tombstone
from webstrata.db.schema.tables import ArchiveJob, Capture, Page, Snapshot, Source, WarcFile
from webstrata.db.sources.totals import hold_totals
from webstrata.errors import GoneError, NotFoundError, UsageError, WebstrataError
from webstrata.model.retention.tombstones import WithheldCapture
from webstrata.model.urls import surt

RecordKey = tuple[str, datetime]
"""A record's id and the time of its capture: copies in other files have the same. Some programs repeat ids."""

_AT_ONCE = 500


def describe(
    session: Session, snapshot_ids: Collection[int], reason: str, created_by: str, now: datetime
) -> dict[WithheldCapture, str]:
    """Return the tombstones that snapshots would get, each with its job's folder; unknown ones are left out."""
    rows = session.execute(
        select(Snapshot, Source.code, Capture.payload_digest, Capture.warc_record_id, ArchiveJob.output_dir)
        .outerjoin(Source, Snapshot.source_id == Source.id)
        .outerjoin(Capture, Snapshot.capture_id == Capture.id)
        .outerjoin(ArchiveJob, Snapshot.job_id == ArchiveJob.id)
        .where(Snapshot.id.in_(snapshot_ids))
        .order_by(Snapshot.id)
    )
    return {
        WithheldCapture(
            snapshot_id=snapshot.id,
            job_id=snapshot.job_id,
            source_code=code,
            url=snapshot.url,
            captured_at=snapshot.capture_timestamp,
            digest=digest or snapshot.content_hash,
            warc_filename=snapshot.warc_path.rpartition("/")[2],
            warc_offset=snapshot.warc_offset,
            warc_record_id=record_id or snapshot.warc_record_id or "",
            reason=reason,
            created_at=now,
            created_by=created_by,
        ): output_dir or ""
        for snapshot, code, digest, record_id, output_dir in rows
    }


def withhold(session: Session, capture: WithheldCapture) -> bool:
    """Store a tombstone and remove its snapshot from search, timelines and lists; False when that was done before."""
    row = session.get(Snapshot, capture.snapshot_id)
    if row is not None and row.source_id is not None:
        hold_totals(session, row.source_id)
    is_new = session.get(Tombstone, capture.snapshot_id) is None
    if is_new:
        session.add(Tombstone(**asdict(capture)))
        session.flush()
    if row is not None:
        _remove(session, row)
    return is_new or row is not None


def withheld_places(session: Session, filenames: Collection[str] | None = None) -> frozenset[tuple[str, int | None]]:
    """Return the records that are withheld, of all files or of some: file name and offset."""
    wanted = select(Tombstone.warc_filename, Tombstone.warc_offset)
    rows = session.execute(wanted if filenames is None else wanted.where(Tombstone.warc_filename.in_(filenames)))
    return frozenset((row.warc_filename, row.warc_offset) for row in rows)


def withheld_copies(session: Session, begin: datetime, end: datetime) -> frozenset[RecordKey]:
    """Return the records that were captured from one time to another and are withheld, wherever their copies are."""
    within = Tombstone.captured_at.between(begin, end), Tombstone.warc_record_id != ""
    rows = session.execute(select(Tombstone.warc_record_id, Tombstone.captured_at).where(*within))
    return frozenset((row.warc_record_id or "", row.captured_at) for row in rows)


def places_of_copies(session: Session) -> frozenset[tuple[str, int | None]]:
    """Return the records of the archive that are withheld, with their copies in other files: file name and offset."""
    is_copy = and_(
        Capture.warc_record_id == Tombstone.warc_record_id, Capture.capture_timestamp == Tombstone.captured_at
    )
    rows = session.execute(
        select(WarcFile.path, Capture.warc_offset)
        .select_from(Tombstone)
        .join(Capture, and_(is_copy, Capture.warc_record_id != ""))
        .join(WarcFile, Capture.warc_file_id == WarcFile.id)
    )
    return withheld_places(session) | {(row.path.rpartition("/")[2], row.warc_offset) for row in rows}


def with_copies(session: Session, snapshot_ids: Collection[int]) -> set[int]:
    """Return snapshots together with those of the same records in other files."""
    found = set(snapshot_ids)
    own, copy, of_copy = aliased(Snapshot), aliased(Capture), aliased(Snapshot)
    for part in batches(snapshot_ids, _AT_ONCE):
        rows = session.scalars(
            select(of_copy.id)
            .select_from(own)
            .join(Capture, own.capture_id == Capture.id)
            .join(copy, and_(copy.warc_record_id == Capture.warc_record_id, Capture.warc_record_id != ""))
            .join(of_copy, of_copy.capture_id == copy.id)
            .where(own.id.in_(part), copy.capture_timestamp == Capture.capture_timestamp)
        )
        found.update(rows)
    return found


def tombstone_at(session: Session, key: str, moment: datetime) -> WithheldCapture | None:
    """Return the tombstone of a capture of a URL within a second; None when there is none."""
    second = moment.replace(microsecond=0), moment.replace(microsecond=999_999)
    rows = session.scalars(select(Tombstone).where(Tombstone.captured_at.between(*second)))
    return next((_view(row) for row in rows if _has_key(row.url, key)), None)


def last_tombstone(session: Session, key: str) -> WithheldCapture | None:
    """Return the tombstone of the newest withheld capture whose record still exists; None without one."""
    is_its = and_(
        Tombstone.captured_at == Capture.capture_timestamp, Tombstone.warc_record_id == Capture.warc_record_id
    )
    newest = select(Tombstone).join(Capture, is_its).where(Capture.url_key == key)
    row = session.scalars(newest.order_by(Capture.capture_timestamp.desc()).limit(1)).first()
    return None if row is None else _view(row)


def tombstone_of(session: Session, snapshot_id: int) -> WithheldCapture | None:
    """Return a snapshot's tombstone; None when it has none."""
    row = session.get(Tombstone, snapshot_id)
    if row is None:
        return None
    return _view(row)


def _view(row: Tombstone) -> WithheldCapture:
    return WithheldCapture(**{field.name: getattr(row, field.name) for field in fields(WithheldCapture)})


def _has_key(url: str, key: str) -> bool:
    try:
        return surt(url) == key
    except UsageError:
        return False


def missing_snapshot(session: Session, snapshot_id: int, message: str = "Snapshot not found") -> WebstrataError:
    """Return the error for a snapshot that is not there: GoneError when a tombstone has the reason,
    else NotFoundError.
    """
    tombstone = tombstone_of(session, snapshot_id)
    return NotFoundError(message) if tombstone is None else GoneError(tombstone.sentence, tombstone.shown())


def _remove(session: Session, row: Snapshot) -> None:
    """Delete a snapshot with everything that shows its content; its WARC record and its id are not touched."""
    number, group, source_id, document_id = row.id, row.normalized_url_group, row.source_id, row.document_id
    # Those that follow it are captures of the same URL: the index of pages has them.
    following = (Snapshot.normalized_url_group == group, Snapshot.previous_id == number)
    session.execute(update(Snapshot).where(*following).values(previous_id=row.previous_id))
    # The condition of the index of those that share the links of another.
    is_shared = exists().where(Snapshot.outlinks_from == number, Snapshot.outlinks_from != Snapshot.id)
    session.execute(delete(SnapshotOutlink).where(SnapshotOutlink.snapshot_id == number, ~is_shared))
    session.expunge(row)
    snapshots.delete_snapshots(session, [number])
    if source_id is not None and group is not None:
        snapshots.refresh_pages(session, source_id, [group])
        # The index knows the pages of each source by name.
        of_any = (Page.source_id.in_(select(Source.id)), Page.normalized_url_group == group)
        newest = select(Page.latest_ok_snapshot_id).where(*of_any).limit(1)
        session.execute(
            update(PageSignal).where(PageSignal.snapshot_id == number).values(snapshot_id=newest.scalar_subquery())
        )
    if document_id is not None:
        forget_documents(session, [document_id])
