"""Deletion of a source with its captures and the files that nothing else uses, file by file.

After a kill, the same command continues: snapshots get tombstones before they are removed, files are deleted before
their rows, and the source last.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import structlog

from webstrata.assets.blobs import delete_unreferenced, write_as_files
from webstrata.db.assets import assets
from webstrata.db.collections import export_history
from webstrata.db.engine import Database, Session
from webstrata.db.operations import audit_log
from webstrata.db.retention import holds, tombstones
from webstrata.db.retention.holds import KeptSnapshot
from webstrata.db.sources import source_rows, sources
from webstrata.db.sources.source_rows import SourceFile
from webstrata.errors import ConflictError, NotFoundError, OutsideRootError, StorageError, UsageError
from webstrata.jobs.folders.manifest import manifest_path, source_names, write_sources
from webstrata.jobs.sources.source_removal import delete_files
from webstrata.model.jobs.registry import SourceView
from webstrata.storage.paths import PresentFiles, place_of, without_links
from webstrata.warc.cdxj import journal_folder
from webstrata.warc.withheld import write_withheld

log = structlog.get_logger()

_BATCH = 100
_REASON = "its source was deleted"


@dataclass(frozen=True)
class SourceDeletion:
    """The result of deleting a source, or of a dry run."""

    code: str
    name: str
    snapshots: int
    captures: int
    files: int
    bytes: int
    kept_files: tuple[str, ...] = ()
    """WARC files that are not deleted, because revisits of other sources refer to their records."""
    blobs: int = 0
    """How many blobs were deleted because nothing else refers to them."""
    is_removed: bool = False
    """Whether the source itself was deleted; it remains, disabled, as long as any of its files do."""


@dataclass(frozen=True)
class _Plan:
    view: SourceView
    going: tuple[SourceFile, ...]
    staying: tuple[SourceFile, ...]
    captures: int

    @property
    def report(self) -> SourceDeletion:
        return SourceDeletion(
            self.view.code,
            self.view.name,
            self.view.snapshots,
            self.captures,
            len(self.going),
            sum(file.bytes for file in self.going),
            tuple(file.path for file in self.staying),
        )


def plan_deletion(database: Database, archive_root: Path, code: str) -> SourceDeletion:
    """Return what deleting a source would remove, without changing anything."""
    return _plan(database, archive_root, code).report


def delete_source(database: Database, archive_root: Path, code: str, confirm: str) -> SourceDeletion:
    """Delete a source with its captures; `confirm` must be the name of the source.

    ConflictError while a job of it runs, or when a legal hold or a haul needs one of its captures.
    """
    try:
        plan = _plan(database, archive_root, code)
    except NotFoundError:
        return _finish_removed(database, archive_root, code, confirm)
    _refuse_unconfirmed(code, plan.view.name, confirm)
    _begin(database, plan)
    blobs = _free_assets(database, archive_root, plan)
    _withhold_snapshots(database, archive_root, plan)
    plan = _mark(database, archive_root, plan)
    for file in plan.going:
        with database.read() as session:
            _refuse_held(session, plan)
        _delete_file(database, archive_root, file)
    is_removed = _finish(database, archive_root, plan)
    report = SourceDeletion(**(vars(plan.report) | {"blobs": blobs, "is_removed": is_removed}))
    log.info("source.deleted", source=code, files=report.files, bytes=report.bytes, kept=len(report.kept_files))
    return report


def _refuse_unconfirmed(code: str, name: str, confirm: str) -> None:
    if confirm.strip() != name:
        raise UsageError(f"to delete {code} with its captures, confirm it with its name: {name}")


def _finish_removed(database: Database, archive_root: Path, code: str, confirm: str) -> SourceDeletion:
    """Finish a deletion that was killed after its last transaction; NotFoundError when there was none."""
    name = source_names(archive_root).get(code)
    if name is None:
        raise NotFoundError(f"there is no source {code}")
    _refuse_unconfirmed(code, name, confirm)
    write_sources(database, archive_root)
    return SourceDeletion(code, name, 0, 0, 0, 0, is_removed=True)


def _plan(database: Database, archive_root: Path, code: str) -> _Plan:
    with database.read() as session:
        view = sources.source_view(session, code)
        files = source_rows.files_of_source(session, view.id)
        needed = source_rows.needed_by_others(session, view.id, files, PresentFiles(archive_root).has)
        captures = source_rows.count_captures(session, view.id)
    going = tuple(file for file in files if file.path not in needed)
    return _Plan(view, going, tuple(file for file in files if file.path in needed), captures)


def _refuse(session: Session, plan: _Plan) -> None:
    code, files = plan.view.code, (*plan.going, *plan.staying)
    sources.refuse_while_worked_on(session, code, datetime.now(UTC))
    _refuse_held(session, plan)
    jobs = sorted({file.job_id for file in files})
    if exports := export_history.running_exports(session, jobs, datetime.now(UTC)):
        raise ConflictError(f"export {exports[0]} is reading files of {code}: wait for its end")
    for job_id in jobs:
        _refuse_kept(code, holds.held_in_files(session, job_id, [one.path for one in files if one.job_id == job_id]))


def _refuse_held(session: Session, plan: _Plan) -> None:
    if source_rows.is_held(session, plan.view.id):
        raise ConflictError(f"{plan.view.code} is under a legal hold: release it first")


def _refuse_kept(code: str, kept: Sequence[KeptSnapshot]) -> None:
    if kept:
        raise ConflictError(f"snapshot {kept[0].snapshot_id} of {code} must be kept ({kept[0].reason})")


def _begin(database: Database, plan: _Plan) -> None:
    """Disable the source, so that no new job begins, and record the deletion and its actor."""
    code, report = plan.view.code, plan.report
    with database.write() as session:
        _refuse(session, plan)
        sources.set_enabled(session, code, False)
        going = {"snapshots": report.snapshots, "files": report.files, "bytes": report.bytes}
        kept = list(report.kept_files)
        audit_log.record(
            session, "source.delete", f"source:{code}", before={"name": report.name}, going=going, kept=kept
        )


def _withhold_snapshots(database: Database, archive_root: Path, plan: _Plan) -> None:
    """Add a tombstone for every snapshot, even beside remaining files, so that a rebuild does not restore them."""
    folders = {file.job_id: journal_folder(file.job_id, file.output_dir, archive_root) for file in plan.staying}
    while True:
        with database.read() as session:
            numbers = source_rows.snapshots_of_source(session, plan.view.id, _BATCH)
            described = list(tombstones.describe(session, numbers, _REASON, database.actor.name, datetime.now(UTC)))
        if not described:
            return
        for job_id, folder in folders.items():
            write_withheld(folder, [capture for capture in described if capture.job_id == job_id])
        with database.write() as session:
            # Checked again: a hold may have been placed meanwhile.
            _refuse_held(session, plan)
            _refuse_kept(plan.view.code, holds.kept_among(session, numbers))
            for capture in described:
                tombstones.withhold(session, capture)


def _free_assets(database: Database, archive_root: Path, plan: _Plan) -> int:
    """Delete the source's assets; blobs that other sources refer to become separate files, the others are deleted."""
    with database.write() as session:
        assets.forget_source(session, plan.view.id)
    blobs = delete_unreferenced(database, archive_root)
    for job_id in sorted({file.job_id for file in plan.going}):
        write_as_files(database, archive_root, job_id)
    return blobs


