"""Queue of audits: a worker claims a session with a lease, and every later write must have the lease's token."""

from collections.abc import Collection
from datetime import datetime, timedelta
from uuid import uuid4

from sqlalchemy import ColumnElement, and_, case, exists, func, or_, select, update
from sqlalchemy.orm import Session, aliased

from webstrata.db.auditing.sessions import audit_of
from webstrata.db.schema.audit_tables import AuditSessionRow
from webstrata.errors import LeaseLostError, NotFoundError
from webstrata.model.auditing.sessions import Audit, AuditLease, AuditStatus, may_try_again

WORKER_DIED = "its worker died"

_DOMAIN_LOCK = 0x4155_4449
"""The first key of the advisory lock that serialises claims on PostgreSQL."""


def claim_audit(session: Session, owner: str, now: datetime, duration: timedelta) -> tuple[AuditLease, Audit] | None:
    """Lease the longest waiting session whose domain no other session uses; None when there is none."""
    _claim_alone(session)
    statement = (
        select(AuditSessionRow)
        .where(_is_due(now), ~_domain_is_busy(now))
        .order_by(AuditSessionRow.next_run_at, AuditSessionRow.created_at, AuditSessionRow.id)
        .limit(1)
    )
    row = session.scalars(statement).first()
    return None if row is None else (_lease(row, owner, now, duration), audit_of(row))


def lease_audit(session: Session, session_id: str, owner: str, now: datetime, duration: timedelta) -> AuditLease:
    """Lease one session to run it here at once; LeaseLostError when another process has it or it has ended.

    The lease does not include the domain: see `is_domain_busy`.
    """
    _claim_alone(session)
    row = session.get(AuditSessionRow, session_id)
    if row is None:
        raise NotFoundError(f"there is no audit {session_id}")
    if row.lease_token is not None and row.lease_expires_at is not None and row.lease_expires_at > now:
        raise LeaseLostError(f"audit {session_id} is run by another process")
    if AuditStatus(row.status).is_final:
        raise LeaseLostError(f"audit {session_id} has ended: {row.status}")
    return _lease(row, owner, now, duration)


def is_domain_busy(session: Session, audit: Audit, now: datetime) -> bool:
    """Return whether another session uses an audit's domain; of two that have not started, the older has priority."""
    is_older = or_(
        AuditSessionRow.created_at < audit.created_at,
        and_(AuditSessionRow.created_at == audit.created_at, AuditSessionRow.id < audit.id),
    )
    other = select(AuditSessionRow.id).where(
        AuditSessionRow.domain == audit.domain,
        AuditSessionRow.id != audit.id,
        AuditSessionRow.lease_expires_at > now,
        or_(AuditSessionRow.status == AuditStatus.RUNNING, is_older),
    )
    return session.scalar(other.limit(1)) is not None


def has_due(session: Session, now: datetime) -> bool:
    """Return whether any session could be claimed now."""
    return session.scalar(select(AuditSessionRow.id).where(_is_due(now), ~_domain_is_busy(now)).limit(1)) is not None


def renew_audit(session: Session, lease: AuditLease, now: datetime, duration: timedelta) -> None:
    """Prolong a lease; LeaseLostError when it is another process's."""
    _set(session, lease, lease_expires_at=now + duration)


def start_audit(session: Session, lease: AuditLease, now: datetime) -> None:
    """Record the start of a session: one more attempt, without an error."""
    attempts = AuditSessionRow.attempts + 1
    _set(session, lease, status=AuditStatus.RUNNING, started_at=now, attempts=attempts, error_summary=None)


def set_audit(session: Session, lease: AuditLease, **values: object) -> None:
    """Store what a running session found out about itself."""
    _set(session, lease, **values)


def finish_audit(
    session: Session, lease: AuditLease, status: AuditStatus, error_summary: str | None, now: datetime
) -> None:
    """Record how a session ended, and give its lease back."""
    ended = {"status": status, "error_summary": error_summary, "finished_at": now}
    _set(session, lease, **ended, **_NO_LEASE)


