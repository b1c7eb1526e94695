"""Revisits that precede their originals in the WARC files of a job: indexed after all its files."""

from collections.abc import Callable, Sequence
from pathlib import Path

from webstrata.db.captures import problems
from webstrata.db.captures.captures import KnownWarc
from webstrata.db.captures.payloads import payloads
from webstrata.db.captures.problems import UnresolvedRevisit
from webstrata.db.engine import Database
from webstrata.index.readers import Readers
from webstrata.index.reading import Portion, ReadCapture, WarcPart
from webstrata.index.version import INDEX_VERSION
from webstrata.index.writing import BATCH, IndexContext, store_late
from webstrata.storage.paths import PresentFiles, place_of
from webstrata.warc.reader import Span


def has_unresolved(database: Database, job_id: int) -> bool:
    """Return whether a job has revisits whose payload was not found."""
    return bool(_unresolved(database, job_id))


def index_late_revisits(
    context: IndexContext,
    readers: Readers,
    files: Sequence[KnownWarc],
    progress: Callable[[int], None],
    stop_if_asked: Callable[[], None],
) -> None:
    """Index the unresolved revisits whose originals have been indexed meanwhile."""
    unresolved = _unresolved(context.database, context.job.id)
    for warc in files:
        places = [one for one in unresolved if one.warc_file_id == warc.id]
        path = place_of(context.archive_root, warc.path, context.job.output_dir) if places else Path()
        for start in range(0, len(places), BATCH):
            stop_if_asked()
            spans = [Span(at.offset, at.offset + at.length, warc.committed_bytes) for at in places[start:][:BATCH]]
            found = [one for span in spans for one in _found_at(readers, WarcPart(path, span, context.kind))]
            progress(store_late(context, warc, _resolvable(context, found)))


def _unresolved(database: Database, job_id: int) -> list[UnresolvedRevisit]:
    with database.read() as session:
        return problems.unresolved_revisits(session, job_id)


def _found_at(readers: Readers, part: WarcPart) -> list[ReadCapture]:
    portions = (item for item in readers.read_again(part) if isinstance(item, Portion))
    return [found for portion in portions for found in portion.found]


def _resolvable(context: IndexContext, found: Sequence[ReadCapture]) -> list[ReadCapture]:
    requested = {one.refers_to for one in found if one.refers_to is not None}
    with context.database.read() as session:
        is_there = PresentFiles(context.archive_root).has
        known = payloads(session, context.job.source_id, requested, INDEX_VERSION, is_there)
    return [one for one in found if one.refers_to in known]
