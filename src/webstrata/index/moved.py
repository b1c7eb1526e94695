"""Moved pages: URLs that had a page in earlier captures and now redirect to the home page, a login or a common target.

A redirect is not a page. But a redirect that replaces a page gets a snapshot without text, so that the history of the
page shows that it is not available. Replay follows the redirect as it was archived.
"""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import structlog

from webstrata.content.quality.moves import judge_moves
from webstrata.db.captures import moved_pages
from webstrata.db.captures.captures import KnownWarc
from webstrata.db.captures.moved_pages import StoredRedirect
from webstrata.db.engine import Database
from webstrata.db.queue.jobs import StoredJob
from webstrata.db.search.indexed_words import NewDocument, prepared
from webstrata.errors import WarcError
from webstrata.index.facts import facts_of
from webstrata.index.reading import FoundPage, ReadCapture, ReadingOptions, stored_reasons
from webstrata.index.writing import BATCH, IndexContext, store_late
from webstrata.model.quality import Quality, QualityKind
from webstrata.model.urls import url_group
from webstrata.storage.paths import place_of
from webstrata.warc.reader import ArchiveRecord, read_record

log = structlog.get_logger()

_MOVED = Quality(0.1, QualityKind.REDIRECT, ("it leads to another page",))


@dataclass(frozen=True)
class _Move:
    """A redirect at the address of a page, and its record."""

    warc: KnownWarc
    record: ArchiveRecord
    group: str
    is_promised: bool
    """Whether it had a snapshot in a database that was lost."""

    @property
    def target(self) -> str:
        return self.record.headers["location"]


def has_moved(database: Database, job: StoredJob) -> bool:
    """Return whether a job captured redirects at the addresses of pages that have no snapshot yet."""
    return any(was_shown for _, _, was_shown in _redirects(database, job))


def index_moved(context: IndexContext, files: Sequence[KnownWarc], stop_if_asked: Callable[[], None]) -> int:
    """Make snapshots of the redirects that replaced pages, and return their number."""
    moves = []
    for move in _moves(context, {warc.id: warc for warc in files}):
        stop_if_asked()
        moves.append(move)
    judged = judge_moves({move.record.url: move.target for move in moves})
    gone = [
        (move, judged.get(move.record.url, _MOVED)) for move in moves if move.is_promised or move.record.url in judged
    ]
    by_file: dict[int, list[tuple[_Move, Quality]]] = defaultdict(list)
    for move, quality in gone:
        by_file[move.warc.id].append((move, quality))
    for of_file in by_file.values():
        for start in range(0, len(of_file), BATCH):
            stop_if_asked()
            found = [_found(move, quality, context.kind) for move, quality in of_file[start : start + BATCH]]
            store_late(context, of_file[0][0].warc, found)
    return len(gone)


def _moves(context: IndexContext, files: Mapping[int, KnownWarc]) -> Iterator[_Move]:
    """Yield the redirects that may replace a page, and those that had a snapshot before the database was lost."""
    for redirect, group, was_shown in _redirects(context.database, context.job):
        warc = files.get(redirect.warc_file_id)
        if warc is None:
            continue
        promised = context.promised.ids(warc.filename, redirect.offset, redirect.record_id)
        is_promised = promised is not None and promised[1] is not None
        record = _read(context, warc, redirect) if was_shown or is_promised else None
        if record is not None and record.headers.get("location"):
            yield _Move(warc, replace(record, body_bytes=b""), group, is_promised)


def _redirects(database: Database, job: StoredJob) -> Iterator[tuple[StoredRedirect, str, bool]]:
    """Yield redirects without a snapshot, its group, and whether an earlier job was the last to show the page."""
    after_id = 0
    while True:
        with database.read() as session:
            redirects = moved_pages.redirects_of(session, job.id, after_id, BATCH)
            groups = {one.capture_id: url_group(one.url, job.page_parameters) for one in redirects}
            shown = moved_pages.last_shown(session, job.source_id, set(groups.values()))
        for redirect in redirects:
            group = groups[redirect.capture_id]
            last = shown.get(group)
            if not redirect.has_snapshot:
                was_shown = last is not None and last.job_id != job.id and last.captured_at < redirect.captured_at
                yield redirect, group, was_shown
        if len(redirects) < BATCH:
            return
        after_id = redirects[-1].capture_id


def _read(context: IndexContext, warc: KnownWarc, redirect: StoredRedirect) -> ArchiveRecord | None:
    path: Path = place_of(context.archive_root, warc.path, context.job.output_dir)
    try:
        return read_record(path, redirect.offset, redirect.length, decode=False)
    except WarcError as error:
        # Indexing the file reported it as a problem already.
        log.info("index.redirect.unreadable", file=warc.filename, offset=redirect.offset, reason=str(error))
        return None


def _found(move: _Move, quality: Quality, kind: ReadingOptions) -> ReadCapture:
    record = move.record
    page = FoundPage(
        document=prepared(
            NewDocument(move.group, "", ""), for_sqlite=kind.for_sqlite, blocks="", regions="", fingerprint=None
        ),
        snippet="",
        language=None,
        content_hash=hashlib.sha256(move.target.encode("utf-8", "replace")).hexdigest(),
        mime_type=record.mime_type,
        status_code=record.status_code,
        outlinks=(),
        quality=quality.quality,
        quality_kind=quality.kind.value,
        quality_reasons=stored_reasons(quality),
    )
    return ReadCapture(facts_of(record, record).capture, page)
