"""The rows of a batch: documents, snapshots, links and pages. Indexing again never deletes a snapshot."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from webstrata.db.captures import snapshots
from webstrata.db.captures.captures import KnownWarc
from webstrata.db.captures.documents import DocumentKey, forget_documents, store_documents
from webstrata.db.captures.new_rows import NewCapture, Problem
from webstrata.db.captures.page_metadata import store_metadata
from webstrata.db.captures.snapshots import CopiedPage, KnownSnapshot, NewSnapshot
from webstrata.db.changes.changes import add_pending
from webstrata.db.engine import Session
from webstrata.db.links.links import SnapshotLinks, store_outlinks
from webstrata.db.queue.jobs import StoredJob
from webstrata.db.sources.totals import hold_totals
from webstrata.index.reading import FoundPage, ReadCapture
from webstrata.index.revisits import RevisitResolution


@dataclass
class Batch:
    """The captures of a file in the byte range `within`."""

    warc: KnownWarc
    found: list[ReadCapture]
    problems: list[Problem]
    within: tuple[int, int] | None = None


@dataclass
class BatchIds:
    """The ids of a batch's captures and snapshots, by offset."""

    captures: dict[int, int] = field(default_factory=dict)
    snapshots: dict[int, int] = field(default_factory=dict)
    before: dict[int, KnownSnapshot] = field(default_factory=dict)
    """The snapshots that exist already, by offset."""
    resolution: RevisitResolution = field(default_factory=RevisitResolution)


_CopiedLinks = tuple[tuple[str, ...], int | None]
"""The links of a copy, or the snapshot under which they are stored already."""


@dataclass(frozen=True)
class SnapshotIds:
    """The ids that a snapshot refers to: its own, and those of its capture, text, page and file."""

    snapshot_id: int
    capture_id: int
    document_id: int
    normalized_url_group: str
    warc_path: str


def write_rows(
    session: Session,
    job: StoredJob,
    batch: Batch,
    ids: BatchIds,
    added: Collection[DocumentKey] = (),
    *,
    is_announced: bool,
) -> int:
    """Write a batch, whose texts `added` this transaction has stored already, and return its number of pages.

    With `is_announced` its changes are announced to watchers.
    """
    return _Rows(job, batch, ids, added).write(session, is_announced=is_announced)


