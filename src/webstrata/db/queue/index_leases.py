"""Index leases: one process at a time indexes a job, and each of its writes checks the lease."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import CursorResult, Update, select, update
from sqlalchemy.orm import Session

from webstrata.db.schema.tables import ArchiveJob
from webstrata.errors import LeaseLostError, NotFoundError


@dataclass(frozen=True)
class IndexLease:
    """The right to index a job."""

    job_id: int
    token: str
    after_a_death: bool = False
    """Whether the previous owner died while it held the lease."""


def take(
    session: Session,
    lease: IndexLease,
    owner: str,
    until: datetime,
    *,
    now: datetime,
    is_dead: Callable[[str], bool] = lambda owner: False,
) -> IndexLease:
    """Lease the index of a job to an owner; LeaseLostError while another owner that may be alive has it."""
    held = session.execute(
        select(ArchiveJob.index_lease_owner, ArchiveJob.index_lease_expires_at)
        .where(ArchiveJob.id == lease.job_id)
        .with_for_update()
    ).one_or_none()
    if held is None:
        raise NotFoundError(f"there is no job {lease.job_id}")
    before, expires_at = held
    if before is not None and expires_at is not None and expires_at > now and not is_dead(before):
        raise LeaseLostError(f"job {lease.job_id} is being indexed by another process")
    session.execute(
        update(ArchiveJob)
        .where(ArchiveJob.id == lease.job_id)
        .values(index_lease_owner=owner, index_lease_token=lease.token, index_lease_expires_at=until)
    )
    return IndexLease(lease.job_id, lease.token, after_a_death=before is not None)


def renew(session: Session, lease: IndexLease, now: datetime, duration: timedelta) -> None:
    """Prolong a lease; LeaseLostError when another owner has it."""
    set_as(session, lease, index_lease_expires_at=now + duration)


def check(session: Session, lease: IndexLease) -> None:
    """Raise LeaseLostError when another owner has the lease; until the transaction ends, no one can take it.

    To be called late, as it locks the job's row on PostgreSQL, which a crawl may need. But before a WARC file's row is
    written: a crawl locks job and file in this order, and could deadlock otherwise.
    """
    held = select(ArchiveJob.id).where(ArchiveJob.id == lease.job_id, ArchiveJob.index_lease_token == lease.token)
    if session.scalar(held.with_for_update(key_share=True)) is None:
        raise _lost(lease)


def set_as(session: Session, lease: IndexLease, **values: object) -> None:
    """Write some of a job's columns; LeaseLostError, with nothing written, when the index lease was lost."""
    if not _has_changed(session, _update_of(lease).values(**values)):
        raise _lost(lease)


def release(session: Session, lease: IndexLease) -> None:
    """Release a lease, if this owner still holds it."""
    _has_changed(
        session,
        _update_of(lease).values(index_lease_owner=None, index_lease_token=None, index_lease_expires_at=None),
    )


def _update_of(lease: IndexLease) -> Update:
    return update(ArchiveJob).where(ArchiveJob.id == lease.job_id, ArchiveJob.index_lease_token == lease.token)


def _lost(lease: IndexLease) -> LeaseLostError:
    return LeaseLostError(f"job {lease.job_id} is being indexed by another process by now")


def _has_changed(session: Session, statement: Update) -> bool:
    result = session.execute(statement.execution_options(synchronize_session=False))
    assert isinstance(result, CursorResult)
    return result.rowcount > 0
