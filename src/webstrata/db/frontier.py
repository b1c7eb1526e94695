"""The frontier: every URL a job knows, who works on it, and when it is due."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import uuid4

from sqlalchemy import Table, bindparam, case, func, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from webstrata.db.tables import CrawlTask
from webstrata.model.tasks import MAX_RECLAIMS, Link, Task, TaskStatus, TaskType
from webstrata.model.urls import host_of, url_key

_TASKS = CrawlTask.__table__
assert isinstance(_TASKS, Table)

_SETTLE = (
    update(_TASKS)
    .where(_TASKS.c.id == bindparam("task_id"))
    .values(
        status=bindparam("to_status"),
        attempt_count=bindparam("attempts"),
        last_error=bindparam("error"),
        next_run_at=bindparam("due"),
        updated_at=bindparam("now"),
        lease_owner=None,
        lease_token=None,
        lease_expires_at=None,
    )
)
_LEASED = (CrawlTask.id, CrawlTask.url, CrawlTask.depth, CrawlTask.task_type, CrawlTask.attempt_count)


@dataclass(frozen=True)
class FrontierCounts:
    """How many of a job's tasks stand where."""

    pending: int = 0
    in_progress: int = 0
    finished: int = 0
    error: int = 0

    @property
    def total(self) -> int:
        """Return how many URLs the job knows."""
        return self.pending + self.in_progress + self.finished + self.error


def add_links(session: Session, job_id: int, links: Iterable[Link], depth: int, now: datetime) -> None:
    """Add the URLs that a job does not know yet; nearer ones come first."""
    rows = [
        {
            "job_id": job_id,
            "url": link.url,
            "url_key": url_key(link.url),
            "host": host_of(link.url),
            "depth": depth,
            "task_type": link.task_type.value,
            "priority": depth,
            "status": TaskStatus.PENDING.value,
            "attempt_count": 0,
            "reclaim_count": 0,
            "next_run_at": now,
            "created_at": now,
            "updated_at": now,
        }
        for link in links
    ]
    if rows:
        dialect = sqlite if session.get_bind().dialect.name == "sqlite" else postgresql
        # Past the ORM, which would take three times as long over rows that nobody looks at again.
        session.connection().execute(dialect.insert(_TASKS).on_conflict_do_nothing(), rows)


