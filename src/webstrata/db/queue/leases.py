"""Job leases: which worker runs a job through its stages, whether its crawl goes on, and its limits."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, CursorResult, Table, Update, and_, bindparam, case, func, or_, select, update
from sqlalchemy.orm import Session

from webstrata.db.queue.jobs import no_source
from webstrata.db.schema.tables import ArchiveJob
from webstrata.errors import ConflictError, LeaseLostError
from webstrata.model.jobs.job import CLAIMABLE, INDEXABLE, JobStatus

WORKER_DIED = "its worker died"
"""The reason of a job that is queued again after its worker died; files that the worker had begun may still exist."""

_JOBS = ArchiveJob.__table__
assert isinstance(_JOBS, Table)

_SPEND = (
    update(_JOBS)
    .where(_JOBS.c.id == bindparam("of_job"))
    .values(
        responses_count=_JOBS.c.responses_count + bindparam("more"),
        requisites_count=_JOBS.c.requisites_count + bindparam("requisites"),
        response_bytes_total=_JOBS.c.response_bytes_total + bindparam("size"),
    )
    .returning(_JOBS.c.responses_count, _JOBS.c.response_bytes_total, _JOBS.c.requisites_count)
)


@dataclass(frozen=True)
class CrawlUnderWay:
    """A job that is being crawled, and its folder."""

    job_id: int
    output_dir: str


@dataclass(frozen=True)
class JobUsage:
    """The counts of a job that its limits apply to."""

    responses: int
    bytes: int
    requisites: int = 0
    """How many of the responses are requisites of pages."""

    @property
    def pages(self) -> int:
        """Return how many of the responses count as pages."""
        return self.responses - self.requisites


def spend(session: Session, job_id: int, responses: int, size: int, *, requisites: int = 0) -> JobUsage:
    """Add received responses and return the sums; until the transaction ends, no other worker can commit for this job.

    So workers commit one after the other, limits are exact, and there are no deadlocks.
    """
    more = {"of_job": job_id, "more": responses, "size": size, "requisites": requisites}
    row = session.connection().execute(_SPEND, more).one()
    return JobUsage(row.responses_count, row.response_bytes_total, row.requisites_count)


def received(session: Session, job_id: int) -> int:
    """Return how many responses a job has received so far."""
    return session.scalar(select(ArchiveJob.responses_count).where(ArchiveJob.id == job_id)) or 0


def lock_job(session: Session, job_id: int) -> None:
    """Lock a job's writes against other workers until the transaction ends."""
    spend(session, job_id, 0, 0)


def lease(
    session: Session, job_id: int, owner: str, now: datetime, duration: timedelta, *, helpers_welcome: bool = True
) -> None:
    """Lease a job to an owner; LeaseLostError while another owner has it.

    A run whose worker died continues as the same run; otherwise a new one begins.
    """
    free = or_(ArchiveJob.lease_owner.is_(None), ArchiveJob.lease_expires_at <= now)
    taken = (
        update(ArchiveJob)
        .where(ArchiveJob.id == job_id, ArchiveJob.status.in_(CLAIMABLE), free)
        .values(
            status=JobStatus.RUNNING,
            status_reason=None,
            not_before=None,
            helpers_welcome=helpers_welcome,
            lease_owner=owner,
            lease_expires_at=now + duration,
            started_at=func.coalesce(ArchiveJob.started_at, now),
        )
    )
    if _changed_rows(session, taken) == 0:
        raise LeaseLostError(_why_not(session, job_id, now))