class _Rows:
    """The rows of one batch."""

    def __init__(self, job: StoredJob, batch: Batch, ids: BatchIds, added: Collection[DocumentKey]) -> None:
        self._job = job
        self._batch = batch
        self._ids = ids
        self._added = added

    def write(self, session: Session, *, is_announced: bool) -> int:
        """Write the rows and return the number of pages."""
        hold_totals(session, self._job.source_id)
        read = self._read_pages(session)
        snapshots.save_snapshots(session, read)
        copies, targets = self._copies(session)
        snapshots.save_snapshots(session, copies)
        links = self._links(read) + [_links_of(copy, *targets[copy.capture_id]) for copy in copies]
        store_outlinks(session, links)
        store_metadata(session, self._metadata())
        known = {snapshot.id for snapshot in self._ids.before.values()}
        new = [snapshot.id for snapshot in (*read, *copies) if snapshot.id is not None and snapshot.id not in known]
        add_pending(session, self._job.source_id, new, is_announced=is_announced)
        before = list(self._ids.before.values())
        groups = {snapshot.normalized_url_group for snapshot in (*read, *copies)}
        groups |= {known.normalized_url_group for known in before if known.normalized_url_group}
        shown = {one.document_id for one in (*read, *copies)}
        unshown = {known.document_id for known in before if known.document_id is not None} - shown
        forget_documents(session, unshown)
        snapshots.refresh_pages(session, self._job.source_id, groups)
        return len(read) + len(copies)

    def _read_pages(self, session: Session) -> list[NewSnapshot]:
        pages = [(found.capture, found.page) for found in self._batch.found if found.page is not None]
        stored = store_documents(session, [page.document for _, page in pages], self._added)
        return [self._snapshot(capture, page, stored[page.document.key]) for capture, page in pages]

    def _copies(self, session: Session) -> tuple[list[NewSnapshot], dict[int, _CopiedLinks]]:
        """Return the snapshots of revisits of an indexed page, with the links of each, by capture."""
        copies = self._ids.resolution.copies
        if not copies:
            return [], {}
        originals = snapshots.known_snapshots(session, list(copies.values()))
        pages = snapshots.copied(session, [known.id for known in originals.values()])
        own_links = {
            self._ids.captures[found.capture.offset]: found.page.outlinks for found in self._batch.found if found.page
        }
        made: list[NewSnapshot] = []
        targets: dict[int, _CopiedLinks] = {}
        for found in self._batch.found:
            original = originals.get(copies.get(found.capture.offset, 0))
            if original is None:
                continue
            page = pages[original.id]
            made.append(self._copy(found.capture, page))
            own = own_links.get(copies[found.capture.offset])
            targets[made[-1].capture_id] = ((), page.outlinks_from) if own is None else (own, None)
        return made, targets

    def _links(self, read: Sequence[NewSnapshot]) -> list[SnapshotLinks]:
        pages = [found.page for found in self._batch.found if found.page is not None]
        return [_links_of(snapshot, page.outlinks) for snapshot, page in zip(read, pages, strict=True)]

    def _metadata(self) -> dict[str, str]:
        pages = (found.page for found in self._batch.found if found.page is not None and found.page.metadata)
        return {page.content_hash: page.metadata for page in pages if page.content_hash is not None}

    def _snapshot(self, capture: NewCapture, page: FoundPage, document_id: int) -> NewSnapshot:
        ids = self._snapshot_ids(capture, document_id, page.document.normalized_url_group)
        return record_to_snapshot(
            self._job,
            self._job.source_id,
            capture,
            page.document.title,
            page.snippet,
            page.language,
            page=page,
            ids=ids,
        )

    def _copy(self, capture: NewCapture, page: CopiedPage) -> NewSnapshot:
        ids = self._snapshot_ids(capture, page.document_id, page.normalized_url_group)
        return record_to_snapshot(
            self._job, self._job.source_id, capture, page.title, page.snippet, page.language, page=page, ids=ids
        )

    def _snapshot_ids(self, capture: NewCapture, document_id: int, group: str) -> SnapshotIds:
        ids, offset = self._ids, capture.offset
        return SnapshotIds(ids.snapshots[offset], ids.captures[offset], document_id, group, self._batch.warc.path)


def record_to_snapshot(
    job: StoredJob,
    source: int,
    rec: NewCapture,
    title: str,
    snippet: str,
    language: str | None,
    *,
    page: FoundPage | CopiedPage,
    ids: SnapshotIds,
) -> NewSnapshot:
    """Return the snapshot of a record: its metadata, its location, and its ids."""
    return NewSnapshot(
        job_id=job.id,
        source_id=source,
        capture_id=ids.capture_id,
        document_id=ids.document_id,
        url=rec.url,
        normalized_url_group=ids.normalized_url_group,
        capture_timestamp=rec.captured_at,
        mime_type=page.mime_type,
        status_code=page.status_code,
        title=title,
        snippet=snippet,
        language=language,
        warc_path=ids.warc_path,
        warc_record_id=rec.record_id or None,
        warc_offset=rec.offset,
        warc_length=rec.length,
        content_hash=page.content_hash,
        quality=page.quality,
        quality_kind=page.quality_kind,
        quality_reasons=page.quality_reasons,
        id=ids.snapshot_id,
    )


def _links_of(snapshot: NewSnapshot, targets: tuple[str, ...], same_as: int | None = None) -> SnapshotLinks:
    assert snapshot.id is not None
    ok = snapshot.status_code is None or 200 <= snapshot.status_code <= 299
    return SnapshotLinks(
        snapshot_id=snapshot.id,
        source_id=snapshot.source_id,
        normalized_url_group=snapshot.normalized_url_group,
        captured_at=snapshot.capture_timestamp,
        ok=ok,
        targets=targets,
        same_as=same_as,
    )
