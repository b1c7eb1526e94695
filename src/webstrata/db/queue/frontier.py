"""The frontier: every URL that a job found, with its status, lease and due time."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import uuid4

from sqlalchemy import Table, bindparam, case, delete, func, null, select, true, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from webstrata.db.operations import operations
from webstrata.db.operations.operations import Operation
from webstrata.db.schema.crawl_tables import CrawlTask
from webstrata.db.schema.tables import ArchiveJob
from webstrata.db.sql.bulk import ManyRows
from webstrata.model.crawl.tasks import MAX_RECLAIMS, SUSPECT_AFTER, Link, Task, TaskStatus, TaskType
from webstrata.model.urls import host_of, url_key

_TASKS = CrawlTask.__table__
assert isinstance(_TASKS, Table)

_READ_AT_ONCE = 1_000
_MOST_NAMED = 3
_REQUISITE_PRIORITY = -1
"""Higher than that of pages, which is their depth, so that a page is complete before the next one is fetched."""

_NO_LEASE = {"lease_owner": null(), "lease_token": null(), "lease_expires_at": null()}
_SETTLED = ("status", "attempt_count", "last_error", "may_retry", "next_run_at", "updated_at")
_SETTLE = ManyRows(
    update(_TASKS)
    .where(_TASKS.c.id == bindparam("task_id"))
    .values({name: bindparam(f"to_{name}") for name in _SETTLED} | _NO_LEASE),
    {"task_id": _TASKS.c.id} | {f"to_{name}": _TASKS.c[name] for name in _SETTLED},
)
_ADDED = (
    *("job_id", "url", "url_key", "host", "depth", "task_type", "priority", "status", "attempt_count"),
    *("reclaim_count", "next_run_at", "created_at", "updated_at"),
)
_ADD = {
    kind: ManyRows(dialect.insert(_TASKS).on_conflict_do_nothing().inline(), {name: _TASKS.c[name] for name in _ADDED})
    for kind, dialect in (("sqlite", sqlite), ("postgresql", postgresql))
}
_T = _TASKS.c
_DUE = (
    select(_T.id, _T.url, _T.depth, _T.task_type, _T.attempt_count, _T.reclaim_count)
    .where(_T.job_id == bindparam("job_id"), _T.status == TaskStatus.PENDING, _T.next_run_at <= bindparam("now"))
    .where(_T.host.not_in(bindparam("resting", expanding=True)))
    .order_by(_T.priority, _T.id)
    .limit(bindparam("most"))
    .with_for_update(skip_locked=True)
)
_OF_KIND = {
    None: true(),
    TaskType.PAGE: _T.priority > _REQUISITE_PRIORITY,
    TaskType.MEDIA: _T.priority <= _REQUISITE_PRIORITY,
}
_DUE_OF = {kind: _DUE.where(is_kind) for kind, is_kind in _OF_KIND.items()}
_DUE_AND_TRUSTED_OF = {kind: due.where(_T.reclaim_count < SUSPECT_AFTER) for kind, due in _DUE_OF.items()}
_LEASE = (
    update(_TASKS)
    .where(_T.id.in_(bindparam("ids", expanding=True)))
    .values(
        status=TaskStatus.IN_PROGRESS,
        lease_owner=bindparam("owner"),
        lease_token=bindparam("token"),
        lease_expires_at=bindparam("until"),
        updated_at=bindparam("now"),
    )
)
_HELD = select(_T.id, _T.lease_token).where(_T.id.in_(bindparam("ids", expanding=True))).with_for_update()
_UNDER_WAY = select(func.count()).where(_T.job_id == bindparam("job_id"), _T.status == TaskStatus.IN_PROGRESS)
_REQUISITES = func.coalesce(func.sum(case((_OF_KIND[TaskType.MEDIA], 1), else_=0)), 0)
_UNDER_WAY_BY_KIND = _UNDER_WAY.add_columns(_REQUISITES)
# A task that lost its worker too often is given up.
_IS_LAST_RECLAIM = _T.reclaim_count + 1 >= MAX_RECLAIMS
_TAKE_BACK = (
    update(_TASKS)
    .where(_T.status == TaskStatus.IN_PROGRESS)
    .values(
        status=case((_IS_LAST_RECLAIM, TaskStatus.ERROR.value), else_=TaskStatus.PENDING.value),
        reclaim_count=_T.reclaim_count + 1,
        last_error=case(
            (_IS_LAST_RECLAIM, _T.url + f": given up, because its crawler died {MAX_RECLAIMS} times"),
            else_=bindparam("why"),
        ),
        updated_at=bindparam("now"),
        **_NO_LEASE,
    )
)
_KILLS_WORKERS = CrawlTask.reclaim_count >= MAX_RECLAIMS
_TAKE_BACK_EXPIRED = _TAKE_BACK.where(_T.job_id == bindparam("of_job"), _T.lease_expires_at <= bindparam("now"))


@dataclass(frozen=True)
class FrontierCounts:
    """The number of a job's tasks by status."""

    pending: int = 0
    in_progress: int = 0
    finished: int = 0
    error: int = 0

    @property
    def total(self) -> int:
        """Return the number of the job's URLs."""
        return self.pending + self.in_progress + self.finished + self.error


