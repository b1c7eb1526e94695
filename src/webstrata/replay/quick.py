"""Fast replay of small archived files by their exact timestamp.

A replayed page loads dozens of files, each with the exact second of its capture and with its original encoding.
"""

from datetime import datetime
from pathlib import Path

from webstrata.db.engine import Database
from webstrata.db.replay.exact_captures import ExactCaptures
from webstrata.errors import WarcError, WebstrataError
from webstrata.model.captures import ArchivedCapture
from webstrata.model.replay.closest import by_closeness
from webstrata.model.urls import surt
from webstrata.replay.finding import FoundCapture
from webstrata.storage.paths import place_of
from webstrata.warc.small_responses import read_small_response

MAX_QUICK_BYTES = 100_000
"""The largest compressed record on the fast path; larger ones would block the event loop for milliseconds."""

_MOST_PLACES = 4_096


class QuickArchive:
    """Finds captures for the fast path: complete responses of exactly this second, in existing files."""

    def __init__(self, database: Database, root: Path) -> None:
        """Look captures up in a database, and read them below a folder."""
        self._captures = ExactCaptures(database)
        self._root = root
        self._places: dict[tuple[str, str | None], Path] = {}

    def find(self, url: str, moment: datetime) -> FoundCapture | None:
        """Return the capture of a URL at a second with its body as it was sent; None for anything unusual."""
        try:
            captures = by_closeness(self._captures.find(surt(url), moment), url, moment)
            capture = captures[0] if captures else None
            if capture is None or not _is_plain(capture):
                return None
            place, length = self._place(capture), capture.length or 0
            record = read_small_response(place, capture.offset, length, capture.captured_at)
        except (WarcError, WebstrataError):
            return None
        return FoundCapture(capture, record) if record is not None and record.url == capture.url else None

    def _place(self, capture: ArchivedCapture) -> Path:
        """Return the path of a capture's file, checked once to be inside of the archive."""
        key = capture.warc_path, capture.output_dir
        found = self._places.get(key)
        if found is None:
            if len(self._places) >= _MOST_PLACES:
                self._places.clear()
            found = self._places[key] = place_of(self._root, *key)
        return found


def _is_plain(capture: ArchivedCapture) -> bool:
    return (
        capture.record_type == "response" and bool(capture.warc_path) and 0 < (capture.length or 0) <= MAX_QUICK_BYTES
    )
