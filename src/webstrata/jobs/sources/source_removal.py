"""Removal of a source without captures, with its jobs and their files."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import structlog

from webstrata.db.engine import Database
from webstrata.db.sources import sources
from webstrata.db.sources.sources import JobFolder
from webstrata.jobs.folders.manifest import manifest_path
from webstrata.warc.discovery import discover

log = structlog.get_logger()


def refuse_with_warcs(database: Database, code: str) -> None:
    """Raise ConflictError when a folder of a source's jobs has WARC files, even unrecorded ones."""
    with database.read() as session:
        made = sources.job_folders(session, code)
    for job in made:
        if job.output_dir and _holds_warcs(Path(job.output_dir)):
            raise sources.has_captures(code, f"WARC files in {job.output_dir}")


def delete_files(archive_root: Path, code: str, removed: Sequence[JobFolder]) -> None:
    """Delete the files of removed jobs, so that a rebuild does not restore them; errors are logged.

    Folders that we made for a job are deleted. In a folder that a person chose, only the manifest is deleted.
    """
    own = archive_root / code
    for job in removed:
        folder = Path(job.output_dir)
        try:
            manifest_path(job.id, folder, archive_root).unlink(missing_ok=True)
            if folder.parent == own and folder.is_dir() and not _holds_warcs(folder):
                shutil.rmtree(folder)
        except OSError as error:
            log.error("source.files.failed", job_id=job.id, folder=str(folder), reason=error.strerror or str(error))
    if own.is_dir() and not any(own.iterdir()):
        own.rmdir()


def _holds_warcs(folder: Path) -> bool:
    return folder.exists() and bool(discover(folder).files)
