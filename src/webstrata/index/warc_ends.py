"""Compares a job's WARC files on disk with their acknowledged length: shorter, longer, or missing."""

from pathlib import Path
from typing import Protocol

from webstrata.db.captures.captures import KnownWarc
from webstrata.db.captures.new_rows import Problem
from webstrata.errors import OutsideRootError
from webstrata.storage.crawl_state import TEMP_DIRS
from webstrata.storage.paths import place_of
from webstrata.warc.adopting import JobFiles, left_out


class CleanableJob(JobFiles, Protocol):
    """A job whose temporary folders may have been deleted on purpose."""

    @property
    def was_cleaned_up(self) -> bool:
        """Return whether they were deleted, or their deletion was begun."""


def end_problem(archive_root: Path, job: JobFiles, warc: KnownWarc) -> Problem | None:
    """Return the problem after the acknowledged bytes of a file: a record that was cut off.

    Bytes that our own crawl left there are not a problem: they are removed before the file counts as finished.
    """
    if not warc.is_finished or not warc.committed_bytes:
        return None
    try:
        excess = place_of(archive_root, warc.path, job.output_dir).stat().st_size - warc.committed_bytes
    except (OutsideRootError, OSError):
        return None
    return Problem(warc.committed_bytes, left_out(excess), may_pass=True) if excess > 0 else None


def gone_from(archive_root: Path, job: JobFiles, warc: KnownWarc) -> Path | None:
    """Return the path of a file if it is missing; None when it exists or never had content."""
    if not warc.committed_bytes:
        return None
    try:
        place = place_of(archive_root, warc.path, job.output_dir)
    except OutsideRootError:
        return None
    return place if _is_gone(place) else None


def is_cleaned_away(archive_root: Path, job: CleanableJob, warc: KnownWarc) -> bool:
    """Return whether `cleanup-job` deleted a file. It deletes only files that are completely indexed; their rows
    remain."""
    place = gone_from(archive_root, job, warc)
    if place is None or not job.was_cleaned_up or warc.indexed_bytes != warc.committed_bytes:
        return False
    folder = Path(job.output_dir).resolve()
    if not place.is_relative_to(folder):
        return False
    return any(Path(part).match(TEMP_DIRS) for part in place.relative_to(folder).parts[:1])


def _is_gone(place: Path) -> bool:
    """Return whether there is no file at a path; other failures are left to the reader."""
    try:
        place.stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False
