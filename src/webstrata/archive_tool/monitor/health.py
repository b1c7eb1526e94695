"""Health of a crawl, read from its combined log while it is written: the number of pages, and failed visits. It reads
the lines of browsertrix-crawler, versions 0.x and 1.x, and of our own crawler, in the same form:

    {"context":"pageStatus","logLevel":"warn","message":"Page Load Failed: will retry","details":{"msg":"net::ERR_…",…}}
    {"context":"pageStatus","logLevel":"warn","message":"Page Load Failed","details":{"kind":"http","count":3,…}}

All other lines of a log are skipped, such as those of other programs and damaged ones.
"""

import json
import re
import stat
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TypeGuard

import structlog

from webstrata.model.crawl.failures import FAILURE_KINDS, HTTP, TIMEOUT
from webstrata.model.crawl.monitoring import Vitals
from webstrata.storage.combined_log import STATISTICS

log = structlog.get_logger()

LONGEST_LINE = 1_048_576
"""Longer lines are not from a crawler and are not buffered."""

_CHUNK = 1_048_576
_MOST_AT_ONCE = 64 * _CHUNK
"""The most bytes that one check reads; the rest waits for the next one."""

_MAKES_ZIM = b"Calling warc2zim with these args"
"""The line that zimit logs when the crawl is over and it builds the ZIM, which may take hours without a new page."""

_CONTEXTS = frozenset({"pageStatus", "general", "worker"})
"""The contexts in which a crawler reports visits; others, such as jsError, repeat messages of the pages themselves."""
_LEVELS = frozenset({"warn", "error"})
_TIMEOUTS = ("Page Load Timeout", "Page Loading Slowly", "Page load timed out", "Page Worker Timeout")
_FAILURES = (
    *("Page Load Failed", "Page Load Error", "Page Invalid Status", "Page Crashed on Load"),
    "Page is an empty non-200 response",
)
_TIMED_OUT = re.compile(r"Navigation timeout|TIMED_OUT|timed out", re.IGNORECASE)
_REPEATED_STATUS = re.compile(r"returned status code \d+$")
_TOO_MANY_REQUESTS, _BAD_REQUEST, _SERVER_ERROR = 429, 400, 500
_MOST = 2**31


class LogReader:
    """Parses a log piece by piece, and collects its statistics and failures."""

    def __init__(self, known: int = 0) -> None:
        """Begin; `known` is the number of pages that were crawled before, which do not count as progress."""
        self._known = known
        self._crawled: int | None = None
        self._rises = 0
        self._errors: Counter[str] = Counter()
        self._is_past_crawling = False
        self._last_failed: object = None
        self._rest = b""
        self._skips = False

    @property
    def vitals(self) -> Vitals:
        """Return the statistics and failures so far."""
        return Vitals(self._crawled, self._rises, dict(self._errors), self._is_past_crawling)

    def feed(self, piece: bytes) -> None:
        """Parse the next bytes; a line is parsed when it is complete."""
        *lines, rest = (self._rest + piece).split(b"\n")
        for line in lines:
            if not self._skips and len(line) <= LONGEST_LINE:
                self._take(line)
            self._skips = False
        self._skips = self._skips or len(rest) > LONGEST_LINE
        self._rest = b"" if self._skips else rest

    def begin_anew(self) -> None:
        """Discard an incomplete line that will never be completed."""
        self._rest, self._skips = b"", False

    def _take(self, line: bytes) -> None:
        entry = _parse_line(line)
        if entry is None:
            self._is_past_crawling = self._is_past_crawling or _MAKES_ZIM in line
            return
        details = entry["details"]
        assert isinstance(details, dict)
        if entry.get("message") == STATISTICS:
            self._take_statistics(details.get("crawled"))
        elif (kind := failure_in(entry, details)) is not None:
            self._take_failure(kind, details)

    def _take_statistics(self, crawled: object) -> None:
        if not _is_count(crawled):
            return
        before = self._known if self._crawled is None else self._crawled
        if crawled > before:
            self._rises += 1
            self._errors.clear()
        self._crawled = max(crawled, self._crawled or 0)

    def _take_failure(self, kind: str, details: Mapping[str, object]) -> None:
        page = details.get("page") or details.get("url")
        if page is not None and page == self._last_failed and not _CAUSES & details.keys():
            return  # Older versions log the failure a second time, after the line with the reason.
        self._last_failed = page
        count = details.get("count")
        self._errors[kind] += count if _is_count(count) and count > 0 else 1


class LogFollower:
    """Reads what was added to a log since the last check, also when another file replaces it."""

    def __init__(self, known: int = 0) -> None:
        """Begin with no file."""
        self._reader = LogReader(known)
        self._path: Path | None = None
        self._offset = 0
        self._complained = False

    def read(self, path: Path | None) -> Vitals:
        """Read the new part of a log and return all its statistics and failures; an unreadable log adds none."""
        if path is not None:
            try:
                self._read(path)
            except OSError as error:
                self._complain(path, error.strerror or str(error))
        return self._reader.vitals

    def _read(self, path: Path) -> None:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            return self._complain(path, "not an ordinary file")
        if path != self._path or found.st_size < self._offset:
            self._path, self._offset = path, 0
            self._reader.begin_anew()
        end = min(found.st_size, self._offset + _MOST_AT_ONCE)
        with path.open("rb") as file:
            file.seek(self._offset)
            while self._offset < end and (piece := file.read(min(_CHUNK, end - self._offset))):
                self._offset += len(piece)
                self._reader.feed(piece)
        return None

    def _complain(self, path: Path, reason: str) -> None:
        if not self._complained:
            log.warning("monitor.log.unreadable", file=str(path), reason=reason)
        self._complained = True


def failure_in(entry: Mapping[str, object], details: Mapping[str, object]) -> str | None:
    """Return the kind of the failed visit in a log line; None when the line reports no failure that counts."""
    message = str(entry.get("message"))
    if entry.get("context") not in _CONTEXTS or entry.get("logLevel") not in _LEVELS:
        return None
    if message.startswith(_TIMEOUTS):
        return TIMEOUT
    return _kind_of_failure(details) if message.startswith(_FAILURES) else None


def _kind_of_failure(details: Mapping[str, object]) -> str | None:
    if (kind := details.get("kind")) in FAILURE_KINDS:
        return str(kind)
    status = details.get("status", details.get("statusCode"))
    if _is_count(status) and status >= _BAD_REQUEST:
        # Unlike 404 and 403, these statuses mean that a later attempt may succeed.
        return HTTP if status == _TOO_MANY_REQUESTS or status >= _SERVER_ERROR else None
    # Only the beginning of the message: its end is the page's URL, which may contain anything.
    reason = str(details.get("msg", "")).partition(" at http")[0]
    if _REPEATED_STATUS.search(reason):
        return None
    return TIMEOUT if _TIMED_OUT.search(reason) else HTTP


_CAUSES = frozenset({"kind", "status", "statusCode", "msg"})


def _parse_line(line: bytes) -> Mapping[str, object] | None:
    """Return a line of JSON that a crawler may have written; None for any other."""
    if not line.lstrip().startswith(b"{"):
        return None
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) and isinstance(entry.get("details"), dict) else None


def _is_count(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST
