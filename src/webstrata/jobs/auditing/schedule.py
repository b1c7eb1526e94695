"""Schedules of audits: adding them, and queueing audits that are due."""

from collections.abc import Sequence
from datetime import datetime

import structlog

from webstrata.audit.policy import CrawlPolicy
from webstrata.db.auditing import schedules, sessions
from webstrata.db.engine import Database
from webstrata.jobs.auditing.queueing import check_audit_url, new_audit
from webstrata.model.auditing.schedules import AuditSchedule
from webstrata.model.auditing.sessions import AuditMode
from webstrata.model.jobs.schedules import next_run, parse_schedule

log = structlog.get_logger()

AT_ONCE = 50
"""The most audits that one transaction queues, so that no other writer waits for long."""


def schedule_audits(
    database: Database, urls: Sequence[str], every: str, mode: AuditMode, now: datetime
) -> list[AuditSchedule]:
    """Add schedules for shops, due at once; when one of them is invalid, none is added."""
    parse_schedule(every)
    addresses = dict.fromkeys(check_audit_url(url) for url in urls)
    with database.write() as session:
        return [schedules.add_schedule(session, address, mode, every, now) for address in addresses]


def queue_due_audits(database: Database, policy: CrawlPolicy, now: datetime) -> list[str]:
    """Queue an audit for each schedule that is due, and return the audits.

    However many scheduled times were missed, one audit is queued; none while the schedule's last one is running.
    """
    queued: list[str] = []
    while True:
        with database.read() as session:
            if not schedules.due_schedules(session, now, 1):
                return queued
        with database.write() as session:
            for due in schedules.due_schedules(session, now, AT_ONCE):
                audit = sessions.add_audit(session, new_audit(due.url, due.mode, policy), now)
                schedules.note_run(session, due.id, audit.id, next_run(due.schedule, due.next_run_at, now))
                queued.append(audit.id)
                log.info("audit.scheduled", schedule_id=due.id, url=due.url, session_id=audit.id)
