"""Deletes a job's temporary folders and crawler state when nothing needs them any more.

WARC files in them are deleted, too, or moved to the job's stable folder first. After a kill, the same command
continues: at any time, every WARC file is where the database records it, or at the planned destination.
"""

import errno
import filecmp
import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import structlog

from webstrata.assets.blobs import write_as_files
from webstrata.coordination.presence import is_dead, present
from webstrata.db.captures import captures, warc_folders
from webstrata.db.collections import export_history
from webstrata.db.engine import Database, Session
from webstrata.db.operations import audit_log, operations
from webstrata.db.operations.operations import Operation
from webstrata.db.queue import index_leases, jobs
from webstrata.db.queue.index_leases import IndexLease
from webstrata.db.retention import holds
from webstrata.errors import ConflictError, DatabaseError, LeaseLostError, StorageError, UsageError
from webstrata.jobs.folders.job_folders import folder_bytes, scan_storage
from webstrata.jobs.folders.manifest import refresh_manifest
from webstrata.model.jobs.cleanup import CleanupMode, CleanupStatus, may_clean
from webstrata.storage.crawl_state import CrawlState
from webstrata.storage.disk import make_folder, sync_folder
from webstrata.storage.paths import PresentFiles, recorded_as
from webstrata.storage.system_errors import as_storage_errors
from webstrata.warc.discovery import STABLE_FOLDER, find_latest_temp_dir_fallback, warc_files_below

log = structlog.get_logger()

_NO_LINKS_HERE = (errno.EXDEV, errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS)
_MAX_LISTED = 3
_LONGEST = timedelta(hours=1)
"""The longest time for which indexing is blocked; if this process dies, the next one takes over at once."""


@dataclass(frozen=True)
class Deleted:
    """A folder or file that was deleted, or would be."""

    path: Path
    bytes: int


@dataclass(frozen=True)
class Moved:
    """A WARC file that was moved, or would be."""

    before: Path
    after: Path
    bytes: int


@dataclass(frozen=True)
class CleanupReport:
    """The result of a cleanup, or of a dry run."""

    job_id: int
    mode: CleanupMode
    dry_run: bool
    deleted: tuple[Deleted, ...] = ()
    moved: tuple[Moved, ...] = ()
    warcs_deleted: int = 0
    snapshots_lost: int = 0
    """How many snapshots lose their record: they are still found, but can no longer be shown."""
    notes: tuple[str, ...] = ()

    @property
    def nothing_to_do(self) -> bool:
        """Return whether there was nothing to clean up."""
        return not self.deleted

    @property
    def freed_bytes(self) -> int:
        """Return how much disk space is freed."""
        return sum(part.bytes for part in self.deleted) - sum(part.bytes for part in self.moved)


@dataclass(frozen=True)
class _Plan:
    """Files and folders to be cleaned up."""

    output_dir: Path
    temp_dirs: tuple[Path, ...] = ()
    state_file: Path | None = None
    warcs: tuple[Path, ...] = ()
    """The WARC files in the temporary folders."""
    moves: dict[Path, Path] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not self.temp_dirs and self.state_file is None

    def going(self, archive_root: Path) -> list[str]:
        """Return the recorded paths of the WARC files that would be deleted."""
        return [recorded_as(archive_root, file) for file in self.warcs if file not in self.moves]

    def moved(self, archive_root: Path) -> dict[str, str]:
        """Return the recorded old and new paths of the WARC files to be moved."""
        return {
            recorded_as(archive_root, before): recorded_as(archive_root, after) for before, after in self.moves.items()
        }


