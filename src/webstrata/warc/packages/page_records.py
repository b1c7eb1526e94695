"""The captures of one page: its own, those of its requisites, and those of redirect targets."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

from webstrata.db.captures import export_records
from webstrata.db.captures.export_records import ExportedRecord
from webstrata.db.engine import Database
from webstrata.db.operations import catalog
from webstrata.db.replay import closest, page_links
from webstrata.db.retention.tombstones import missing_snapshot
from webstrata.errors import NotFoundError, WebstrataError
from webstrata.model.captures import ArchivedCapture
from webstrata.model.crawl.fetching import REDIRECT_STATUSES
from webstrata.model.replay.closest import by_closeness
from webstrata.model.urls import join, surt
from webstrata.storage.paths import place_of
from webstrata.warc.reader import read_record
from webstrata.warc.renderings import find_loaded

_MOST_REDIRECTS = 5
_AT_ONCE = 400


def page_url(database: Database, snapshot_id: int) -> str:
    """Return the URL of a snapshot; NotFoundError when there is none, GoneError when it is withheld."""
    with database.read() as session:
        found = catalog.snapshot(session, snapshot_id)
        if found is None:
            raise missing_snapshot(session, snapshot_id)
    return found.url


def records_of_page(database: Database, archive_root: Path, snapshot_id: int) -> list[ExportedRecord]:
    """Return the captures of a page and of its requisites, without duplicates."""
    with database.read() as session:
        place = catalog.record_place(session, snapshot_id)
        listed = page_links.resources_of(session, snapshot_id).listed
    if place is None or place.capture_id is None:
        raise NotFoundError("There is no record of this snapshot in the archive")
    own = next(_records(database, [place.capture_id]))
    loaded = _loaded_captures(database, archive_root, own.capture)
    linked = (one.capture_id for one in listed if one.capture_id is not None)
    requested = dict.fromkeys([place.capture_id, *linked, *(capture.id for capture in loaded)])
    found = {record.capture.id: record for record in _records(database, list(requested))}
    for _ in range(_MOST_REDIRECTS):
        targets = list(_targets(database, archive_root, found.values(), place.captured_at))
        fresh = [capture.id for capture in targets if capture.id not in found]
        if not fresh:
            break
        found |= {record.capture.id: record for record in _records(database, fresh)}
    return [found[number] for number in dict.fromkeys([*requested, *found]) if number in found]


def _loaded_captures(database: Database, archive_root: Path, page: ArchivedCapture) -> Iterator[ArchivedCapture]:
    """Yield the captures, closest in time, of the URLs that the page loaded in the browser that captured it."""
    try:
        path = place_of(archive_root, page.warc_path, page.output_dir)
        urls = find_loaded(path, page.offset, page.length, page.url)
    except WebstrataError:
        return
    for url in urls:
        with database.read() as session:
            near = closest.captures_near(session, surt(url), page.captured_at)
        yield from by_closeness(near, url, page.captured_at)[:1]


def _records(database: Database, ids: list[int]) -> Iterator[ExportedRecord]:
    for start in range(0, len(ids), _AT_ONCE):
        with database.read() as session:
            yield from export_records.records_of_captures(session, ids[start : start + _AT_ONCE])


def _targets(
    database: Database, archive_root: Path, records: Iterable[ExportedRecord], moment: datetime
) -> Iterator[ArchivedCapture]:
    """Yield the captures, closest in time, of the targets of redirects among some records."""
    for record in records:
        if record.capture.status_code not in REDIRECT_STATUSES:
            continue
        target = _location(archive_root, record.capture)
        if target is None:
            continue
        with database.read() as session:
            near = closest.captures_near(session, surt(target), moment)
        yield from by_closeness(near, target, moment)[:1]


def _location(archive_root: Path, capture: ArchivedCapture) -> str | None:
    """Return the target of an archived redirect; None without a valid target."""
    try:
        path = place_of(archive_root, capture.warc_path, capture.output_dir)
        location = read_record(path, capture.offset, capture.length, decode=False).headers.get("location")
        target = join(capture.url, location) if location else None
        return target if target and surt(target) else None
    except WebstrataError:
        return None
