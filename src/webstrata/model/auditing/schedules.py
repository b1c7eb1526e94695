"""Scheduled audits of shops."""

from dataclasses import dataclass
from datetime import datetime

from webstrata.model.auditing.sessions import AuditMode


@dataclass(frozen=True)
class AuditSchedule:
    """A shop that is audited on a schedule."""

    id: int
    url: str
    mode: AuditMode
    schedule: str
    paused: bool
    next_run_at: datetime
    created_at: datetime
    last_session_id: str | None = None
    last_status: str | None = None
    """The status of the newest audit of the schedule."""

    def to_json(self) -> dict[str, object]:
        """Return the schedule as JSON."""
        return {
            "id": self.id,
            "url": self.url,
            "mode": self.mode.value,
            "schedule": self.schedule,
            "paused": self.paused,
            "next_run_at": self.next_run_at.isoformat(),
            "created_at": self.created_at.isoformat(),
            "last_session_id": self.last_session_id,
            "last_status": self.last_status,
        }
