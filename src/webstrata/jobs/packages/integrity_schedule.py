"""Scheduled integrity checks by workers: made in slices, each of which continues after the last."""

import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import structlog

from webstrata.db.engine import Database
from webstrata.db.operations import audit_log, integrity_checks
from webstrata.db.retention import retention
from webstrata.jobs.packages.integrity import InterruptedCheckError, NextPart, as_part, next_part
from webstrata.model.integrity.checks import StoredCheck, is_check_due
from webstrata.warc.verify import Report

log = structlog.get_logger()

SLICE_SECONDS = 20.0
"""After so many seconds a slice starts no further file; the next slice continues."""

_PERMIT = "integrity"
_BETWEEN_SLICES = timedelta(seconds=45)
"""How long other workers wait after one began a slice."""


@dataclass(frozen=True)
class IntegritySchedule:
    """Checks the archive at an interval; with an interval of zero, only on request."""

    database: Database
    archive_root: Path
    interval: timedelta
    slice_seconds: float = SLICE_SECONDS

    def run_due(self, now: datetime, interrupted: threading.Event) -> None:
        """Run the next slice of a check that is in progress or due, unless another worker does."""
        check = self._due_check(now)
        if check is not None:
            self._run_slice(check, now, interrupted)

    def _due_check(self, now: datetime) -> StoredCheck | None:
        """Return the check to continue; one that is due is begun."""
        with self.database.read() as session:
            running = integrity_checks.running_check(session)
            last = integrity_checks.last_check(session)
            first_file = integrity_checks.first_file_time(session)
        last_end = last.ended_at if last is not None else None
        if running is None and not is_check_due(last_end, first_file, self.interval, now):
            return None
        with self.database.write() as session:
            if not retention.take_permit(session, _PERMIT, now, _BETWEEN_SLICES):
                return None
            return integrity_checks.running_check(session) or integrity_checks.begin_check(session, "schedule", now)

    def _run_slice(self, check: StoredCheck, now: datetime, interrupted: threading.Event) -> None:
        began = time.monotonic()
        while not interrupted.is_set():
            try:
                part = next_part(self.database, self.archive_root, check.position, interrupted.is_set)
            except InterruptedCheckError:
                return
            spent = time.monotonic() - began
            following = self._store(check, part, now + timedelta(seconds=spent))
            if following is None or spent >= self.slice_seconds:
                return
            check = following

    def _store(self, check: StoredCheck, part: NextPart | None, now: datetime) -> StoredCheck | None:
        """Store a part of a check; None when the check is over, or when another process has continued it."""
        with self.database.write() as session:
            if part is None:
                integrity_checks.end_check(session, check, now)
            elif not integrity_checks.advance_check(session, check, part.position, part.found, now):
                return None
            going_on = integrity_checks.running_check(session)
        if part is None:
            _log_end(check)
            return None
        return going_on


def request_check(database: Database, now: datetime) -> None:
    """Begin a check, which workers continue, unless one is under way; the audit log records it."""
    with database.write() as session:
        if integrity_checks.running_check(session) is None:
            check = integrity_checks.begin_check(session, "manual", now)
            audit_log.record(session, "integrity.check", f"integrity:{check.id}", after={"trigger": "manual"})


def store_report(database: Database, report: Report, began_at: datetime) -> None:
    """Store the result of a check that ran without slices."""
    if database.is_read_only:
        return
    now = datetime.now(UTC)
    with database.write() as session:
        check = integrity_checks.begin_check(session, "manual", began_at)
        integrity_checks.advance_check(session, check, check.position, as_part(report), now)
        integrity_checks.end_check(session, check, now)


def _log_end(check: StoredCheck) -> None:
    report = log.error if check.problem_count else log.info
    report("integrity.checked", files=check.files, bytes=check.bytes_read, problems=check.problem_count)
