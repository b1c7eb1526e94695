"""Excerpts of a job's combined log for its operators: bounded, without control characters, without secrets."""

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import structlog

from webstrata.errors import StorageError
from webstrata.logs import HIDDEN, harmless
from webstrata.model.archive import JobView
from webstrata.storage.combined_log import latest_combined_log, tail

log = structlog.get_logger()

LINES_SHOWN = 200
LONGEST_LINE = 2_000
POINTS = 120

_URL_PASSWORD = re.compile(r"(://[^\s/?#@:]*):[^\s/?#]*@")
_SHORTEST_SECRET = 4
"""Shorter values are not hidden: that would also hide parts of ordinary words."""


@dataclass(frozen=True)
class JobLog:
    """The end of a job's log."""

    name: str
    lines: tuple[str, ...]


def log_tail(job: JobView, secrets: Collection[str] = (), lines: int = LINES_SHOWN) -> JobLog | None:
    """Return the end of a job's newest log; None without a log in its folder."""
    path = log_path(job)
    if path is None:
        return None
    try:
        found = tail(path, lines)
    except StorageError as error:
        log.warning("job.log.unreadable", job_id=job.id, reason=str(error))
        return None
    return JobLog(path.name, tuple(without_secrets_of(job.config or {}, line, secrets) for line in found))


def without_secrets_of(config: Mapping[str, object], text: str, secrets: Collection[str] = ()) -> str:
    """Return a line of a job's log with secrets hidden."""
    hidden = [secret for secret in (*secrets, *_secrets_of(config)) if len(secret) >= _SHORTEST_SECRET]
    return _redact_line(text, hidden)


def log_path(job: JobView) -> Path | None:
    """Return a job's newest log: the recorded one, else the newest in its folder; never one outside of the folder."""
    if not job.output_dir:
        return None
    folder = Path(job.output_dir)
    try:
        candidates = [folder / job.combined_log_path] if job.combined_log_path else []
        candidates += filter(None, [latest_combined_log(folder)])
        return next((path for path in candidates if path.is_file() and _lies_in(path, folder)), None)
    except (OSError, ValueError, StorageError) as error:
        log.warning("job.log.unreadable", job_id=job.id, reason=str(error))
        return None


def _lies_in(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())


def _secrets_of(config: Mapping[str, object]) -> list[str]:
    options = config.get("tool_options")
    command = options.get("vpn_connect_command") if isinstance(options, Mapping) else None
    # The value as it is, and as it is escaped in JSON.
    return [command, json.dumps(command)[1:-1]] if isinstance(command, str) else []


def _redact_line(line: str, hidden: Collection[str]) -> str:
    for secret in hidden:
        line = line.replace(secret, HIDDEN)
    line = _URL_PASSWORD.sub(rf"\1:{HIDDEN}@", line)
    return harmless(line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…")
