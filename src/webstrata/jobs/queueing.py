"""What people tell jobs to do: begin, stop, go on."""

import re
from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from webstrata.coordination.presence import is_dead
from webstrata.db import frontier, jobs, leases
from webstrata.db.engine import Database, Session
from webstrata.errors import ConflictError, StorageError, UsageError
from webstrata.model.jobs import (
    CLAIMABLE,
    JobConfig,
    JobStatus,
    build_output_dir_for_job,
    generate_job_name,
)
from webstrata.model.scope import ScopeRules
from webstrata.model.urls import host_of, parse_url

_CODE = re.compile(r"[^a-z0-9]+")


def queue_archive(  # noqa: PLR0913 - everything that a job can be told
    database: Database,
    archive_root: Path,
    urls: tuple[str, ...],
    *,
    crawl: Mapping[str, object] | None = None,
    scope: ScopeRules | None = None,
    plugins: tuple[str, ...] | None = None,
    code: str | None = None,
    name: str | None = None,
    hold: timedelta = timedelta(0),
) -> int:
    """Queue a job for some addresses of one site and return it; one that was cut off goes on where it was.

    Workers leave the job alone for as long as `hold` says: whoever runs it at once must not race with them.
    """
    seeds = tuple(parse_url(url).href for url in urls)
    if not seeds:
        raise UsageError("nothing to archive: give an address such as https://example.org/")
    code = code or source_code_of(seeds[0])
    now = datetime.now(UTC)
    with database.write() as session:
        source_id = jobs.ensure_source(session, code, name=name or host_of(seeds[0]), base_url=seeds[0])
        unfinished = jobs.unfinished_job(session, source_id, seeds)
        job = jobs.load_job(session, unfinished) if unfinished is not None else None
        if job is not None and Path(job.output_dir).is_dir():
            if not _is_led(session, archive_root, job.id):
                config = replace(job.config, crawl={**job.config.crawl, **(crawl or {})})
                jobs.set_job(session, job.id, config=config.to_json())
                _put_in_line(session, job.id, now, now + hold)
            return job.id
        job_name = generate_job_name(code, now)
        output_dir = _new_folder(archive_root, code, job_name, now)
        job_id = jobs.add_job(
            session,
            source_id,
            name=job_name,
            output_dir=str(output_dir),
            config=JobConfig(seeds, crawl or {}, asdict(scope) if scope else {}, plugins),
            queued_at=now,
        )
        jobs.set_job(session, job_id, not_before=now + hold)
        return job_id


def source_code_of(url: str) -> str:
    """Return the short name under which a site's captures are kept."""
    return _CODE.sub("-", host_of(url).removeprefix("www.")).strip("-")[:64]


def _new_folder(archive_root: Path, code: str, job_name: str, now: datetime) -> Path:
    """Make a job's folder; of two jobs in one second the later gets a number."""
    wanted = build_output_dir_for_job(code, job_name, archive_root, now)
    for folder in (wanted, *(wanted.with_name(f"{wanted.name}-{n}") for n in range(2, 1000))):
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        except OSError as error:
            raise StorageError(f"{folder}: {error.strerror}") from error
        return folder
    raise StorageError(f"{wanted}: too many jobs in one second")


def request_stop(database: Database, job_id: int) -> None:
    """End a job's crawl soon, wherever it runs; one that waits in line ends at once. ConflictError if there is none."""
    now = datetime.now(UTC)
    with database.write() as session:
        status = jobs.status_of(session, job_id)
        if status is JobStatus.RUNNING:
            jobs.set_job(session, job_id, stop_requested_at=now)
        elif status in CLAIMABLE:
            begun = jobs.has_begun(session, job_id)
            reason = "stopped while it waited to go on" if begun else "stopped before it began"
            jobs.set_job(session, job_id, status=JobStatus.STOPPED, status_reason=reason, finished_at=now)
        else:
            raise ConflictError(f"job {job_id} is {status}: there is no crawl to stop")


def resume_job(database: Database, job_id: int) -> None:
    """Let a job that ended go on: what it did not get is tried again. ConflictError while it is under way."""
    now = datetime.now(UTC)
    with database.write() as session:
        status = jobs.status_of(session, job_id)
        if status in (JobStatus.QUEUED, JobStatus.RUNNING):
            raise ConflictError(f"job {job_id} is {status} already")
        if leases.leader(session, job_id, now):
            raise ConflictError(f"job {job_id} is still being indexed: it can go on when that is done")
        _put_in_line(session, job_id, now, now)


def _is_led(session: Session, archive_root: Path, job_id: int) -> bool:
    leader = leases.leader(session, job_id, datetime.now(UTC))
    return leader is not None and not is_dead(archive_root, leader)


def _put_in_line(session: Session, job_id: int, now: datetime, not_before: datetime) -> None:
    """Queue a job again for a run of its own, in which the URLs that failed get a fresh start."""
    frontier.revive(session, job_id, now)
    jobs.set_job(
        session,
        job_id,
        status=JobStatus.QUEUED,
        queued_at=now,
        not_before=not_before,
        started_at=None,
        finished_at=None,
        stop_requested_at=None,
        lease_owner=None,
        lease_expires_at=None,
    )