def cleanup_job(
    database: Database,
    archive_root: Path,
    job_id: int,
    *,
    mode: str = CleanupMode.TEMP,
    force: bool = False,
    dry_run: bool = False,
    replay_enabled: bool = False,
) -> CleanupReport:
    """Delete a job's temporary folders and state file and return what was deleted; a dry run only reports it.

    ConflictError when the job is not done with them, or when replay or another job needs them.
    """
    requested = _mode(mode)
    with database.read() as session:
        kept = warc_folders.kept_folder(session, job_id)
        if refusal := may_clean(job_id, kept.status, requested, replay_enabled=replay_enabled, force=force):
            raise ConflictError(refusal)
        names = {warc.path for warc in captures.warc_files(session, job_id)}
        plan = _plan(job_id, kept.output_dir, requested, lambda file: recorded_as(archive_root, file) in names)
        report = _report(session, archive_root, job_id, requested, plan, dry_run)
    if dry_run or (plan.is_empty and kept.cleanup_status is not CleanupStatus.CLEANING):
        return report
    with _index_locked(database, archive_root, job_id):
        _put_aside(plan)
        if plan.going(archive_root):
            write_as_files(database, archive_root, job_id)
        _begin(database, archive_root, report, plan)
        _delete(job_id, plan, requested)
        _end(database, report)
    scan_storage(database, archive_root, job_id)
    refresh_manifest(database, job_id, archive_root=archive_root)
    log.info(
        "cleanup.done", job_id=job_id, mode=requested, bytes=report.freed_bytes, moved=len(plan.moves), forced=force
    )
    return report


def keep_warcs(output_dir: Path) -> None:
    """Move the WARC files of a crawl without a job to the folder `warcs`, and delete its temporary folders."""
    plan = replace(_plan(None, str(output_dir), CleanupMode.TEMP_NONWARC, lambda _file: False), state_file=None)
    _put_aside(plan)
    _delete(None, plan, CleanupMode.TEMP_NONWARC)


def keep_warcs_of(database: Database, archive_root: Path, job_id: int) -> None:
    """Move the WARC files of a job whose crawl has just ended; ConflictError while another process indexes it."""
    with database.read() as session:
        output_dir = warc_folders.kept_folder(session, job_id).output_dir
        names = {warc.path for warc in captures.warc_files(session, job_id)}
    with _index_locked(database, archive_root, job_id):
        found = _plan(
            job_id, output_dir, CleanupMode.TEMP_NONWARC, lambda file: recorded_as(archive_root, file) in names
        )
        plan = replace(found, state_file=None)
        _put_aside(plan)
        with database.write() as session:
            warc_folders.move_warc_files(session, job_id, plan.moved(archive_root))
        _delete(job_id, plan, CleanupMode.TEMP_NONWARC)


def _mode(mode: str) -> CleanupMode:
    try:
        return CleanupMode(mode)
    except ValueError:
        raise UsageError(f"{mode[:40]!r} is not a clean-up mode (expected {' or '.join(CleanupMode)})") from None


def _plan(job_id: int | None, output_dir: str, mode: CleanupMode, is_recorded: Callable[[Path], bool]) -> _Plan:
    """Return what is to be cleaned up in a folder, without changing anything."""
    place = Path(output_dir).resolve()
    if not output_dir or not place.exists():
        raise StorageError(f"the folder of job {job_id} is gone: {output_dir or '(none)'}")
    if not place.is_dir():
        if not is_recorded(place):
            raise StorageError(f"the folder of job {job_id} is not a folder: {output_dir}")
        return _Plan(place)  # a job of one WARC file
    state = CrawlState(place, initial_workers=1)
    newest = find_latest_temp_dir_fallback(place)
    temp_dirs = tuple(state.get_temp_dir_paths() or ([newest] if newest else []))
    warcs = tuple(file for folder in temp_dirs for file in warc_files_below(folder))
    return _Plan(
        place,
        temp_dirs,
        state.state_file_path if state.exists else None,
        warcs,
        _moves(place, warcs, is_recorded) if mode is CleanupMode.TEMP_NONWARC else {},
        (state.damage,) if state.damage else (),
    )


def _moves(output_dir: Path, warcs: Sequence[Path], is_recorded: Callable[[Path], bool]) -> dict[Path, Path]:
    """Return the target of each file; file names never change, as the job's journal refers to them."""
    stable = output_dir / STABLE_FOLDER
    if stable.is_symlink():
        raise StorageError(f"{stable} is a link: WARC files are not moved through links")
    moves: dict[Path, Path] = {}
    for file in warcs:
        temp_name = file.relative_to(output_dir).parts[0].lstrip(".")
        taken = set(moves.values())
        moves[file] = next(
            place
            for place in _places(stable, temp_name, file.name)
            if place not in taken and (not os.path.lexists(place) or _was_put_there(file, place, is_recorded))
        )
    return moves


