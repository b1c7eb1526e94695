"""Schedules of audits in a file beside the WARC folders, from which a rebuild restores them."""

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

import structlog

from webstrata.db.auditing import schedules
from webstrata.db.engine import Database
from webstrata.errors import NotFoundError, StorageError, WebstrataError
from webstrata.jobs.auditing.queueing import check_audit_url
from webstrata.model.auditing.schedules import AuditSchedule
from webstrata.model.auditing.sessions import AuditMode
from webstrata.model.jobs.schedules import parse_schedule
from webstrata.storage.disk import write_atomically

log = structlog.get_logger()

SCHEDULES_FILE = "audit-schedules.json"
_KIND, _VERSION = "webstrata-audit-schedules", 1
_STORED = ("id", "url", "mode", "schedule", "paused", "next_run_at", "created_at")


def write_schedules(database: Database, archive_root: Path) -> None:
    """Write all schedules to the archive's folder; a failure to write is only logged."""
    with database.read() as session:
        known = [one.to_json() for one in schedules.list_schedules(session)]
    listed = [{name: one[name] for name in _STORED} for one in known]
    content = {"version": _VERSION, "kind": _KIND, "schedules": listed}
    path = archive_root / SCHEDULES_FILE
    try:
        write_atomically(path, json.dumps(content, indent=2, ensure_ascii=False).encode("utf-8", "replace"))
    except (StorageError, NotFoundError) as error:
        log.error("manifest.failed", file=str(path), reason=str(error))


def restore_schedules(database: Database, archive_root: Path) -> list[str]:
    """Store the schedules of the archive's folder that the database lacks; return the problems of the file."""
    path = archive_root / SCHEDULES_FILE
    try:
        content = json.loads(path.read_bytes())
    except FileNotFoundError:
        return []
    except (OSError, ValueError, RecursionError) as error:
        return [f"{path}: {error}"]
    if not isinstance(content, dict) or (content.get("kind"), content.get("version")) != (_KIND, _VERSION):
        return [f"{path}: it is not a list of audit schedules that this program reads"]
    listed = content.get("schedules")
    problems: list[str] = []
    for entry in listed if isinstance(listed, list) else []:
        try:
            schedule = _schedule(entry)
            with database.write() as session:
                schedules.restore_schedule(session, schedule)
        except (KeyError, TypeError, ValueError, WebstrataError) as error:
            problems.append(f"{path}: a schedule cannot be restored: {error}")
    return problems


def _schedule(entry: Mapping[str, object]) -> AuditSchedule:
    number = entry["id"]
    if not isinstance(number, int) or isinstance(number, bool) or not 0 < number < 2**31:
        raise ValueError(f"its number cannot be {number!r:.40}")
    every = str(entry["schedule"])
    parse_schedule(every)
    return AuditSchedule(
        id=number,
        url=check_audit_url(str(entry["url"])),
        mode=AuditMode(str(entry["mode"])),
        schedule=every,
        paused=entry["paused"] is True,
        next_run_at=_moment(entry["next_run_at"]),
        created_at=_moment(entry["created_at"]),
    )


def _moment(value: object) -> datetime:
    moment = datetime.fromisoformat(str(value))
    if moment.tzinfo is None:
        raise ValueError(f"its date {value!r:.40} has no time zone")
    return moment