def lease_for_index(session: Session, job_id: int, owner: str, now: datetime, duration: timedelta) -> None:
    """Lease a job whose crawl is over to an owner for indexing; LeaseLostError while another owner has it.

    ConflictError for a job without a source.
    """
    found = session.execute(select(ArchiveJob.source_id).where(ArchiveJob.id == job_id)).one_or_none()
    if found is not None and found.source_id is None:
        raise ConflictError(no_source(job_id))
    free = or_(ArchiveJob.lease_owner.is_(None), ArchiveJob.lease_expires_at <= now)
    taken = update(ArchiveJob).where(ArchiveJob.id == job_id, ArchiveJob.status.in_(INDEXABLE), free)
    if _changed_rows(session, taken.values(not_before=None, lease_owner=owner, lease_expires_at=now + duration)) == 0:
        status = session.scalar(select(ArchiveJob.status).where(ArchiveJob.id == job_id))
        if status is not None and status not in INDEXABLE and leader(session, job_id, now) is None:
            raise ConflictError(f"job {job_id} is {status}: it can be indexed when its crawl has ended")
        raise LeaseLostError(_why_not(session, job_id, now))


def _why_not(session: Session, job_id: int, now: datetime) -> str:
    if leader(session, job_id, now) is not None:
        return f"job {job_id} is being worked on by another process"
    status = session.scalar(select(ArchiveJob.status).where(ArchiveJob.id == job_id))
    return f"job {job_id} is {status}: it waits for nobody" if status else f"there is no job {job_id}"


def renew_lease(session: Session, job_id: int, owner: str, now: datetime, duration: timedelta) -> None:
    """Prolong an owner's lease of a job."""
    set_as(session, job_id, owner, lease_expires_at=now + duration)


def set_as(session: Session, job_id: int, owner: str, **values: object) -> None:
    """Write some of a job's columns; LeaseLostError, with nothing written, when the lease was lost."""
    fenced = update(ArchiveJob).where(ArchiveJob.id == job_id, ArchiveJob.lease_owner == owner).values(**values)
    if _changed_rows(session, fenced) == 0:
        raise LeaseLostError(f"job {job_id} was taken over by another process")


def release(session: Session, job_id: int, owner: str) -> None:
    """Release a job's lease, if it is still the owner's."""
    held = update(ArchiveJob).where(ArchiveJob.id == job_id, ArchiveJob.lease_owner == owner)
    _changed_rows(session, held.values(lease_owner=None, lease_expires_at=None))


def requeue_of(session: Session, owner: str) -> list[int]:
    """Queue the jobs that a dead owner led again and return them."""
    # All leases have an expiry, on which there is an index.
    return _requeue(session, (ArchiveJob.lease_owner == owner) & ArchiveJob.lease_expires_at.is_not(None))


def has_abandoned(session: Session, now: datetime, alive: Collection[str] = ()) -> bool:
    """Return whether any job is marked as running although it has no valid lease."""
    return session.scalar(select(ArchiveJob.id).where(_abandoned(now, alive)).limit(1)) is not None


def requeue_abandoned(session: Session, now: datetime, alive: Collection[str] = ()) -> list[int]:
    """Queue jobs again whose worker lost them, and return them; owners that are known to be alive keep theirs."""
    return _requeue(session, _abandoned(now, alive))


def _abandoned(now: datetime, alive: Collection[str]) -> ColumnElement[bool]:
    says_so = ArchiveJob.status.in_((JobStatus.RUNNING, JobStatus.INDEXING))
    ran_out = (ArchiveJob.lease_expires_at <= now) & ArchiveJob.lease_owner.not_in(alive)
    return or_(ran_out, says_so & ArchiveJob.lease_owner.is_(None))


def leader(session: Session, job_id: int, now: datetime) -> str | None:
    """Return the owner that leads a job, if there is one."""
    held = (ArchiveJob.id == job_id, ArchiveJob.lease_expires_at > now)
    return session.scalar(select(ArchiveJob.lease_owner).where(*held))


def is_led_by(session: Session, job_id: int, owner: str) -> bool:
    """Return whether an owner leads a job."""
    return session.scalar(select(ArchiveJob.lease_owner).where(ArchiveJob.id == job_id)) == owner


def check_leader(session: Session, job_id: int, owner: str) -> None:
    """Raise LeaseLostError unless an owner leads a job."""
    if not is_led_by(session, job_id, owner):
        raise LeaseLostError(f"job {job_id} was taken over by another process")