def _was_put_there(file: Path, place: Path, is_recorded: Callable[[Path], bool]) -> bool:
    """Return whether an earlier attempt put a file there; a path that the database records is another file."""
    return _are_one(file, place) and not (is_recorded(file) and is_recorded(place))


def _places(stable: Path, temp_name: str, name: str) -> Iterator[Path]:
    """Yield the possible destinations of a file, best first; its name never changes."""
    yield stable / name
    yield stable / temp_name / name
    yield from (stable / f"{temp_name}-{number}" / name for number in range(2, 1_000_000))


def _are_one(file: Path, other: Path) -> bool:
    """Return whether another path is the same file, or a complete copy of it."""
    if other.is_symlink() or not other.is_file():
        return False
    return file.samefile(other) or filecmp.cmp(file, other, shallow=False)


def _report(
    session: Session, archive_root: Path, job_id: int, mode: CleanupMode, plan: _Plan, dry_run: bool
) -> CleanupReport:
    deleted = [Deleted(folder, folder_bytes(folder).output) for folder in plan.temp_dirs]
    if plan.state_file is not None:
        deleted.append(Deleted(plan.state_file, plan.state_file.lstat().st_size))
    going = plan.going(archive_root)
    _refuse_if_needed(session, archive_root, job_id, going)
    return CleanupReport(
        job_id=job_id,
        mode=mode,
        dry_run=dry_run,
        deleted=tuple(deleted),
        moved=tuple(Moved(before, after, before.stat().st_size) for before, after in plan.moves.items()),
        warcs_deleted=len(going),
        snapshots_lost=warc_folders.snapshots_in(session, job_id, going),
        notes=plan.notes,
    )


def _refuse_if_needed(session: Session, archive_root: Path, job_id: int, going: Sequence[str]) -> None:
    """Refuse to delete files that other jobs' revisits refer to or soon may, or that a hold or a haul protects."""
    if not going:
        return
    if held := holds.held_in_files(session, job_id, going):
        raise ConflictError(f"snapshot {held[0].snapshot_id} of job {job_id} must be kept ({held[0].reason})")
    keep = "--mode temp-nonwarc keeps them"
    if exports := export_history.running_exports(session, [job_id], datetime.now(UTC)):
        raise ConflictError(f"export {exports[0]} is reading the files: wait for its end, or {keep}")
    if beside := warc_folders.crawls_beside(session, job_id):
        raise ConflictError(
            f"job {', '.join(map(str, beside))} of the same source is running and may refer to WARC files of job "
            f"{job_id} that would be deleted: wait for its end, or {keep}"
        )
    if needed := warc_folders.needed_elsewhere(session, job_id, going, PresentFiles(archive_root).has):
        lost, others = list(needed), sorted({other for jobs_ in needed.values() for other in jobs_})
        raise ConflictError(
            f"revisits of job {', '.join(map(str, others))} refer to records of job {job_id} that would be deleted "
            f"({', '.join(lost[:_MAX_LISTED])}): {keep}"
        )


@contextmanager
def _index_locked(database: Database, archive_root: Path, job_id: int) -> Iterator[None]:
    """Hold the job's index lease, so that no process reads what is being moved and deleted."""
    now, lease = datetime.now(UTC), IndexLease(job_id, secrets.token_hex(16))
    with present(archive_root) as owner:
        try:
            with database.write() as session:
                dead = partial(is_dead, archive_root)
                index_leases.take(session, lease, owner, now + _LONGEST, now=now, is_dead=dead)
        except LeaseLostError as error:
            raise ConflictError(str(error)) from error
        try:
            yield
        finally:
            with suppress(DatabaseError), database.write() as session:
                index_leases.release(session, lease)


