"""Writes the index in batches, in the order of the file; ids are written to the journal before any row has them."""

from collections.abc import Callable, Collection, Container, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import structlog

from webstrata.db.captures import captures, problems, snapshots
from webstrata.db.captures.captures import KnownWarc
from webstrata.db.captures.documents import DocumentKey, add_documents
from webstrata.db.captures.new_rows import NewCapture, Problem
from webstrata.db.captures.payloads import Payload, payloads
from webstrata.db.engine import Database, Session
from webstrata.db.queue import index_leases
from webstrata.db.queue.index_leases import IndexLease
from webstrata.db.queue.jobs import StoredJob
from webstrata.db.sql import ids
from webstrata.db.sql.durability import commit_without_waiting
from webstrata.errors import WarcError
from webstrata.index.batch_writers import BatchWriters, Wait
from webstrata.index.reading import Place, Portion, ReadCapture, ReadingOptions, Revisit
from webstrata.index.revisits import NOT_THERE, RevisitResolution, resolve_revisits
from webstrata.index.rows import Batch, BatchIds, write_rows
from webstrata.index.version import INDEX_VERSION
from webstrata.index.withheld import WithheldKey
from webstrata.model.captures import DateSource
from webstrata.model.crawl.fetching import REDIRECT_STATUSES
from webstrata.storage.paths import PresentFiles, place_of
from webstrata.warc.cdxj import Journal, JournalLine, Promised

log = structlog.get_logger()

NO_LONGER_A_PAGE = "this record is no longer read as a page: its snapshot keeps the text of an earlier version"

BATCH = 400
BATCH_CHARACTERS = 10_000_000
"""Limits of a batch.

Each batch is one transaction, during which no other process can write to SQLite: it should take a fraction of a second.
"""

BATCH_BESIDE_CRAWL = 50
"""The size of a batch while the job is crawled: on SQLite the crawl's commits wait for it. With 400 they took a quarter
of the crawl's time on a busy machine, with 50 a tenth."""

ReadRevisit = Callable[[Revisit], ReadCapture]


@dataclass(frozen=True)
class IndexContext:
    """The context of writing, the same for a whole job."""

    database: Database
    archive_root: Path
    job: StoredJob
    lease: IndexLease
    journal: Journal
    promised: Promised
    kind: ReadingOptions
    read_revisit: ReadRevisit
    is_announced: bool
    """Whether changes are announced: for captures of a crawl, not for imported or rebuilt ones."""
    beside_crawl: bool = False
    """Whether the job's crawl is still running and writes to the database, too."""
    withheld: Container[WithheldKey] = frozenset()
    """The records that get no snapshot, because they are withheld."""
    writers: BatchWriters = field(default_factory=partial(BatchWriters, overlap=False))


class FileWriting:
    """Writes the captures of one file in batches; a batch that was written need not be indexed again."""

    def __init__(self, context: IndexContext, warc: KnownWarc, start: int, written: Callable[[int, int], None]) -> None:
        """Begin at a byte; `written` is called after each batch with its number of pages and the position in the
        file."""
        self._context = context
        self._warc = warc
        self._written = written
        self.position = start
        self._taken = start
        # What was indexed before may get other texts: the ones before are then deleted, which must not overlap.
        self._is_new = start >= warc.indexed_bytes
        self.problem_count = warc.problem_count if start else 0
        self._batch = BATCH_BESIDE_CRAWL if context.beside_crawl else BATCH
        self._has_begun = start > 0
        self._found: list[ReadCapture] = []
        self._problems: list[Problem] = []
        self._characters = 0

    def take(self, portion: Portion) -> None:
        """Add the next portion; full batches are written."""
        for passed in portion.passed_over:
            self._has_begun = True
            log.info("index.record.skipped", file=self._warc.filename, offset=passed.offset, reason=passed.reason)
        self._problems += portion.problems
        for found in portion.found:
            if len(self._found) >= self._batch or self._characters >= BATCH_CHARACTERS:
                self._write(found.capture.offset)
            self._found.append(found)
            self._characters += len(found.page.document.text) if found.page else 0
        if len(self._problems) >= BATCH:
            self._write(portion.position)

    def finish(self, end: int) -> None:
        """Write the last batch and mark the file as read; WarcError when it is not a WARC file."""
        if not self._has_begun and not self._found and self._problems:
            reason = self._problems[0].reason
            raise WarcError(f"{self._warc.path}: no record in it can be read ({reason})")
        self._write(end)
        self.settle()

    def settle(self) -> None:
        """Wait until the batches that were taken are stored."""
        self._context.writers.finish()

    def _write(self, position: int) -> None:
        here = [problem for problem in self._problems if problem.offset < position]
        batch = Batch(self._warc, self._found, here, (self._taken, position))
        self._taken, self._has_begun = position, True
        self._problems = [problem for problem in self._problems if problem.offset >= position]
        self._found, self._characters = [], 0
        writers, done = self._context.writers, partial(self._note_written, batch)
        # A revisit may lead to a text that no one has stored yet, which the next batch may store as well.
        if writers.overlap and self._is_new and not any(found.refers_to for found in batch.found):
            writers.run(partial(self._store, batch), done)
        else:
            writers.run_alone(partial(self._store, batch), done)

    def _store(self, batch: Batch, wait: Wait | None = None) -> int:
        if wait is None:
            pages = store(self._context, batch, self.problem_count)
        else:
            pages = _store_overlapping(self._context, batch, wait, lambda: self.problem_count)
        self.problem_count += len(batch.problems)
        return pages

    def _note_written(self, batch: Batch, pages: int) -> None:
        assert batch.within is not None
        self.position = batch.within[1]
        if batch.found:
            self._written(pages, self.position)