def put_back(session: Session, lease: AuditLease, due: datetime, reason: str | None = None) -> None:
    """Return a session to the queue, due at a time, with the reason; this attempt does not count."""
    attempts = case(
        (AuditSessionRow.status == AuditStatus.RUNNING, AuditSessionRow.attempts - 1), else_=AuditSessionRow.attempts
    )
    waiting = {"status": AuditStatus.QUEUED, "next_run_at": due, "started_at": None, "attempts": attempts}
    _set(session, lease, **waiting, error_summary=reason, **_NO_LEASE)


def check_lease(session: Session, lease: AuditLease) -> None:
    """Raise LeaseLostError unless we hold the lease; locks it until the transaction ends."""
    _set(session, lease, lease_token=lease.token)


def lease_owners(session: Session) -> set[str]:
    """Return the owners of all leases, including expired ones."""
    statement = select(AuditSessionRow.lease_owner).where(AuditSessionRow.lease_token.is_not(None))
    return {owner for owner in session.scalars(statement) if owner is not None}


def requeue_abandoned(
    session: Session, now: datetime, dead: Collection[str], max_attempts: int
) -> list[tuple[Audit, str]]:
    """Return the sessions of dead workers to the queue; one that was tried too often has failed.

    Each is returned with the token that its worker had.
    """
    rows = session.scalars(select(AuditSessionRow).where(_is_abandoned(now, dead)).with_for_update(skip_locked=True))
    found = []
    for row in rows:
        token = row.lease_token or ""
        row.lease_owner = row.lease_token = row.lease_expires_at = None
        if may_try_again(row.attempts, max_attempts):
            row.status, row.next_run_at, row.error_summary = AuditStatus.QUEUED, now, WORKER_DIED
        else:
            row.status, row.finished_at = AuditStatus.FAILED, now
            row.error_summary = f"{WORKER_DIED}, {row.attempts} times"
        found.append((audit_of(row), token))
    return found


_NO_LEASE: dict[str, object] = {"lease_owner": None, "lease_token": None, "lease_expires_at": None}


def _lease(row: AuditSessionRow, owner: str, now: datetime, duration: timedelta) -> AuditLease:
    row.lease_owner, row.lease_token, row.lease_expires_at = owner, uuid4().hex, now + duration
    return AuditLease(row.id, row.lease_token)


def _set(session: Session, lease: AuditLease, **values: object) -> None:
    changed = (
        update(AuditSessionRow)
        .where(AuditSessionRow.id == lease.session_id, AuditSessionRow.lease_token == lease.token)
        .values(**values)
        .returning(AuditSessionRow.id)
        .execution_options(synchronize_session=False)
    )
    if session.scalar(changed) is None:
        raise LeaseLostError(f"audit {lease.session_id} was taken over by another process")


def _claim_alone(session: Session) -> None:
    """Serialise claims on PostgreSQL, as two could take sessions of the same domain; SQLite has one writer anyway."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(select(func.pg_advisory_xact_lock(_DOMAIN_LOCK)))


def _is_due(now: datetime) -> ColumnElement[bool]:
    return and_(
        AuditSessionRow.status == AuditStatus.QUEUED,
        AuditSessionRow.next_run_at <= now,
        AuditSessionRow.lease_token.is_(None),
    )


def _domain_is_busy(now: datetime) -> ColumnElement[bool]:
    other = aliased(AuditSessionRow)
    return exists().where(other.domain == AuditSessionRow.domain, other.lease_expires_at > now)


def _is_abandoned(now: datetime, dead: Collection[str]) -> ColumnElement[bool]:
    return and_(
        AuditSessionRow.lease_token.is_not(None),
        or_(AuditSessionRow.lease_expires_at <= now, AuditSessionRow.lease_owner.in_(dead)),
    )
