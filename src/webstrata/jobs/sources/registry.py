"""The registry of sources: adds them by command, from files or from the baseline, and makes jobs of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from webstrata.db.engine import Database, Session
from webstrata.db.operations import audit_log
from webstrata.db.queue import jobs
from webstrata.db.schema.tables import ArchiveJob
from webstrata.db.sources import sources
from webstrata.db.sources.source_scopes import source_scopes
from webstrata.db.sources.sources import NewSource
from webstrata.errors import ConflictError, StorageError
from webstrata.jobs.folders.manifest import write_manifest
from webstrata.jobs.sources.source_files import read_source_file
from webstrata.model.jobs.job import ArchiveJobConfig
from webstrata.model.jobs.registry import (
    build_job_config,
    build_output_dir_for_job,
    check_entry,
    check_source_name,
    generate_job_name,
)
from webstrata.model.jobs.schedules import next_after, next_run
from webstrata.model.jobs.source_scope import SourceScope

BASELINE = Path(__file__).with_name("baseline_sources.yaml")


@dataclass(frozen=True)
class Added:
    """The sources that were added, and those that existed already."""

    added: tuple[str, ...]
    kept: tuple[str, ...]
    overlaps: tuple["Overlap", ...] = ()


@dataclass(frozen=True)
class Overlap:
    """A new source and the sources that share a domain with it: their common pages are captured by each."""

    code: str
    others: tuple[str, ...]


@dataclass(frozen=True)
class MadeJob:
    """A job that was queued, and the unfinished jobs of the same source."""

    id: int
    source: str
    name: str
    output_dir: str
    beside: tuple[int, ...]


def create_job_for_source(
    source_code: str,
    *,
    session: Session,
    overrides: Mapping[str, object] | None = None,
    archive_root: Path,
    extra_seeds: Sequence[str] = (),
    now: datetime | None = None,
) -> ArchiveJob:
    """Queue a job of a source, made from its registry entry, create its folder and return its row.

    NotFoundError for an unknown source, ConflictError for a disabled one, OptionsError (a ValueError) for tool options
    that do not go together.
    """
    moment = now or datetime.now(UTC)
    source = sources.source_for_job(session, source_code)
    if not source.enabled:
        raise disabled_source(source_code)
    entry = sources.registry_entry(session, source_code, extra_seeds)
    config = ArchiveJobConfig.from_json(build_job_config(entry, extra_seeds, overrides))
    name = generate_job_name(entry, moment)
    folder = new_folder(archive_root, source_code, name, moment)
    job_id = jobs.add_job(session, source.id, name=name, output_dir=str(folder), config=config, queued_at=moment)
    return session.get_one(ArchiveJob, job_id)


def make_job(
    database: Database,
    archive_root: Path,
    source_code: str,
    *,
    extra_seeds: Sequence[str] = (),
    overrides: Mapping[str, object] | None = None,
) -> MadeJob:
    """Queue a job of a source now, at an administrator's request, and return it."""
    with database.write() as session:
        beside = tuple(sources.jobs_under_way(session, source_code))
        _take_due_run(session, source_code, datetime.now(UTC))
        job = create_job_for_source(
            source_code, session=session, overrides=overrides, archive_root=archive_root, extra_seeds=extra_seeds
        )
        made = MadeJob(job.id, source_code, job.name, job.output_dir, beside)
        audit_log.record(
            session, "job.create", f"job:{job.id}", source=source_code, seeds=extra_seeds, overrides=overrides or {}
        )
    write_manifest(database, made.id, archive_root=archive_root)
    return made


def _take_due_run(session: Session, source_code: str, now: datetime) -> None:
    """Count a manual job as the scheduled run that is due, so that no second job follows at once."""
    for due in sources.due_sources(session, now):
        if due.code == source_code:
            sources.take_due_run(session, due, next_run(due.schedule, due.due_at, now))


def new_folder(archive_root: Path, code: str, job_name: str, now: datetime) -> Path:
    """Make a job's folder; the second of two jobs in the same second gets a number."""
    requested = build_output_dir_for_job(code, job_name, archive_root, now)
    for folder in (requested, *(requested.with_name(f"{requested.name}-{n}") for n in range(2, 1000))):
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        except OSError as error:
            raise StorageError(f"{folder}: {error.strerror}") from error
        return folder
    raise StorageError(f"{requested}: too many jobs in one second")


def disabled_source(code: str) -> ConflictError:
    """Return the error for a new job of a disabled source."""
    return ConflictError(f"{code} is disabled", command=f"webstrata sources enable {code}")


def add_source(database: Database, new: NewSource, now: datetime) -> datetime | None:
    """Add a source and return its first scheduled time, if it has a schedule; ConflictError when its code is taken."""
    with database.write() as session:
        return add_source_in(session, new, now)


def add_source_in(session: Session, new: NewSource, now: datetime) -> datetime | None:
    """The same as `add_source`, in the caller's transaction."""
    check_entry(new.entry)
    check_source_name(new.name)
    hint = new.entry.schedule_hint
    first = sources.first_run(session, None, hint, now) if hint else None
    _add(session, new, hint, first)
    return first


def seed_sources(database: Database, now: datetime) -> Added:
    """Add the baseline sources that are missing; existing ones stay unchanged.

    Their first scheduled run is one interval away, as no administrator has requested a crawl yet.
    """
    return _add_missing(database, read_source_file(BASELINE), now, at_once=False)


def complete_from_baseline(session: Session, source_code: str) -> None:
    """Give a baseline source whose row has no registry entry the baseline's; NotFoundError without a row."""
    for new in read_source_file(BASELINE):
        if new.code == source_code:
            sources.complete_source(session, new)


def import_sources(database: Database, path: Path, now: datetime) -> Added:
    """Add the missing sources of a file; all or none."""
    return _add_missing(database, read_source_file(path), now, at_once=True)


def _add_missing(database: Database, found: Sequence[NewSource], now: datetime, *, at_once: bool) -> Added:
    added, kept = [], []
    with database.write() as session:
        known = set(sources.known_codes(session))
        overlaps = overlaps_with(source_scopes(session), [new for new in found if new.code not in known])
        for new in found:
            if new.code in known:
                sources.complete_source(session, new)
                kept.append(new.code)
                continue
            hint = new.entry.schedule_hint
            first = _first_run(session, hint, now, at_once=at_once) if hint else None
            _add(session, new, hint, first)
            added.append(new.code)
    return Added(tuple(added), tuple(kept), overlaps)


def overlaps_with(known: Sequence[SourceScope], found: Iterable[NewSource]) -> tuple[Overlap, ...]:
    """Return the new sources that share a domain with an existing source, or with another new one."""
    scopes, overlaps = list(known), []
    for new in found:
        addresses = [*([new.base_url] if new.base_url else []), *new.entry.default_seeds]
        scope = SourceScope.of(new.code, addresses, new.entry.scope)
        if others := tuple(other.code for other in scopes if other.shares_domain(scope)):
            overlaps.append(Overlap(new.code, others))
        scopes.append(scope)
    return tuple(overlaps)


def _add(session: Session, new: NewSource, schedule: str | None, first: datetime | None) -> None:
    sources.add_source(session, new, schedule, first)
    audit_log.record(
        session,
        "source.add",
        f"source:{new.code}",
        after={"name": new.name, "base_url": new.base_url, "schedule": schedule, "job_config": new.entry.to_json()},
    )


def _first_run(session: Session, schedule: str, now: datetime, *, at_once: bool) -> datetime:
    return sources.first_run(session, None, schedule, now) if at_once else next_after(schedule, now)
