"""Queries of sources for operators: the configuration of their jobs, and their schedules."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, delete, func, select, update
from sqlalchemy.orm import Session, aliased

from webstrata.db.schema.asset_tables import Asset
from webstrata.db.schema.public_tables import SourceTotals
from webstrata.db.schema.tables import ArchiveJob, Capture, Page, Snapshot, Source, WarcFile
from webstrata.errors import ConflictError, NotFoundError, UsageError
from webstrata.model.jobs.job import UNDER_WAY, ArchiveJobConfig, JobStatus
from webstrata.model.jobs.registry import LastJob, SourceJobConfig, SourceView, is_source_code
from webstrata.model.jobs.schedules import Interval, next_after, parse_schedule
from webstrata.model.urls import URL_GROUP_VERSION

UNGROUPED = 0
"""The group version of a source whose pages must be regrouped."""


@dataclass(frozen=True)
class NewSource:
    """A source to be added."""

    entry: SourceJobConfig
    name: str
    base_url: str | None = None
    description: str | None = None
    page_parameters: tuple[str, ...] = ()

    @property
    def code(self) -> str:
        """Return the source's short name."""
        return self.entry.source_code


@dataclass(frozen=True)
class SourceChange:
    """Changes of a source; None leaves a field unchanged."""

    name: str | None = None
    base_url: str | None = None
    description: str | None = None
    entry: SourceJobConfig | None = None


@dataclass(frozen=True)
class JobFolder:
    """A job and the folder of its files."""

    id: int
    output_dir: str


@dataclass(frozen=True)
class DueSource:
    """A source that is due."""

    id: int
    code: str
    schedule: str
    due_at: datetime


def list_sources(session: Session) -> list[SourceView]:
    """Return all sources, sorted by code, each with its newest job and its counts."""
    return [_view(row) for row in session.execute(_views().order_by(Source.code))]


def source_view(session: Session, code: str) -> SourceView:
    """Return one source; NotFoundError, which names the known ones, when there is none."""
    row = session.execute(_views().where(Source.code == code)).first()
    if row is None:
        raise _unknown(session, code)
    return _view(row)


def known_codes(session: Session) -> list[str]:
    """Return the codes of all sources."""
    return list(session.scalars(select(Source.code).order_by(Source.code)))


def add_source(session: Session, new: NewSource, schedule: str | None, next_run_at: datetime | None) -> int:
    """Add a source; ConflictError when its code is taken."""
    if session.scalar(select(Source.id).where(Source.code == new.code)) is not None:
        raise ConflictError(f"there is a source {new.code} already", command=f"webstrata sources show {new.code}")
    source = Source(
        code=new.code,
        name=new.name,
        base_url=new.base_url,
        description=new.description,
        job_config=new.entry.to_json(),
        schedule=schedule,
        next_run_at=next_run_at,
        page_parameters=list(new.page_parameters) or None,
        group_version=URL_GROUP_VERSION,
    )
    session.add(source)
    session.flush()
    return source.id


def complete_source(session: Session, new: NewSource) -> bool:
    """Set the registry entry of a source without one, and return whether it was set."""
    source = _source(session, new.code)
    if source.job_config is not None:
        return False
    source.job_config = new.entry.to_json()
    return True


def registry_entry(session: Session, code: str, extra_seeds: Sequence[str] = ()) -> SourceJobConfig:
    """Return the configuration of a source's jobs: its entry, else from its newest job, its URL, or other seeds."""
    source = _source(session, code)
    if source.job_config is not None:
        return SourceJobConfig.from_json(code, source.job_config)
    newest = session.scalars(
        select(ArchiveJob.config).where(ArchiveJob.source_id == source.id).order_by(ArchiveJob.id.desc()).limit(1)
    ).first()
    config = ArchiveJobConfig.from_json(newest or {})
    if config.seeds:
        return _as_entry(code, config)
    if source.base_url or extra_seeds:
        return SourceJobConfig.plain(code, (source.base_url,) if source.base_url else ())
    raise UsageError(f"{code} has no seed: give one, such as --seed https://example.org/")


def own_entry(session: Session, code: str) -> SourceJobConfig | None:
    """Return the stored configuration of a source's jobs, if there is one."""
    stored = _source(session, code).job_config
    return None if stored is None else SourceJobConfig.from_json(code, stored)


def source_for_job(session: Session, code: str) -> Source:
    """Return a source's row, locked, so that two jobs are never made of it at the same time."""
    found = session.scalars(select(Source).where(Source.code == code).with_for_update()).first()
    if found is None:
        raise _unknown(session, code)
    return found


def set_schedule(session: Session, code: str, schedule: str | None, now: datetime) -> datetime | None:
    """Set or remove the schedule of a source, and return when it is due next.

    An interval counts from the source's last job, and the source is due at once when it has none or is overdue.
    """
    source = _source(session, code)
    if schedule is not None and source.job_config is None:
        # The entry is stored, so that a manual job does not change later scheduled ones.
        source.job_config = registry_entry(session, code).to_json()
    source.schedule = schedule
    source.schedule_paused = False
    source.schedule_error = None
    source.next_run_at = first_run(session, source.id, schedule, now) if schedule else None
    return source.next_run_at


