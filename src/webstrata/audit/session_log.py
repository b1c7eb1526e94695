"""The log of an audit session: every entry is committed when it happens, and exported as JSON lines at the end."""

import json
from collections.abc import Callable, Iterable
from datetime import UTC, datetime

from webstrata.coordination.threads import in_thread
from webstrata.db.auditing import pages
from webstrata.db.engine import Database
from webstrata.model.auditing.sessions import AuditEventType, AuditLogEntry, AuditLogLevel

MAX_ENTRIES = 2_000
"""The most entries of one session, as a hostile page could cause any number."""

_MAX_CHARACTERS = 500

Watch = Callable[[AuditLogEntry], None]


class SessionLog:
    """Writes the entries of one session."""

    def __init__(self, database: Database, session_id: str, watch: Watch = lambda _entry: None) -> None:
        """Log into a database; `watch` is called with every entry."""
        self._database = database
        self._session_id = session_id
        self._watch = watch
        self._written = 0

    async def info(self, event_type: AuditEventType, message: str, **details: object) -> None:
        """Log an expected event."""
        await self._write(AuditLogLevel.INFO, event_type, message, details)

    async def warning(self, event_type: AuditEventType, message: str, **details: object) -> None:
        """Log an event that weakens the evidence."""
        await self._write(AuditLogLevel.WARNING, event_type, message, details)

    async def error(self, event_type: AuditEventType, message: str, **details: object) -> None:
        """Log a failure."""
        await self._write(AuditLogLevel.ERROR, event_type, message, details)

    async def _write(
        self, level: AuditLogLevel, event_type: AuditEventType, message: str, details: dict[str, object]
    ) -> None:
        self._written += 1
        if self._written > MAX_ENTRIES:
            return
        short = {name: _short(value) for name, value in details.items() if value is not None}
        entry = AuditLogEntry(datetime.now(UTC), level, event_type, str(_short(message)), short)
        self._watch(entry)
        await in_thread(self._store, entry)

    def _store(self, entry: AuditLogEntry) -> None:
        with self._database.write() as session:
            pages.add_log(session, self._session_id, entry)


def export_log(entries: Iterable[AuditLogEntry], session_id: str) -> bytes:
    """Return the log of a session as JSON lines."""
    lines = [
        {
            "timestamp": entry.timestamp.isoformat(),
            "session_id": session_id,
            "level": entry.level.value,
            "event_type": entry.event_type.value,
            "message": entry.message,
            "details": entry.details,
        }
        for entry in entries
    ]
    return b"".join(json.dumps(line, ensure_ascii=False, sort_keys=True).encode() + b"\n" for line in lines)


def _short(value: object) -> object:
    return value[:_MAX_CHARACTERS] if isinstance(value, str) else value