def store(context: IndexContext, batch: Batch, problem_count: int = 0) -> int:
    """Store a batch and return how many pages it has; problems found on the way are stored with it.

    In three steps: ids are taken, promised in the journal, and only then used in rows. If the process is killed in
    between, ids may be lost, but none is used twice.
    """
    _prepare(context, batch)
    batch_ids = _promise_ids(context, batch)
    with context.database.write() as session:
        texts = [found.page.document for found in batch.found if found.page is not None]
        added = frozenset() if context.database.is_sqlite else add_documents(session, texts)
        return _store_rows(session, context, batch, batch_ids, added, problem_count)


def _store_overlapping(context: IndexContext, batch: Batch, wait: Wait, problem_count: Callable[[], int]) -> int:
    """Store a batch whose texts are written while the batch before it is still being stored.

    It is one transaction with all other rows. PostgreSQL spends more time on the texts than on all the rest.
    """
    _prepare(context, batch)
    with context.database.write() as session:
        added = add_documents(session, [found.page.document for found in batch.found if found.page is not None])
        wait()
        batch_ids = _promise_ids(context, batch)
        return _store_rows(session, context, batch, batch_ids, added, problem_count())


def _prepare(context: IndexContext, batch: Batch) -> None:
    batch.found = [_with_promised_time(context, batch.warc, _as_shown(context, batch, found)) for found in batch.found]


def _promise_ids(context: IndexContext, batch: Batch) -> BatchIds:
    """Take ids for a batch, and write them to the journal before any row has them."""
    batch_ids = _give_ids(context, batch)
    _read_revisits(context, batch, batch_ids)
    _note_kept_snapshots(batch, batch_ids)
    for problem in batch.problems:
        log.warning("index.record.skipped", file=batch.warc.filename, offset=problem.offset, reason=problem.reason)
    context.journal.append(_promises(context, batch, batch_ids))
    return batch_ids


def _store_rows(
    session: Session,
    context: IndexContext,
    batch: Batch,
    batch_ids: BatchIds,
    added: Collection[DocumentKey],
    problem_count: int,
) -> int:
    pages = write_rows(session, context.job, batch, batch_ids, added, is_announced=context.is_announced)
    index_leases.check(session, context.lease)
    _note_state(session, context, batch, problem_count)
    # Should the server crash, these rows are read from the WARC file again, with the ids that the journal promised.
    commit_without_waiting(session)
    return pages


def store_late(context: IndexContext, warc: KnownWarc, found: Sequence[ReadCapture]) -> int:
    """Index revisits whose originals have been indexed meanwhile, and return the number of their pages."""
    return store(context, Batch(warc, list(found), []))