def claim(
    session: Session,
    job_id: int,
    owner: str,
    *,
    limit: int,
    now: datetime,
    lease: timedelta,
    resting_hosts: Collection[str] = (),
) -> list[Task]:
    """Lease up to `limit` due tasks to an owner, taking back what dead owners left."""
    _reclaim_expired(session, job_id, now)
    due = (
        select(*_LEASED)
        .where(CrawlTask.job_id == job_id, CrawlTask.status == TaskStatus.PENDING, CrawlTask.next_run_at <= now)
        .order_by(CrawlTask.priority, CrawlTask.id)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    if resting_hosts:
        due = due.where(CrawlTask.host.not_in(resting_hosts))
    rows = session.execute(due).all()
    token = uuid4().hex
    session.execute(
        update(CrawlTask)
        .where(CrawlTask.id.in_([row.id for row in rows]))
        .values(
            status=TaskStatus.IN_PROGRESS,
            lease_owner=owner,
            lease_token=token,
            lease_expires_at=now + lease,
            updated_at=now,
        )
        .execution_options(synchronize_session=False)
    )
    return [
        Task(row.id, row.url, row.depth, TaskType(row.task_type), row.attempt_count, lease_token=token) for row in rows
    ]


def settle(session: Session, tasks: Sequence[Task], now: datetime) -> list[Task]:
    """Write where tasks stand now and give their leases back; return those that were no longer ours, unwritten."""
    if not tasks:
        return []
    held = session.execute(
        select(CrawlTask.id, CrawlTask.lease_token).where(CrawlTask.id.in_([t.id for t in tasks])).with_for_update()
    )
    tokens = {row.id: row.lease_token for row in held}
    ours = [task for task in tasks if tokens.get(task.id) == task.lease_token]
    if ours:
        session.connection().execute(_SETTLE, [_settled(task, now) for task in ours])
    return [task for task in tasks if tokens.get(task.id) != task.lease_token]


def _settled(task: Task, now: datetime) -> dict[str, object]:
    return {
        "task_id": task.id,
        "to_status": task.status.value,
        "attempts": task.attempts,
        "error": task.last_error,
        "due": task.next_run_at or now,
        "now": now,
    }


def renew(session: Session, job_id: int, owner: str, now: datetime, lease: timedelta) -> None:
    """Prolong every lease that an owner holds."""
    session.execute(
        update(CrawlTask)
        .where(CrawlTask.job_id == job_id, CrawlTask.status == TaskStatus.IN_PROGRESS, CrawlTask.lease_owner == owner)
        .values(lease_expires_at=now + lease)
        .execution_options(synchronize_session=False)
    )


def release_all(session: Session, job_id: int, now: datetime) -> None:
    """Put every leased task back in line: for a job that is known to have no living worker."""
    session.execute(
        update(CrawlTask)
        .where(CrawlTask.job_id == job_id, CrawlTask.status == TaskStatus.IN_PROGRESS)
        .values(status=TaskStatus.PENDING, lease_owner=None, lease_token=None, lease_expires_at=None, updated_at=now)
        .execution_options(synchronize_session=False)
    )


def revive_errors(session: Session, job_id: int, now: datetime) -> None:
    """Give the URLs that failed in an earlier run a fresh start."""
    session.execute(
        update(CrawlTask)
        .where(CrawlTask.job_id == job_id, CrawlTask.status == TaskStatus.ERROR)
        .values(status=TaskStatus.PENDING, attempt_count=0, reclaim_count=0, next_run_at=now, updated_at=now)
        .execution_options(synchronize_session=False)
    )


def counts(session: Session, job_id: int) -> FrontierCounts:
    """Return how many of a job's tasks stand where."""
    rows = session.execute(
        select(CrawlTask.status, func.count()).where(CrawlTask.job_id == job_id).group_by(CrawlTask.status)
    )
    return FrontierCounts(**{row[0]: row[1] for row in rows})


def next_due(session: Session, job_id: int) -> datetime | None:
    """Return when the next waiting task is due, or None when none waits."""
    return session.scalar(
        select(func.min(CrawlTask.next_run_at)).where(
            CrawlTask.job_id == job_id, CrawlTask.status == TaskStatus.PENDING
        )
    )


def urls_with_queries(session: Session, job_id: int) -> list[str]:
    """Return the known URLs of a job that have a query: what guards against traps has to remember."""
    rows = session.scalars(select(CrawlTask.url).where(CrawlTask.job_id == job_id, CrawlTask.url.contains("?")))
    return list(rows)


def first_error(session: Session, job_id: int) -> str | None:
    """Return what went wrong with the first URL that was given up."""
    return session.scalar(
        select(CrawlTask.last_error)
        .where(CrawlTask.job_id == job_id, CrawlTask.status == TaskStatus.ERROR)
        .order_by(CrawlTask.id)
        .limit(1)
    )


def _reclaim_expired(session: Session, job_id: int, now: datetime) -> None:
    """Take expired leases back; a task that lost its worker too often is given up."""
    worn_out = CrawlTask.reclaim_count + 1 >= MAX_RECLAIMS
    session.execute(
        update(CrawlTask)
        .where(
            CrawlTask.job_id == job_id,
            CrawlTask.status == TaskStatus.IN_PROGRESS,
            CrawlTask.lease_expires_at <= now,
        )
        .values(
            status=case((worn_out, TaskStatus.ERROR.value), else_=TaskStatus.PENDING.value),
            reclaim_count=CrawlTask.reclaim_count + 1,
            last_error="lease expired",
            lease_owner=None,
            lease_token=None,
            lease_expires_at=None,
            updated_at=now,
        )
        .execution_options(synchronize_session=False)
    )