def first_run(session: Session, source_id: int | None, schedule: str, now: datetime) -> datetime:
    """Return when a source with a new schedule is due for the first time."""
    if not isinstance(parse_schedule(schedule), Interval):
        return next_after(schedule, now)
    last = session.scalar(select(func.max(ArchiveJob.created_at)).where(ArchiveJob.source_id == source_id))
    return now if last is None else max(now, next_after(schedule, last))


def pause_schedule(session: Session, code: str) -> None:
    """Pause the schedule of a source; ConflictError when it has none."""
    source = _source(session, code)
    if source.schedule is None:
        raise ConflictError(f"{code} has no schedule to pause")
    source.schedule_paused = True


def resume_schedule(session: Session, code: str, now: datetime) -> datetime | None:
    """Resume a paused schedule and return when it is due next: at once if a time was missed meanwhile."""
    source = _source(session, code)
    if source.schedule is None:
        command = f"webstrata sources schedule {code} 7d"
        raise ConflictError(f"{code} has no schedule: give it one first", command=command)
    source.schedule_paused = False
    source.next_run_at = source.next_run_at or first_run(session, source.id, source.schedule, now)
    return source.next_run_at


def set_enabled(session: Session, code: str, enabled: bool) -> None:
    """Enable or disable a source: no jobs are made of a disabled one."""
    _source(session, code).enabled = enabled


def change_source(session: Session, code: str, change: SourceChange) -> None:
    """Write the changed fields of a source."""
    source = _source(session, code)
    for name in ("name", "base_url", "description"):
        if (value := getattr(change, name)) is not None:
            setattr(source, name, value)
    if change.entry is not None:
        source.job_config = change.entry.to_json()


def set_page_parameters(session: Session, code: str, names: Sequence[str]) -> bool:
    """Set which query parameters distinguish a source's pages; return whether its pages must be regrouped."""
    source = _source(session, code)
    if tuple(source.page_parameters or ()) == tuple(names):
        return source.group_version != URL_GROUP_VERSION
    source.page_parameters = list(names) or None
    source.group_version = UNGROUPED if _may_have_pages(session, source.id) else URL_GROUP_VERSION
    return source.group_version != URL_GROUP_VERSION


def job_folders(session: Session, code: str) -> list[JobFolder]:
    """Return the folders of a source's jobs, oldest first."""
    source = _source(session, code)
    rows = select(ArchiveJob.id, ArchiveJob.output_dir).where(ArchiveJob.source_id == source.id)
    return [JobFolder(job_id, folder) for job_id, folder in session.execute(rows.order_by(ArchiveJob.id))]


def remove_source(session: Session, code: str, now: datetime) -> list[JobFolder]:
    """Remove a source without captures, with its jobs, and return these; ConflictError for any other."""
    source = source_for_job(session, code)
    # Locked, so that no worker claims one meanwhile.
    made = session.scalars(select(ArchiveJob).where(ArchiveJob.source_id == source.id).with_for_update()).all()
    _refuse_while_worked_on(made, code, now)
    folders = job_folders(session, code)
    files = select(WarcFile.id).join(ArchiveJob, WarcFile.job_id == ArchiveJob.id)
    kept = {
        "snapshots": select(Snapshot.id).where(Snapshot.source_id == source.id),
        "captures": select(Capture.id).where(Capture.source_id == source.id),
        "assets": select(Asset.id).where(Asset.source_id == source.id),
        "WARC files": files.where(ArchiveJob.source_id == source.id, WarcFile.committed_bytes > 0),
    }
    for what, rows in kept.items():
        if session.scalar(rows.limit(1)) is not None:
            raise has_captures(code, what)
    session.execute(delete(ArchiveJob).where(ArchiveJob.source_id == source.id))
    session.execute(delete(Source).where(Source.id == source.id))
    return folders


def refuse_while_worked_on(session: Session, code: str, now: datetime) -> None:
    """Raise ConflictError while a worker crawls or indexes a job of a source."""
    source = _source(session, code)
    _refuse_while_worked_on(
        session.scalars(select(ArchiveJob).where(ArchiveJob.source_id == source.id)).all(), code, now
    )


def has_captures(code: str, what: str) -> ConflictError:
    """Return the error for a source that cannot be removed because it has captures."""
    return ConflictError(f"{code} has {what}: it can only be disabled", command=f"webstrata sources disable {code}")


def _refuse_while_worked_on(made: Sequence[ArchiveJob], code: str, now: datetime) -> None:
    for job in made:
        leases = ((job.lease_owner, job.lease_expires_at), (job.index_lease_owner, job.index_lease_expires_at))
        is_held = any(owner and until and until > now for owner, until in leases)
        if is_held or job.status in (JobStatus.RUNNING, JobStatus.INDEXING):
            command = f"webstrata stop-job --id {job.id}"
            raise ConflictError(f"job {job.id} of {code} is {job.status}: stop it first", command=command)