@dataclass(frozen=True)
class GivenUp:
    """URLs that were given up because their workers died."""

    count: int = 0
    urls: tuple[str, ...] = ()
    """The first of them."""


def add_links(session: Session, job_id: int, links: Iterable[Link], depth: int, now: datetime) -> None:
    """Add the URLs that a job does not know yet; requisites come first, then nearer pages."""
    _ADD[session.get_bind().dialect.name].execute(session, [_new_task(job_id, link, depth, now) for link in links])


def _new_task(job_id: int, link: Link, depth: int, now: datetime) -> tuple[object, ...]:
    key, host = url_key(link.url), host_of(link.url)
    priority = _REQUISITE_PRIORITY if link.task_type is TaskType.MEDIA else depth
    return (job_id, link.url, key, host, depth, link.task_type, priority, TaskStatus.PENDING, 0, 0, now, now, now)


def make_pages(session: Session, job_id: int, urls: Iterable[str], depth: int) -> None:
    """Turn requisites that are also linked to into pages, unless their visit has begun."""
    keys = [url_key(url) for url in urls]
    shown = (CrawlTask.job_id == job_id, CrawlTask.url_key.in_(keys), CrawlTask.task_type == TaskType.MEDIA)
    session.execute(
        update(CrawlTask)
        .where(*shown, CrawlTask.status == TaskStatus.PENDING)
        .values(task_type=TaskType.PAGE, priority=depth, depth=depth)
        .execution_options(synchronize_session=False)
    )


def claim(  # noqa: PLR0913 - everything that decides what is leased
    session: Session,
    job_id: int,
    owner: str,
    *,
    limit: int,
    now: datetime,
    lease: timedelta,
    resting_hosts: Collection[str] = (),
    alone: bool = True,
    kind: TaskType | None = None,
) -> list[Task]:
    """Lease up to `limit` due tasks of a kind, or of both, to an owner, including expired ones.

    A task whose workers died is leased alone, to an owner without other tasks (`alone`), so that no other task is
    affected if it crashes workers.
    """
    reclaim_expired(session, job_id, now)
    connection = session.connection()
    requested = {"job_id": job_id, "now": now, "most": limit, "resting": list(resting_hosts)}
    rows = connection.execute(_DUE_AND_TRUSTED_OF[kind], requested).all()
    if not rows and alone:
        rows = connection.execute(_DUE_OF[kind], requested | {"most": min(limit, 1)}).all()
    token = uuid4().hex
    if rows:
        ids = [row.id for row in rows]
        connection.execute(_LEASE, {"ids": ids, "owner": owner, "token": token, "until": now + lease, "now": now})
    return [
        Task(row.id, row.url, row.depth, TaskType(row.task_type), row.attempt_count, token, reclaims=row.reclaim_count)
        for row in rows
    ]


def settle(session: Session, tasks: Sequence[Task], now: datetime) -> list[Task]:
    """Write the new status of tasks and release their leases; return the unwritten ones, whose lease was lost."""
    if not tasks:
        return []
    held = session.connection().execute(_HELD, {"ids": [task.id for task in tasks]})
    tokens = {row.id: row.lease_token for row in held}
    ours = [task for task in tasks if tokens.get(task.id) == task.lease_token]
    _SETTLE.execute(session, [_settled(task, now) for task in ours])
    return [task for task in tasks if tokens.get(task.id) != task.lease_token]


def _settled(task: Task, now: datetime) -> tuple[object, ...]:
    return (task.id, task.status, task.attempts, task.last_error, task.may_retry, task.next_run_at or now, now)