def fail(session: Session, job_id: int, reason: str, status: JobStatus = JobStatus.FAILED) -> None:
    """Mark a job without a leader, or its index, as failed, with the reason."""
    over = update(ArchiveJob).where(ArchiveJob.id == job_id, ArchiveJob.lease_owner.is_(None))
    _changed_rows(session, over.values(status=status, status_reason=reason))


def pause(session: Session, job_id: int, reason: str, until: datetime) -> None:
    """Pause a job without a leader until a moment, with the reason."""
    rests = update(ArchiveJob).where(ArchiveJob.id == job_id, ArchiveJob.lease_owner.is_(None))
    _changed_rows(
        session,
        rests.values(
            status=JobStatus.RETRYABLE,
            status_reason=reason,
            not_before=until,
            pause_count=ArchiveJob.pause_count + 1,
        ),
    )


def postpone(session: Session, job_id: int, until: datetime) -> None:
    """Block a job without a leader for all workers until a moment."""
    free = update(ArchiveJob).where(ArchiveJob.id == job_id, ArchiveJob.lease_owner.is_(None))
    _changed_rows(session, free.values(not_before=until))


def pauses(session: Session, job_id: int) -> int:
    """Return the number of consecutive pauses of a job by internal failures."""
    return session.scalar(select(ArchiveJob.pause_count).where(ArchiveJob.id == job_id)) or 0


def _requeue(session: Session, which: ColumnElement[bool]) -> list[int]:
    """Queue jobs for the work that is left: all of it, or only the index."""
    crawled = and_(ArchiveJob.finished_at.is_not(None), ArchiveJob.crawler_status == "success")
    stopped = and_(ArchiveJob.finished_at.is_not(None), ArchiveJob.crawler_status == "stopped")
    failed = and_(ArchiveJob.finished_at.is_not(None), ArchiveJob.crawler_status == "failed")
    done = ArchiveJob.status.in_((JobStatus.INDEXED, JobStatus.INDEX_FAILED))
    status = case(
        (done, ArchiveJob.status),
        (crawled, JobStatus.COMPLETED.value),
        (stopped, JobStatus.STOPPED.value),
        (failed, JobStatus.FAILED.value),
        else_=JobStatus.QUEUED.value,
    )
    reason = case((or_(done, crawled, stopped, failed), ArchiveJob.status_reason), else_=WORKER_DIED)
    again = (
        update(ArchiveJob)
        .where(which)
        .values(status=status, status_reason=reason, lease_owner=None, lease_expires_at=None)
    )
    return list(session.scalars(again.returning(ArchiveJob.id).execution_options(synchronize_session=False)))


def _changed_rows(session: Session, statement: Update) -> int:
    result = session.execute(statement.execution_options(synchronize_session=False))
    assert isinstance(result, CursorResult)
    return result.rowcount


def may_crawl(session: Session, job_id: int) -> bool:
    """Return whether a job's crawl is to go on: no stop was requested, and its leader still crawls."""
    row = session.execute(
        select(ArchiveJob.status, ArchiveJob.stop_requested_at).where(ArchiveJob.id == job_id)
    ).one_or_none()
    return row is not None and row.status == JobStatus.RUNNING and row.stop_requested_at is None


def is_stop_requested(session: Session, job_id: int) -> bool:
    """Return whether a stop of a job's present run was requested."""
    return session.scalar(select(ArchiveJob.stop_requested_at).where(ArchiveJob.id == job_id)) is not None


def helpable(session: Session, now: datetime) -> list[CrawlUnderWay]:
    """Return the jobs whose crawl is under way and can use help, longest first."""
    running = (ArchiveJob.status == JobStatus.RUNNING, ArchiveJob.lease_expires_at > now, ArchiveJob.helpers_welcome)
    statement = select(ArchiveJob.id, ArchiveJob.output_dir).where(*running, ArchiveJob.stop_requested_at.is_(None))
    return [CrawlUnderWay(*row) for row in session.execute(statement.order_by(ArchiveJob.started_at, ArchiveJob.id))]
