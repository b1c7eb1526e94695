"""Combined logs: the output of a crawl, stored beside its WARC files, with statistics now and then.

    archive_<stage>_-_attempt_<n>_<YYYYmmdd_HHMMSS>.combined.log
    {"timestamp":"…Z","logLevel":"info","context":"crawlStatus","message":"Crawl statistics","details":{"crawled":4,…}}

Other crawlers write the same lines; other content of a log is skipped.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from webstrata.errors import StorageError

INITIAL_CRAWL, RESUME_CRAWL, NEW_CRAWL_PHASE = "initial_crawl", "resume_crawl", "new_crawl_phase"
FINAL_BUILD = "final_build_from_warcs"
STATISTICS = "Crawl statistics"

_NAME = re.compile(r"archive_(?P<stage>.+)_-_attempt_(?P<attempt>\d+)_(?P<when>\d{8}_\d{6})(-\d+)?\.combined\.log")
_MARK = STATISTICS.encode()
_FIRST_LOOK = 65_536
_LONGEST_LINE = 1_048_576


@dataclass(frozen=True)
class Statistics:
    """The progress of a crawl at a moment."""

    at: datetime
    crawled: int
    total: int
    pending: int
    failed: int


@dataclass(frozen=True)
class AttemptLog:
    """The log of one attempt at a crawl, and the facts in its name."""

    path: Path
    stage: str
    number: int
    began_at: datetime


def combined_log_name(stage: str, attempt: int, now: datetime) -> str:
    """Return the name of the log of an attempt that begins now."""
    return f"archive_{stage}_-_attempt_{attempt}_{now.astimezone(UTC):%Y%m%d_%H%M%S}.combined.log"


def next_attempt(output_dir: Path, stage: str) -> int:
    """Return the number of the next attempt at a stage, from the logs of earlier attempts."""
    attempts = [int(match["attempt"]) for match in map(_matched, _logs(output_dir)) if match["stage"] == stage]
    return max(attempts, default=0) + 1


def attempt_logs(output_dir: Path) -> list[AttemptLog]:
    """Return the logs of all attempts at a crawl, oldest first."""
    logs = sorted(_logs(Path(output_dir)), key=_age)
    return [found for found in map(_attempt_log, logs) if found is not None]


def latest_combined_log(output_dir: Path) -> Path | None:
    """Return the log of the last attempt, if there was one."""
    return max(_logs(Path(output_dir)), key=_age, default=None)


def statistics_line(now: datetime, *, crawled: int, total: int, pending: int, failed: int, most: int, hit: bool) -> str:
    """Return the line of a crawl's statistics; `most` is the limit of pages, 0 for none."""
    details: dict[str, object] = {"crawled": crawled, "total": total, "pending": pending, "failed": failed}
    details |= {"limit": {"max": most, "hit": hit}, "pendingPages": []}
    return log_line(now, "info", "crawlStatus", STATISTICS, details)


def log_line(now: datetime, level: str, context: str, message: str, details: Mapping[str, object]) -> str:
    """Return a line of a combined log, in the form that browsertrix-crawler writes."""
    line = {
        "timestamp": f"{now.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}"[:-3] + "Z",
        "logLevel": level,
        "context": context,
        "message": message,
        "details": details,
    }
    return json.dumps(line, separators=(",", ":")) + "\n"


def parse_last_stats_from_log(path: Path) -> dict[str, object] | None:
    """Return the details of the last statistics in a log, or None when it has none."""
    with _open_log(path) as log:
        size = os.fstat(log.fileno()).st_size
        look = _FIRST_LOOK
        while True:
            log.seek(max(0, size - look))
            for line in reversed(log.read(look).splitlines()):
                if (stats := _details(line)) is not None:
                    return dict(stats[1])
            if look >= size:
                return None
            look *= 8


def statistics_of(path: Path, points: int = 200) -> list[Statistics]:
    """Return about `points` statistics of a crawl, oldest first, including the last."""
    found: list[Statistics] = []
    step, last = 1, None
    for number, last in enumerate(_every_statistics(path)):
        if number % step == 0:
            found.append(last)
        if len(found) >= 2 * points:
            found, step = found[::2], step * 2
    if last is not None and found[-1] is not last:
        found.append(last)
    return found if len(found) <= points else [*found[:-1:2], found[-1]]


def tail(path: Path, lines: int = 200, max_bytes: int = 64_000) -> list[str]:
    """Return the last lines of a log; an incomplete first line is left out, unless it is the only one."""
    with _open_log(path) as log:
        size = os.fstat(log.fileno()).st_size
        log.seek(max(0, size - max_bytes))
        found = log.read(max_bytes).decode("utf-8", "replace").splitlines()
    whole = found[1:] if size > max_bytes and len(found) > 1 else found
    return whole[-lines:]


def _every_statistics(path: Path) -> Iterator[Statistics]:
    with _open_log(path) as log:
        while line := log.readline(_LONGEST_LINE):
            stats = _details(line)
            if stats is not None:
                yield Statistics(stats[0], *(_count(stats[1], name) for name in _COUNTS))


_COUNTS = ("crawled", "total", "pending", "failed")


def _details(line: bytes) -> tuple[datetime, Mapping[str, object]] | None:
    """Return the time and the values of a line of statistics; None for other or incomplete lines."""
    if _MARK not in line:
        return None
    try:
        entry = json.loads(line)
        details, moment = entry["details"], datetime.fromisoformat(entry["timestamp"])
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    if entry.get("message") != STATISTICS or not isinstance(details, dict):
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)), details


def _count(details: Mapping[str, object], name: str) -> int:
    value = details.get(name)
    return value if isinstance(value, int) else 0


def _logs(output_dir: Path) -> list[Path]:
    """Return the combined logs in a folder; one that is gone has none."""
    try:
        return [path for path in output_dir.iterdir() if _NAME.fullmatch(path.name) and path.is_file()]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise StorageError(f"{output_dir}: {error.strerror}") from error


def _age(log: Path) -> tuple[str, float, str]:
    return _matched(log)["when"], _modified(log), log.name


def _attempt_log(path: Path) -> AttemptLog | None:
    named = _matched(path)
    try:
        began_at = datetime.strptime(named["when"], "%Y%m%d_%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        # Digits that are no time: another file with a similar name.
        return None
    return AttemptLog(path, named["stage"], int(named["attempt"]), began_at)


def _matched(path: Path) -> re.Match[str]:
    match = _NAME.fullmatch(path.name)
    assert match is not None
    return match


def _modified(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def _open_log(path: Path) -> BinaryIO:
    try:
        return Path(path).open("rb")
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror}") from error