def renew(session: Session, job_id: int, owner: str, now: datetime, lease: timedelta) -> None:
    """Prolong every lease that an owner holds."""
    session.execute(
        update(CrawlTask)
        .where(CrawlTask.job_id == job_id, CrawlTask.status == TaskStatus.IN_PROGRESS, CrawlTask.lease_owner == owner)
        .values(lease_expires_at=now + lease)
        .execution_options(synchronize_session=False)
    )


def release(session: Session, job_id: int, owner: str, now: datetime) -> None:
    """Return the tasks of an owner that is leaving to the queue."""
    session.execute(
        update(CrawlTask)
        .where(CrawlTask.job_id == job_id, CrawlTask.status == TaskStatus.IN_PROGRESS, CrawlTask.lease_owner == owner)
        .values(status=TaskStatus.PENDING, updated_at=now, **_NO_LEASE)
        .execution_options(synchronize_session=False)
    )


def reclaim(session: Session, owner: str, now: datetime) -> int:
    """Queue the tasks of a dead owner again, in all jobs, and return their number."""
    held = (CrawlTask.job_id.in_(jobs_of(session, owner)), CrawlTask.lease_owner == owner)
    return session.connection().execute(_TAKE_BACK.where(*held), {"why": "its worker died", "now": now}).rowcount


def revive(session: Session, job_id: int, now: datetime, *, by_person: bool = False) -> None:
    """Queue the URLs that failed in an earlier run again, with all their attempts.

    A URL that was given up because its workers died is tried once more when a person asks for it, else never again.
    """
    failed = update(CrawlTask).where(CrawlTask.job_id == job_id, CrawlTask.status == TaskStatus.ERROR)
    again = {"status": TaskStatus.PENDING, "attempt_count": 0, "may_retry": True, "next_run_at": now, "updated_at": now}
    unsynchronised = {"synchronize_session": False}
    session.execute(failed.where(~_KILLS_WORKERS).values(**again), execution_options=unsynchronised)
    if by_person:
        once_more = failed.values(**again, reclaim_count=MAX_RECLAIMS - 1)
        session.execute(once_more, execution_options=unsynchronised)


def ask_seeds_again(session: Session, job_id: int, now: datetime) -> None:
    """Queue the seeds of a job again, also those that were fetched."""
    seeds = (CrawlTask.job_id == job_id, CrawlTask.depth == 0, CrawlTask.status == TaskStatus.FINISHED)
    session.execute(
        update(CrawlTask)
        .where(*seeds)
        .values(status=TaskStatus.PENDING, attempt_count=0, next_run_at=now, updated_at=now)
        .execution_options(synchronize_session=False)
    )


def forget(session: Session, job_id: int) -> None:
    """Delete every task of a job, for a crawl that begins again; captures stay."""
    session.execute(delete(CrawlTask).where(CrawlTask.job_id == job_id).execution_options(synchronize_session=False))


def counts(session: Session, job_id: int) -> FrontierCounts:
    """Return the number of a job's tasks by status."""
    rows = session.execute(
        select(CrawlTask.status, func.count()).where(CrawlTask.job_id == job_id).group_by(CrawlTask.status)
    )
    return FrontierCounts(**{row[0]: row[1] for row in rows})


def has_any(session: Session, job_id: int, *statuses: TaskStatus) -> bool:
    """Return whether a job has any task in these states; one query, so that no task is missed that changes its state
    meanwhile."""
    found = select(CrawlTask.id).where(CrawlTask.job_id == job_id, CrawlTask.status.in_(statuses))
    return session.scalar(found.limit(1)) is not None


def jobs_of(session: Session, owner: str) -> list[int]:
    """Return the jobs of which an owner holds tasks, in order."""
    # Selected by job, so that the index finds the few tasks in progress.
    held = (CrawlTask.job_id.in_(select(ArchiveJob.id)), CrawlTask.status == TaskStatus.IN_PROGRESS)
    found = select(CrawlTask.job_id).where(*held, CrawlTask.lease_owner == owner).distinct()
    return sorted(session.scalars(found))


def hosts(session: Session, job_id: int) -> set[str]:
    """Return every host that a job knows URLs of."""
    return set(session.scalars(select(CrawlTask.host).where(CrawlTask.job_id == job_id).distinct()))


