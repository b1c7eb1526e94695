"""Registers folders of existing WARC files as jobs, without writing, moving or deleting anything in them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import structlog

from webstrata.db.captures import captures, warc_folders
from webstrata.db.captures.warc_folders import RegisteredFolder
from webstrata.db.engine import Database, Session
from webstrata.db.operations import audit_log
from webstrata.db.queue import jobs
from webstrata.db.sources import sources
from webstrata.errors import ConflictError, NotFoundError
from webstrata.jobs.running.crawl_end import write_folder_records
from webstrata.model.jobs.job import INDEXABLE, ArchiveJobConfig, JobStatus, check_job_name
from webstrata.storage.crawl_state import STATE_FILE
from webstrata.warc.adopting import Measured, measured, unrecorded_warcs
from webstrata.warc.discovery import Discovered, LeftOut, Refused, discover, files_left_out

log = structlog.get_logger()

_MAX_LISTED = 3
_MAX_NAMED = 50


@dataclass(frozen=True)
class Registered:
    """A folder that was registered as a job."""

    job_id: int
    output_dir: Path
    is_new: bool
    """False when files were added to an existing job."""
    files: tuple[Measured, ...]
    """The files that the job got."""
    notes: tuple[str, ...]
    """Notes for the operator: files that were left out and why, cut-off ends, a state file that was not trusted."""


def register_job_dir(
    database: Database,
    archive_root: Path,
    source_code: str,
    output_dir: Path,
    *,
    name: str | None = None,
    left_alone_for: timedelta = timedelta(0),
) -> Registered:
    """Attach a job to a folder of WARC files, or to one file, so that it can be indexed.

    A folder that already has a job is refused, unless there are new files in it: the job gets them. A job without a
    source gets the source. For the time `left_alone_for` workers do not take the job.
    """
    if name is not None:
        check_job_name(name)
    not_before = datetime.now(UTC) + left_alone_for if left_alone_for else None
    found = discover(output_dir)
    left_out = files_left_out(output_dir, found)
    place = output_dir.resolve()
    if not found.files:
        raise NotFoundError(_nothing_found(place, (*found.refused, *left_out.archives)))
    with database.read() as session:
        source_id = sources.source_view(session, source_code).id
        known = warc_folders.job_of_folder(session, str(place))
    if known is None:
        files = [measured(path) for path in found.files]
        job_id = _register(database, archive_root, source_id, place, name, files, not_before=not_before)
    else:
        _refuse_unless_addable(known, source_code, place)
        job_id = known.job_id
        files = unrecorded_warcs(_Folder(job_id, str(place)), found.files, database=database, archive_root=archive_root)
        _add(database, archive_root, known, place, files, source_id, not_before=not_before)
    write_folder_records(database, archive_root, job_id)
    log.info("job.registered", job_id=job_id, folder=str(place), files=len(files), is_new=known is None)
    return Registered(job_id, place, known is None, tuple(files), _notes(found, left_out, files))


@dataclass(frozen=True)
class _Folder:
    id: int
    output_dir: str


def _register(
    database: Database,
    archive_root: Path,
    source_id: int,
    place: Path,
    name: str | None,
    files: Sequence[Measured],
    *,
    not_before: datetime | None,
) -> int:
    warcs = [warc.found(archive_root) for warc in files]
    with database.write() as session:
        taken = warc_folders.jobs_with_files(session, [warc.path for warc in warcs])
        if taken:
            path, other = min(taken.items())
            raise ConflictError(f"{path} belongs to job {other} already: a file can be in one job only")
        job_id = _new_job(session, source_id, place, name)
        warc_folders.adopt_warc_files(session, job_id, warcs)
        _make_ready(session, job_id, not_before)
        audit_log.record(session, "job.register", f"job:{job_id}", folder=str(place), files=len(files))
    return job_id


def _new_job(session: Session, source_id: int, place: Path, name: str | None) -> int:
    now = datetime.now(UTC)
    job_id = jobs.add_job(
        session,
        source_id,
        name=name or _name_of(place) or "registered",
        output_dir=str(place),
        config=ArchiveJobConfig(seeds=()),
        queued_at=now,
    )
    state_file = place / STATE_FILE
    jobs.set_job(
        session,
        job_id,
        started_at=now,
        finished_at=now,
        crawler_stage=JobStatus.COMPLETED,
        crawler_status="success",
        state_file_path=str(state_file) if state_file.is_file() else None,
    )
    return job_id


def _name_of(place: Path) -> str:
    """Return a folder's name, or a file's without its endings."""
    return re.split(r"\.w?arc\b", place.name, maxsplit=1)[0]


def _refuse_unless_addable(known: RegisteredFolder, source_code: str, place: Path) -> None:
    if known.source_code not in ("", source_code):
        raise ConflictError(f"{_whose(known, place)}: it cannot be registered for source {source_code} as well")
    if known.status not in INDEXABLE:
        raise ConflictError(f"{_whose(known, place)}: files can be added when its crawl and its indexing have ended")


def _add(
    database: Database,
    archive_root: Path,
    known: RegisteredFolder,
    place: Path,
    files: Sequence[Measured],
    source_id: int,
    *,
    not_before: datetime | None,
) -> None:
    if not files and known.source_code:
        raise ConflictError(f"{_whose(known, place)} already, and there is nothing new in it")
    with database.write() as session:
        warc_folders.adopt_warc_files(session, known.job_id, [warc.found(archive_root) for warc in files])
        jobs.set_job(session, known.job_id, source_id=source_id)
        _make_ready(session, known.job_id, not_before)
        audit_log.record(session, "job.register", f"job:{known.job_id}", folder=str(place), files=len(files))


def _whose(known: RegisteredFolder, place: Path) -> str:
    return f"{place} is the folder of job {known.job_id} (source {known.source_code}, {known.status})"


def _make_ready(session: Session, job_id: int, not_before: datetime | None) -> None:
    """Mark the job as ready for `index-job`, or for a worker after the given time."""
    count, size = captures.warc_totals(session, job_id)
    jobs.set_job(
        session,
        job_id,
        status=JobStatus.COMPLETED,
        status_reason=None,
        not_before=not_before,
        warc_file_count=count,
        warc_bytes_total=size,
    )


def _nothing_found(place: Path, refused: Sequence[Refused]) -> str:
    if not place.is_dir() and refused:
        return str(refused[0])
    left_out = f"; left out: {'; '.join(map(str, refused[:_MAX_LISTED]))}" if refused else ""
    return f"no WARC files in {place}, its warcs/ or collections/**/archive/, or its .tmp* folders{left_out}"


def _notes(found: Discovered, left_out: LeftOut, files: Sequence[Measured]) -> tuple[str, ...]:
    damage = [f"{found.state_damage} (all .tmp* folders were searched)"] if found.state_damage else []
    archives = map(str, (*found.refused, *left_out.archives))
    return (*damage, *archives, *_other_files(left_out.others), *(warc.torn for warc in files if warc.torn))


def _other_files(others: Sequence[Path]) -> Iterator[str]:
    """Yield one line that names the files without a record, if there are any; of very many, some."""
    if not others:
        return
    names = ", ".join(file.name for file in others[:_MAX_NAMED])
    more = f" and {len(others) - _MAX_NAMED:,} more" if len(others) > _MAX_NAMED else ""
    yield f"left out, because there is no WARC record in it: {names}{more}"
