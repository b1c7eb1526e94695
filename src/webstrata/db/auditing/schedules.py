"""Scheduled audits: added, listed, due, paused and removed."""

from datetime import datetime

from sqlalchemy import ColumnElement, delete, exists, func, or_, select
from sqlalchemy.orm import Session

from webstrata.db.operations import audit_log
from webstrata.db.schema.audit_tables import AuditScheduleRow, AuditSessionRow
from webstrata.db.sql import ids
from webstrata.errors import ConflictError, NotFoundError
from webstrata.model.auditing.schedules import AuditSchedule
from webstrata.model.auditing.sessions import AuditMode, AuditStatus

_UNDER_WAY = (AuditStatus.QUEUED, AuditStatus.RUNNING)


def add_schedule(session: Session, url: str, mode: AuditMode, schedule: str, now: datetime) -> AuditSchedule:
    """Store a schedule that is due at once; ConflictError when the shop has one."""
    known = session.scalar(select(AuditScheduleRow.id).where(AuditScheduleRow.url == url))
    if known is not None:
        command = f"webstrata remove-audit-schedule {known}"
        raise ConflictError(f"schedule {known} audits {url} already; remove it first", command=command)
    row = AuditScheduleRow(url=url, mode=mode, schedule=schedule, next_run_at=now, created_at=now)
    session.add(row)
    session.flush()
    audit_log.record(session, "audit_schedule.add", f"audit-schedule:{row.id}", url=url, schedule=schedule)
    return _schedule(row, None)


def restore_schedule(session: Session, schedule: AuditSchedule) -> bool:
    """Store a schedule with its id, unless that or its shop is taken; return whether it was stored."""
    is_taken = or_(AuditScheduleRow.id == schedule.id, AuditScheduleRow.url == schedule.url)
    if session.scalar(select(AuditScheduleRow.id).where(is_taken).limit(1)) is not None:
        return False
    session.add(
        AuditScheduleRow(
            id=schedule.id,
            url=schedule.url,
            mode=schedule.mode,
            schedule=schedule.schedule,
            paused=schedule.paused,
            next_run_at=schedule.next_run_at,
            created_at=schedule.created_at,
        )
    )
    session.flush()
    ids.lift(session, AuditScheduleRow.__tablename__, schedule.id)
    return True


def list_schedules(
    session: Session, schedule_id: int | None = None, *, limit: int | None = None, offset: int = 0
) -> list[AuditSchedule]:
    """Return the schedules, some or one of them, with the status of their newest audit."""
    query = select(AuditScheduleRow, AuditSessionRow.status).outerjoin(
        AuditSessionRow, AuditSessionRow.id == AuditScheduleRow.last_session_id
    )
    if schedule_id is not None:
        query = query.where(AuditScheduleRow.id == schedule_id)
    query = query.order_by(AuditScheduleRow.id).limit(limit).offset(offset or None)
    return [_schedule(row, status) for row, status in session.execute(query)]


def count_schedules(session: Session) -> int:
    """Return how many schedules there are."""
    return session.scalar(select(func.count()).select_from(AuditScheduleRow)) or 0


def load_schedule(session: Session, schedule_id: int) -> AuditSchedule:
    """Return a schedule; NotFoundError when there is none."""
    found = list_schedules(session, schedule_id)
    if not found:
        raise NotFoundError(f"there is no audit schedule {schedule_id}", command="webstrata audit-schedules")
    return found[0]


def set_paused(session: Session, schedule_id: int, paused: bool) -> AuditSchedule:
    """Pause a schedule, or resume it; an audit that was missed is then due at once."""
    load_schedule(session, schedule_id)
    row = session.get_one(AuditScheduleRow, schedule_id)
    row.paused = paused
    session.flush()
    verb = "pause" if paused else "resume"
    audit_log.record(session, f"audit_schedule.{verb}", f"audit-schedule:{schedule_id}")
    return load_schedule(session, schedule_id)


def remove_schedule(session: Session, schedule_id: int) -> AuditSchedule:
    """Remove a schedule; its audits stay."""
    found = load_schedule(session, schedule_id)
    session.execute(delete(AuditScheduleRow).where(AuditScheduleRow.id == schedule_id))
    audit_log.record(session, "audit_schedule.remove", f"audit-schedule:{schedule_id}", url=found.url)
    return found


def due_schedules(session: Session, now: datetime, limit: int) -> list[AuditSchedule]:
    """Return the schedules that are due, longest due first, except those whose last audit is still running."""
    query = select(AuditScheduleRow).where(*_is_due(now)).order_by(AuditScheduleRow.next_run_at, AuditScheduleRow.id)
    return [_schedule(row, None) for row in session.scalars(query.limit(limit))]


def note_run(session: Session, schedule_id: int, session_id: str, next_run_at: datetime) -> None:
    """Store the audit that a schedule queued, and when the next one is due."""
    row = session.get_one(AuditScheduleRow, schedule_id)
    row.last_session_id, row.next_run_at = session_id, next_run_at


def _is_due(now: datetime) -> tuple[ColumnElement[bool], ...]:
    under_way = exists().where(
        AuditSessionRow.id == AuditScheduleRow.last_session_id, AuditSessionRow.status.in_(_UNDER_WAY)
    )
    return AuditScheduleRow.next_run_at <= now, AuditScheduleRow.paused.is_(False), ~under_way


def _schedule(row: AuditScheduleRow, status: str | None) -> AuditSchedule:
    return AuditSchedule(
        id=row.id,
        url=row.url,
        mode=AuditMode(row.mode),
        schedule=row.schedule,
        paused=row.paused,
        next_run_at=row.next_run_at,
        created_at=row.created_at,
        last_session_id=row.last_session_id,
        last_status=status,
    )
