"""Finds the capture of a URL that is closest to a moment, and reads its record.

Every replay uses `find_capture`, so captures that must not be shown are excluded there.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from webstrata.db.engine import Database
from webstrata.db.replay import closest
from webstrata.db.replay.closest import Neighbours
from webstrata.db.retention import tombstones
from webstrata.errors import NotFoundError, OutsideRootError, UsageError
from webstrata.model.archive import RecordPlace
from webstrata.model.browser.posted import split_posted_url
from webstrata.model.captures import ArchivedCapture
from webstrata.model.crawl.fetching import REDIRECT_STATUSES
from webstrata.model.replay.closest import by_closeness
from webstrata.model.replay.url_ranges import other_keys
from webstrata.model.retention.tombstones import WithheldCapture
from webstrata.model.urls import join, surt
from webstrata.replay.raw import find_record_for_snapshot
from webstrata.storage.paths import place_of
from webstrata.warc.reader import ArchiveRecord
from webstrata.warc.request_records import requested_url

NOT_ARCHIVED = "This archive has no capture of {url}"


@dataclass(frozen=True)
class FoundCapture:
    """A capture and its record, whose payload may come from another record."""

    capture: ArchivedCapture
    record: ArchiveRecord

    @property
    def redirect_target(self) -> str | None:
        """Return the target of an archived redirect; None when it is not a redirect, or not to a web address."""
        location = self.record.headers.get("location")
        if self.record.status_code not in REDIRECT_STATUSES or not location:
            return None
        return join(self.record.url, "".join(c if c.isascii() else f"%{ord(c) & 0xFF:02X}" for c in location))


@dataclass(frozen=True)
class ReplayArchive:
    """Looks captures up in the database, and reads their records."""

    database: Database
    root: Path

    def find_capture(
        self,
        url: str,
        moment: datetime,
        *,
        since: datetime | None = None,
        decode: bool = True,
        allow_loops: bool = False,
    ) -> FoundCapture:
        """Return the capture of a URL that is closest to a moment and can be read; NotFoundError without one.

        With `since`, captures of the period that ends at the moment are preferred. A redirect to its own URL (such as
        from http to https, or to `www.`, which count as the same URL) is skipped unless loops are allowed, because
        following it would never end. With `decode`, the content encoding of the body is removed.
        """
        problem = NotFoundError(NOT_ARCHIVED.format(url=url))
        for capture in self._candidates(url, moment, since):
            try:
                found = FoundCapture(capture, self._record(capture, decode=decode))
            except NotFoundError as error:
                problem = error
                continue
            if allow_loops or not _leads_to_itself(found):
                return found
        raise problem

    def tombstone(self, url: str, moment: datetime | None) -> WithheldCapture | None:
        """Return the tombstone of a URL's capture within a second, or of the newest one; None when there is none."""
        key = surt(url)
        with self.database.read() as session:
            if moment is None:
                return tombstones.last_tombstone(session, key)
            return tombstones.tombstone_at(session, key, moment)

    def neighbours(self, capture: ArchivedCapture) -> Neighbours:
        """Return the captures around one in the history of its URL."""
        with self.database.read() as session:
            return closest.neighbours(session, capture)

    def closest_of_job(self, job_id: int, url: str, moment: datetime) -> ArchivedCapture | None:
        """Return the capture of a URL by a job that is closest to a moment."""
        for key in (surt(url), *other_keys(surt(url))):
            with self.database.read() as session:
                near = closest.captures_near(session, key, moment, job_id)
            if near:
                return by_closeness(near, url, moment)[0]
        return None

    def _candidates(self, url: str, moment: datetime, since: datetime | None) -> Iterator[ArchivedCapture]:
        """Yield captures of a URL, the closest first: those of the same second, then the others, which are queried only
        if needed."""
        has_any = False
        for capture in self._captures_of(url, moment, since):
            has_any = True
            yield capture
        posted = None if has_any else split_posted_url(url)
        if posted is not None:
            # WARC files of other tools do not store the request's body in the response's URL, so the request record is
            # read.
            captures = list(self._captures_of(posted[0], moment, since))
            yield from sorted(captures, key=lambda capture: not self._responds_to(capture, url))

    def _responds_to(self, capture: ArchivedCapture, url: str) -> bool:
        """Return whether the request record after a capture has the body that a URL states."""
        if not capture.warc_path or capture.length is None:
            return False
        try:
            path = place_of(self.root, capture.warc_path, capture.output_dir)
        except OutsideRootError:
            return False
        requested = requested_url(path, capture.offset + capture.length, capture.url)
        return requested is not None and surt(requested) == surt(url)

    def _captures_of(self, url: str, moment: datetime, since: datetime | None) -> Iterator[ArchivedCapture]:
        key = surt(url)
        with self.database.read() as session:
            exact = closest.captures_at(session, key, moment)
        yield from by_closeness(exact, url, moment)
        has_any = bool(exact)
        for other in (key, *other_keys(key)):
            with self.database.read() as session:
                near = closest.captures_near(session, other, moment)
            yield from (one for one in by_closeness(near, url, moment, since) if one not in exact)
            has_any = has_any or bool(near)
            if has_any:
                return

    def _record(self, capture: ArchivedCapture, *, decode: bool) -> ArchiveRecord:
        place = RecordPlace(
            warc_path=capture.warc_path,
            offset=capture.offset,
            length=capture.length,
            record_id=capture.record_id,
            url=capture.url,
            captured_at=capture.captured_at,
            output_dir=capture.output_dir,
            capture_id=capture.id,
        )
        return find_record_for_snapshot(place, database=self.database, archive_root=self.root, decode=decode)


def _leads_to_itself(found: FoundCapture) -> bool:
    target = found.redirect_target
    try:
        return target is not None and surt(target) == found.capture.url_key
    except UsageError:
        return False