def _mark(database: Database, archive_root: Path, plan: _Plan) -> _Plan:
    """Mark the files to be deleted, and check once more for references to them, in one transaction."""
    files = (*plan.going, *plan.staying)
    with database.write() as session:
        _refuse(session, plan)
        source_rows.mark_files(session, plan.going, datetime.now(UTC))
        needed = source_rows.needed_by_others(session, plan.view.id, files, PresentFiles(archive_root).has)
        if any(file.path in needed for file in plan.going):
            raise ConflictError(f"another source began to refer to files of {plan.view.code}: try again")
    return plan


def _delete_file(database: Database, archive_root: Path, file: SourceFile) -> None:
    """Delete a WARC file, then its rows; a file outside of the archive root is not ours and is not deleted."""
    try:
        path = place_of(archive_root, file.path, file.output_dir)
        if path.is_relative_to(archive_root.resolve()):
            # A link might point to the file of another job.
            without_links(archive_root, file.path).unlink(missing_ok=True)
    except OutsideRootError as error:
        log.warning("source.file.outside", file=file.path, reason=str(error))
    except OSError as error:
        raise StorageError(f"{file.path}: {error.strerror or error}") from error
    with database.write() as session:
        source_rows.forget_file(session, file.id)


def _finish(database: Database, archive_root: Path, plan: _Plan) -> bool:
    """Remove the source with its jobs and folders; if files remain, only their captures are hidden."""
    code = plan.view.code
    if plan.staying:
        _hide_captures(database, plan.view.id, plan.staying)
        return False
    with database.read() as session:
        sources.refuse_while_worked_on(session, code, datetime.now(UTC))
        folders = sources.job_folders(session, code)
    # Folders before rows: without rows, a remaining folder would be forgotten, but a rebuild would find it.
    delete_files(archive_root, code, folders)
    for job in folders:
        left = manifest_path(job.id, Path(job.output_dir), archive_root)
        if left.exists():
            raise StorageError(f"{left} cannot be deleted: check its permissions, then run the same command again")
    with database.write() as session:
        removed = sources.remove_source(session, code, datetime.now(UTC))
        gone = [job.id for job in removed]
        audit_log.record(session, "source.remove", f"source:{code}", before={"name": plan.view.name}, jobs=gone)
    write_sources(database, archive_root)
    return True


def _hide_captures(database: Database, source_id: int, files: Sequence[SourceFile]) -> None:
    for file in files:
        with database.write() as session:
            source_rows.forget_unneeded_captures(session, source_id, file.id)