def due_sources(session: Session, now: datetime) -> list[DueSource]:
    """Return the sources that are due, longest due first, except those that have a job under way."""
    rows = session.execute(
        select(Source.id, Source.code, Source.schedule, Source.next_run_at)
        .where(
            Source.enabled,
            ~Source.schedule_paused,
            Source.schedule.is_not(None),
            Source.next_run_at <= now,
            ~_job_under_way(),
        )
        .order_by(Source.next_run_at, Source.id)
    )
    return [DueSource(row[0], row[1], row[2] or "", row[3] or now) for row in rows]


def take_due_run(session: Session, due: DueSource, next_run_at: datetime) -> bool:
    """Claim a scheduled run of a source and return whether that succeeded; only one of several workers succeeds."""
    # Adding a job to the source takes this lock: the next statement sees jobs added before.
    session.execute(select(Source.id).where(Source.id == due.id).with_for_update())
    taken = session.execute(
        update(Source)
        .where(
            Source.id == due.id,
            Source.next_run_at == due.due_at,
            Source.schedule == due.schedule,
            Source.enabled,
            ~Source.schedule_paused,
            ~_job_under_way(),
        )
        .values(next_run_at=next_run_at, schedule_error=None)
        .returning(Source.id)
    )
    return taken.first() is not None


def note_schedule_error(session: Session, source_id: int, reason: str) -> bool:
    """Record why a due job could not be queued, and return whether the reason is new."""
    noted = session.execute(
        update(Source)
        .where(Source.id == source_id, func.coalesce(Source.schedule_error, "") != reason)
        .values(schedule_error=reason)
        .returning(Source.id)
    )
    return noted.first() is not None


def jobs_under_way(session: Session, code: str) -> list[int]:
    """Return a source's jobs that are not over."""
    return list(
        session.scalars(
            select(ArchiveJob.id)
            .join(Source, ArchiveJob.source_id == Source.id)
            .where(Source.code == code, ArchiveJob.status.in_(UNDER_WAY))
            .order_by(ArchiveJob.id)
        )
    )


def _may_have_pages(session: Session, source_id: int) -> bool:
    """Return whether a source has pages, or a job that may be adding the first ones now."""
    page = select(Page.id).where(Page.source_id == source_id).limit(1)
    begun = select(ArchiveJob.id).where(ArchiveJob.source_id == source_id, ArchiveJob.started_at.is_not(None)).limit(1)
    return session.scalar(page) is not None or session.scalar(begun) is not None


def _job_under_way() -> ColumnElement[bool]:
    return (
        select(ArchiveJob.id)
        .where(ArchiveJob.source_id == Source.id, ArchiveJob.status.in_(UNDER_WAY))
        .correlate(Source)
        .exists()
    )


def _source(session: Session, code: str) -> Source:
    found = session.scalars(select(Source).where(Source.code == code)).first()
    if found is None:
        raise _unknown(session, code)
    return found


def _unknown(session: Session, code: str) -> NotFoundError:
    known = known_codes(session)
    listed = f"known are {', '.join(known[:20])}{', …' if len(known) > 20 else ''}" if known else "there is none yet"
    command = f"webstrata sources add {code if is_source_code(code) else 'CODE'} https://example.org/"
    baseline = "" if known else ", or the baseline ones: webstrata seed-sources"
    return NotFoundError(f"there is no source {code[:80]!r} ({listed}); add it", command=f"{command}{baseline}")


def _as_entry(code: str, config: ArchiveJobConfig) -> SourceJobConfig:
    plain = SourceJobConfig.plain(code, config.seeds)
    return SourceJobConfig(
        code,
        plain.name_template,
        config.seeds,
        config.zimit_passthrough_args,
        config.tool_options,
        crawl=config.crawl,
        scope={name: list(config.scope[name]) for name in config.scope},  # type: ignore[call-overload]
        plugins=config.plugins,
    )


def _views() -> Select[*tuple[Any, ...]]:
    """Select sources with their newest job and their counts."""
    made = aliased(ArchiveJob)
    of_source = made.source_id == Source.id
    jobs = select(func.count()).select_from(made).where(of_source).correlate(Source).scalar_subquery()
    newest = select(func.max(made.id)).where(of_source).correlate(Source).scalar_subquery()
    return (
        select(Source, ArchiveJob, jobs, SourceTotals.snapshot_count)
        .select_from(Source)
        .outerjoin(ArchiveJob, ArchiveJob.id == newest)
        .outerjoin(SourceTotals, SourceTotals.source_id == Source.id)
    )


def _view(row: Row[*tuple[Any, ...]]) -> SourceView:
    source, job, jobs, snapshots = row
    return SourceView(
        id=source.id,
        code=source.code,
        name=source.name,
        base_url=source.base_url,
        description=source.description,
        enabled=source.enabled,
        schedule=source.schedule,
        schedule_paused=source.schedule_paused,
        schedule_error=source.schedule_error,
        next_run_at=source.next_run_at,
        page_parameters=tuple(source.page_parameters or ()),
        needs_regrouping=source.group_version != URL_GROUP_VERSION,
        job_config=source.job_config,
        last_job=LastJob(job.id, job.name, job.status, job.status_reason, job.created_at) if job else None,
        jobs=jobs or 0,
        snapshots=snapshots or 0,
    )