def _note_state(session: Session, context: IndexContext, batch: Batch, problem_count: int) -> None:
    if batch.within is None:
        unresolved = {problem.offset for problem in batch.problems}
        for found in batch.found:
            if found.capture.offset not in unresolved:
                problems.forget_problem(session, batch.warc.id, found.capture.offset)
        return
    # Problems after the batch are removed, too: they are counted again when that part is read again.
    problems.replace_problems(session, context.job.id, batch.warc.id, (batch.within[0], problems.END), batch.problems)
    captures.set_index_state(
        session,
        batch.warc.id,
        indexed_bytes=batch.within[1],
        index_version=INDEX_VERSION,
        problem_count=problem_count + len(batch.problems),
    )


def _give_ids(context: IndexContext, batch: Batch) -> BatchIds:
    """Record captures that the crawl did not record, and reserve an id for every snapshot without one."""
    with context.database.write() as session:
        batch_ids = BatchIds(_capture_ids(session, context, batch))
        by_capture = {capture: offset for offset, capture in batch_ids.captures.items()}
        before = snapshots.known_snapshots(session, list(by_capture))
        batch_ids.before = {by_capture[capture]: known for capture, known in before.items()}
        batch_ids.resolution = _resolve_revisits(session, context, batch, batch_ids)
        batch_ids.snapshots = {offset: known.id for offset, known in batch_ids.before.items()}
        batch_ids.snapshots |= _snapshot_ids(session, context, batch, batch_ids)
        index_leases.check(session, context.lease)
    return batch_ids


def _capture_ids(session: Session, context: IndexContext, batch: Batch) -> dict[int, int]:
    job, warc = context.job, batch.warc
    known = captures.capture_ids(session, warc.id, [found.capture.offset for found in batch.found])
    missing = [found.capture for found in batch.found if found.capture.offset not in known]
    if not missing:
        return known
    promised = {capture.offset: _promised(context, warc, capture) for capture in missing}
    requested = {ids_[0]: capture for capture in missing if (ids_ := promised[capture.offset]) is not None}
    taken = ids.taken(session, "captures", list(requested))
    free = {number: capture for number, capture in requested.items() if number not in taken}
    captures.add_captures_as(session, job.id, job.source_id, warc.id, free)
    known |= {capture.offset: number for number, capture in free.items()}
    rest = [capture for capture in missing if capture.offset not in known]
    captures.add_captures(session, job.id, job.source_id, warc.id, rest)
    return known | captures.capture_ids(session, warc.id, [capture.offset for capture in rest])


def _resolve_revisits(session: Session, context: IndexContext, batch: Batch, batch_ids: BatchIds) -> RevisitResolution:
    requested = {found.refers_to for found in batch.found if found.refers_to is not None}
    if not requested:
        return RevisitResolution()
    source_id, is_there = context.job.source_id, PresentFiles(context.archive_root).has
    known = payloads(session, source_id, requested, INDEX_VERSION, is_there)
    known = {original: _as_unread(context, payload) for original, payload in known.items()}
    own = {
        batch_ids.captures[found.capture.offset]: found
        for found in batch.found
        if found.refers_to is None and not _is_withheld(context, batch, found)
    }
    pages = {number for number, found in own.items() if found.page is not None}
    return resolve_revisits(batch.found, source_id, known, pages, own.keys() - pages)


def _snapshot_ids(session: Session, context: IndexContext, batch: Batch, batch_ids: BatchIds) -> dict[int, int]:
    """Return an id for each page without a snapshot: the id in the journal, else a new one."""
    resolution = batch_ids.resolution
    lacking = [
        found.capture
        for found in batch.found
        if (found.page is not None or found.capture.offset in resolution.copies.keys() | resolution.to_read.keys())
        and found.capture.offset not in batch_ids.before
    ]
    promised = {capture.offset: _promised(context, batch.warc, capture) for capture in lacking}
    requested = {offset: both[1] for offset, both in promised.items() if both is not None and both[1] is not None}
    taken = ids.taken(session, "snapshots", list(requested.values()))
    kept = {offset: number for offset, number in requested.items() if number not in taken}
    if kept:
        ids.lift(session, "snapshots", max(kept.values()))
    rest = [capture.offset for capture in lacking if capture.offset not in kept]
    return kept | dict(zip(rest, ids.reserve(session, "snapshots", len(rest)), strict=True))


def _is_withheld(context: IndexContext, batch: Batch, found: ReadCapture) -> bool:
    capture = found.capture
    keys: tuple[WithheldKey, ...] = (
        (batch.warc.filename, capture.offset),
        (capture.record_id, capture.captured_at),
    )
    return any(key in context.withheld for key in keys)