def _put_aside(plan: _Plan) -> None:
    """Copy or link every WARC file to its new path; the old file is deleted after the database has the new path."""
    for before, after in plan.moves.items():
        with as_storage_errors(after):
            make_folder(after.parent)
            if not after.exists():
                _link_or_copy(before, after)
            sync_folder(after.parent)


def _link_or_copy(before: Path, after: Path) -> None:
    try:
        os.link(before, after, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS_HERE:
            raise
        # It gets the name of a WARC file only when it is complete.
        copy = after.with_name(f".moving-{after.name}.part")
        shutil.copy2(before, copy, follow_symlinks=False)
        with copy.open("rb") as file:
            os.fsync(file.fileno())
        copy.rename(after)


def _begin(database: Database, archive_root: Path, report: CleanupReport, plan: _Plan) -> None:
    """Store the new paths, and in the same transaction the beginning of the deletion and its actor."""
    job_id, moved = report.job_id, plan.moved(archive_root)
    with database.write() as session:
        kept = warc_folders.kept_folder(session, job_id)
        # Replay was checked before; whether the job is still finished is checked again, now that it is locked.
        if refusal := may_clean(job_id, kept.status, CleanupMode.TEMP, force=True):
            raise ConflictError(refusal)
        going = plan.going(archive_root)
        # Marked before references are checked again: a crawl that commits a reference then waits or sees the mark.
        warc_folders.mark_deleting(session, job_id, going, datetime.now(UTC))
        _refuse_if_needed(session, archive_root, job_id, going)
        warc_folders.give_up_payloads(session, job_id, going)
        warc_folders.move_warc_files(session, job_id, moved)
        jobs.set_job(session, job_id, cleanup_status=CleanupStatus.CLEANING)
        before, after = {"cleanup_status": kept.cleanup_status}, {"cleanup_status": CleanupStatus.TEMP_CLEANED}
        audit_log.record(
            session, "job.cleanup", f"job:{job_id}", before=before, after=after, **_deletion_details(report)
        )


def _deletion_details(report: CleanupReport) -> dict[str, object]:
    """Return the audit log's details of a clean-up that now begins."""
    return {
        "mode": report.mode,
        "deleted": [str(part.path) for part in report.deleted],
        "moved": len(report.moved),
        "freed_bytes": report.freed_bytes,
        "warcs_deleted": report.warcs_deleted,
        "snapshots_lost": report.snapshots_lost,
    }


def cleanup_temp_dirs(temp_dirs: Sequence[Path], state_file_path: Path | None, *, job_id: int | None = None) -> None:
    """Delete temporary folders, and last the state file, which lists them."""
    for folder in temp_dirs:
        with as_storage_errors(folder):
            # Links are deleted, never followed.
            shutil.rmtree(folder)
        log.info("cleanup.deleted", job_id=job_id, path=str(folder))
    if state_file_path is not None:
        with as_storage_errors(state_file_path):
            state_file_path.unlink(missing_ok=True)
        log.info("cleanup.deleted", job_id=job_id, path=str(state_file_path))


def _delete(job_id: int | None, plan: _Plan, mode: CleanupMode) -> None:
    if mode is CleanupMode.TEMP_NONWARC:
        for folder in plan.temp_dirs:
            _refuse_unkept(folder, plan)
    cleanup_temp_dirs(plan.temp_dirs, plan.state_file, job_id=job_id)


def _refuse_unkept(folder: Path, plan: _Plan) -> None:
    for file in warc_files_below(folder):
        kept = plan.moves.get(file)
        if kept is None or not _are_one(file, kept):
            raise StorageError(f"{file} has no copy elsewhere: {folder} is not deleted")


def _end(database: Database, report: CleanupReport) -> None:
    with database.write() as session:
        jobs.set_job(
            session,
            report.job_id,
            cleanup_status=CleanupStatus.TEMP_CLEANED,
            cleaned_at=datetime.now(UTC),
            state_file_path=None,
        )
        operations.count(session, Operation.CLEANUP_BYTES, max(0, report.freed_bytes))
        operations.count(session, Operation.CLEANUPS)