def under_way(session: Session, job_id: int) -> int:
    """Return how many of a job's tasks a worker has leased."""
    return session.connection().scalar(_UNDER_WAY, {"job_id": job_id}) or 0


def under_way_by_kind(session: Session, job_id: int) -> dict[TaskType, int]:
    """Return how many of a job's tasks of each kind are being worked on."""
    every, requisites = session.connection().execute(_UNDER_WAY_BY_KIND, {"job_id": job_id}).one()
    return {TaskType.PAGE: every - int(requisites), TaskType.MEDIA: int(requisites)}


def has_waiting(session: Session, job_id: int, kind: TaskType) -> bool:
    """Return whether any task of a kind waits, due or not."""
    waiting = select(_T.id).where(_T.job_id == job_id, _T.status == TaskStatus.PENDING, _OF_KIND[kind])
    return session.connection().scalar(waiting.limit(1)) is not None


def urls_with_queries(session: Session, job_id: int) -> Iterator[str]:
    """Yield the known URLs of a job that have a query, for the trap detection."""
    key = CrawlTask.url_key
    known = select(key, CrawlTask.url).where(CrawlTask.job_id == job_id, CrawlTask.url.contains("?"))
    last = ""
    # In the order of an index that begins with the job, so that batches are not sorted.
    while rows := session.execute(known.where(key > last).order_by(key).limit(_READ_AT_ONCE)).all():
        yield from (url for _, url in rows)
        last = rows[-1][0]


def unknown_urls(session: Session, job_id: int, urls: Iterable[str]) -> list[str]:
    """Return the URLs that are not in a job's frontier."""
    keys = {url_key(url): url for url in urls}
    known = {*session.scalars(select(CrawlTask.url_key).where(CrawlTask.job_id == job_id, CrawlTask.url_key.in_(keys)))}
    return [url for key, url in keys.items() if key not in known]


def first_error(session: Session, job_id: int) -> str | None:
    """Return the error of the first URL that was given up, else of the first that waits for a retry."""
    unfetched = (TaskStatus.ERROR, TaskStatus.PENDING)
    return session.scalar(
        select(CrawlTask.last_error)
        .where(CrawlTask.job_id == job_id, CrawlTask.status.in_(unfetched), CrawlTask.last_error.is_not(None))
        .order_by(CrawlTask.status != TaskStatus.ERROR, CrawlTask.id)
        .limit(1)
    )


def given_up(session: Session, job_id: int) -> GivenUp:
    """Return the URLs of a job that were given up because their workers died."""
    lost = (CrawlTask.job_id == job_id, CrawlTask.status == TaskStatus.ERROR, _KILLS_WORKERS)
    count = session.scalar(select(func.count()).where(*lost)) or 0
    urls = select(CrawlTask.url).where(*lost).order_by(CrawlTask.id).limit(_MOST_NAMED)
    return GivenUp(count, tuple(session.scalars(urls)) if count else ())


def suspect_url(session: Session, job_id: int) -> str | None:
    """Return the unfinished URL that lost the most workers."""
    lost = (CrawlTask.job_id == job_id, CrawlTask.status.in_((TaskStatus.PENDING, TaskStatus.IN_PROGRESS)))
    found = select(CrawlTask.url).where(*lost, CrawlTask.reclaim_count > 0)
    return session.scalar(found.order_by(CrawlTask.reclaim_count.desc(), CrawlTask.id).limit(1))


def may_succeed_later(session: Session, job_id: int) -> bool:
    """Return whether another run could fetch a URL that a job failed to fetch; True without a frontier."""
    if not has_any(session, job_id, *TaskStatus):
        return True
    if has_any(session, job_id, TaskStatus.PENDING, TaskStatus.IN_PROGRESS):
        return True
    failed = (CrawlTask.job_id == job_id, CrawlTask.status == TaskStatus.ERROR)
    return (
        session.scalar(select(CrawlTask.id).where(*failed, CrawlTask.may_retry, ~_KILLS_WORKERS).limit(1)) is not None
    )


def reclaim_expired(session: Session, job_id: int, now: datetime) -> None:
    """Take back the tasks of a job whose leases ran out."""
    expired = {"of_job": job_id, "why": "lease expired", "now": now}
    taken_back = session.connection().execute(_TAKE_BACK_EXPIRED, expired).rowcount
    operations.count(session, Operation.TASK_LEASES_RECLAIMED, taken_back)