def _as_shown(context: IndexContext, batch: Batch, found: ReadCapture) -> ReadCapture:
    """Return a record without its page when it is withheld."""
    return replace(found, page=None, refers_to=None) if _is_withheld(context, batch, found) else found


def _as_unread(context: IndexContext, payload: Payload) -> Payload:
    """Return the payload of a withheld record marked as not indexed: it is a page, although it has no snapshot."""
    keys: tuple[WithheldKey, ...] = (
        (payload.warc_path.rpartition("/")[2], payload.offset),
        (payload.record_id, payload.captured_at),
    )
    is_withheld = any(key in context.withheld for key in keys)
    return replace(payload, is_indexed=False) if is_withheld else payload


def _with_promised_time(context: IndexContext, warc: KnownWarc, found: ReadCapture) -> ReadCapture:
    """Return a capture with its promised time: if the time came from the file, a copy of the file has another one."""
    capture = found.capture
    if capture.date_source is not DateSource.FILE:
        return found
    promised = context.promised.captured_at(warc.filename, capture.offset, capture.record_id)
    return found if promised is None else replace(found, capture=replace(capture, captured_at=promised))


def _promised(context: IndexContext, warc: KnownWarc, capture: NewCapture) -> tuple[int, int | None] | None:
    return context.promised.ids(warc.filename, capture.offset, capture.record_id)


def _read_revisits(context: IndexContext, batch: Batch, batch_ids: BatchIds) -> None:
    """Read the revisits whose page cannot be copied; one that cannot be read is recorded as a problem."""
    resolution = batch_ids.resolution
    for place, found in enumerate(batch.found):
        offset = found.capture.offset
        if offset in resolution.unresolved and offset not in batch_ids.before:
            batch.problems.append(Problem(offset, NOT_THERE, may_pass=True))
        elif offset in resolution.to_read:
            try:
                batch.found[place] = _read_revisit(context, batch.warc, found, resolution.to_read[offset])
            except WarcError as error:
                batch.problems.append(Problem(offset, str(error)))
                resolution.unresolved.append(offset)


def _note_kept_snapshots(batch: Batch, batch_ids: BatchIds) -> None:
    """Add a problem for each snapshot that retains its earlier text because its record is no longer read as a page."""
    resolution = batch_ids.resolution
    read = {found.capture.offset for found in batch.found if found.page is not None}
    explained = {problem.offset for problem in batch.problems}
    current = read | explained | resolution.copies.keys() | set(resolution.unresolved)
    # Redirects at URLs of known pages are judged after all files of the job are indexed (`index/moved.py`).
    current |= {one.capture.offset for one in batch.found if one.capture.status_code in REDIRECT_STATUSES}
    batch.problems += [Problem(offset, NO_LONGER_A_PAGE) for offset in sorted(batch_ids.before.keys() - current)]


def _read_revisit(context: IndexContext, warc: KnownWarc, found: ReadCapture, payload: Payload) -> ReadCapture:
    capture = found.capture
    own = place_of(context.archive_root, warc.path, context.job.output_dir)
    other = place_of(context.archive_root, payload.warc_path, payload.output_dir)
    revisit = Revisit(
        Place(own, capture.offset, capture.length), Place(other, payload.offset, payload.length), context.kind
    )
    return replace(found, page=context.read_revisit(revisit).page)


def _promises(context: IndexContext, batch: Batch, batch_ids: BatchIds) -> Iterable[JournalLine]:
    for found in batch.found:
        capture = found.capture
        both = batch_ids.captures[capture.offset], batch_ids.snapshots.get(capture.offset)
        if _is_withheld(context, batch, found):
            continue  # The id of its former snapshot remains promised to this record.
        if _promised(context, batch.warc, capture) != both:
            yield _line(batch.warc, capture, *both)


def _line(warc: KnownWarc, capture: NewCapture, capture_id: int, snapshot_id: int | None) -> JournalLine:
    return JournalLine(
        url_key=capture.url_key,
        captured_at=capture.captured_at,
        url=capture.url,
        mime_type=capture.mime_type,
        status_code=capture.status_code,
        digest=capture.payload_digest,
        length=capture.length,
        offset=capture.offset,
        filename=warc.filename,
        record_type=capture.record_type,
        record_id=capture.record_id,
        capture_id=capture_id,
        snapshot_id=snapshot_id,
        date_source=capture.date_source,
    )
