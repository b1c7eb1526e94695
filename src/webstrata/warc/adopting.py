"""Adopts WARC files in a job's folder that our crawler did not record."""

import filecmp
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import structlog

from webstrata.db.captures import captures, warc_folders
from webstrata.db.captures.warc_folders import FoundWarc
from webstrata.db.engine import Database
from webstrata.errors import OutsideRootError, StorageError
from webstrata.storage.paths import place_of, recorded_as
from webstrata.warc.discovery import discover_warcs_for_job
from webstrata.warc.tails import whole_end

log = structlog.get_logger()


class JobFiles(Protocol):
    """The files of a job."""

    @property
    def id(self) -> int:
        """Return the id of the job."""

    @property
    def output_dir(self) -> str:
        """Return the path of its folder."""


@dataclass(frozen=True)
class Measured:
    """A file, and the length of its complete records."""

    path: Path
    size: int
    whole: int

    @property
    def torn(self) -> str | None:
        """Return a note when a file ends in the middle of a record, else None."""
        excess = self.size - self.whole
        return f"{self.path}: {left_out(excess)}" if excess else None

    def found(self, archive_root: Path) -> FoundWarc:
        """Return the file as the database records it."""
        return FoundWarc(recorded_as(archive_root, self.path), self.whole)


def adopt_warcs_for_job(job: JobFiles, *, database: Database, archive_root: Path) -> list[str]:
    """Record the WARC files in a job's folder that are not recorded yet, or have grown, and return which."""
    if not job.output_dir or not Path(job.output_dir).exists():
        log.warning("warc.folder.gone", job_id=job.id, folder=job.output_dir)
        return []
    new = unrecorded_warcs(job, discover_warcs_for_job(job), database=database, archive_root=archive_root)
    if not new:
        return []
    for warc in new:
        if warc.torn:
            log.warning("warc.torn", file=str(warc.path), bytes=warc.size - warc.whole)
    with database.write() as session:
        return warc_folders.adopt_warc_files(session, job.id, [warc.found(archive_root) for warc in new])


def unrecorded_warcs(job: JobFiles, found: Sequence[Path], *, database: Database, archive_root: Path) -> list[Measured]:
    """Return the files that are not recorded for any job yet, or have grown."""
    with database.read() as session:
        known = captures.warc_files(session, job.id)
        elsewhere = warc_folders.jobs_with_files(session, [recorded_as(archive_root, path) for path in found])
    committed = {warc.path: warc.committed_bytes for warc in known}
    there = _AdoptedFiles.of(place for warc in known if (place := _place(archive_root, warc.path, job.output_dir)))
    unknown = [
        path
        for path in found
        if elsewhere.get(name := recorded_as(archive_root, path), job.id) == job.id
        and size_of(path) > committed.get(name, 0)
        and (name in committed or not there.has(path))
    ]
    return [measured(path) for path in unknown]


def measured(path: Path) -> Measured:
    """Return the length of a file's complete records; a file without any is left to the index, which reports it."""
    size = size_of(path)
    return Measured(path, size, whole_end(path) or size)


def left_out(excess: int) -> str:
    """Return the note that a file's last bytes are not indexed."""
    return f"its last {excess} bytes are not a complete record and are left out"


def size_of(path: Path) -> int:
    """Return how many bytes a file has; StorageError when it cannot be looked at."""
    try:
        return path.stat().st_size
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror or error}") from error


@dataclass(frozen=True)
class _AdoptedFiles:
    """The files that a job already has, by inode and by name: one that is being moved has two names or exists twice."""

    inodes: frozenset[tuple[int, int]]
    by_name: Mapping[str, Path]

    @classmethod
    def of(cls, places: Iterable[Path]) -> "_AdoptedFiles":
        files = [place for place in places if place.is_file()]
        return cls(frozenset(map(_inode, files)), {place.name: place for place in files})

    def has(self, path: Path) -> bool:
        twin = self.by_name.get(path.name)
        return _inode(path) in self.inodes or (twin is not None and filecmp.cmp(path, twin, shallow=False))


def _inode(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_dev, found.st_ino


def _place(archive_root: Path, path: str, output_dir: str) -> Path | None:
    try:
        return place_of(archive_root, path, output_dir)
    except OutsideRootError:
        return None
