"""Adding, pausing, resuming and removing schedules of audits; the archive's folder is updated as well."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from webstrata.db.auditing import schedules
from webstrata.db.engine import Database
from webstrata.jobs.auditing.schedule import schedule_audits
from webstrata.jobs.auditing.schedule_file import write_schedules
from webstrata.model.auditing.schedules import AuditSchedule
from webstrata.model.auditing.sessions import AuditMode


@dataclass(frozen=True)
class AuditScheduleCommands:
    """Changes the schedules of an archive."""

    database: Database
    archive_root: Path

    def add(self, urls: Sequence[str], every: str, mode: AuditMode, now: datetime) -> list[AuditSchedule]:
        """Audit shops on a schedule, first at once; UsageError or ConflictError when one of them cannot be."""
        added = schedule_audits(self.database, urls, every, mode, now)
        write_schedules(self.database, self.archive_root)
        return added

    def set_paused(self, schedule_id: int, paused: bool) -> AuditSchedule:
        """Pause a schedule, or resume it; NotFoundError when there is none."""
        with self.database.write() as session:
            changed = schedules.set_paused(session, schedule_id, paused)
        write_schedules(self.database, self.archive_root)
        return changed

    def remove(self, schedule_id: int) -> AuditSchedule:
        """Remove a schedule; its audits stay."""
        with self.database.write() as session:
            removed = schedules.remove_schedule(session, schedule_id)
        write_schedules(self.database, self.archive_root)
        return removed
