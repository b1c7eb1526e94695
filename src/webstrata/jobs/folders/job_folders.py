"""The folders of jobs: their sizes, and whether they exist, are writable and were moved."""

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

import structlog

from webstrata.db.captures import captures
from webstrata.db.engine import Database
from webstrata.db.operations import storage
from webstrata.db.operations.storage import MeasuredFolder, SourceBytes
from webstrata.db.queue import jobs
from webstrata.errors import NotFoundError, StorageError
from webstrata.model.jobs.job import UNDER_WAY
from webstrata.storage.crawl_state import TEMP_DIRS
from webstrata.storage.file_system import check_room, check_writable, device_of, free_bytes, is_writable, shown_bytes
from webstrata.warc.cdxj import journal_folder
from webstrata.warc.discovery import is_named_like_a_warc

log = structlog.get_logger()

_MOST_LOOKED_AT = 100
"""The most running jobs that a health check looks at, as health is requested often."""


class HasFolder(Protocol):
    """The folder of a job."""

    @property
    def id(self) -> int:
        """Return the id of the job."""

    @property
    def output_dir(self) -> str:
        """Return the path of its folder."""


@dataclass(frozen=True)
class FolderBytes:
    """The size of a job's folder, by kind of file."""

    warc: int = 0
    output: int = 0
    """All bytes, including the other kinds."""
    temp: int = 0
    temp_non_warc: int = 0
    unreadable: int = 0
    """How many entries could not be read; their sizes are not counted."""


@dataclass(frozen=True)
class StorageHealth:
    """Whether new captures could be stored."""

    archive_root: Path
    free_bytes: int | None
    minimum_bytes: int
    root_missing: bool
    writable: bool
    device_changed: tuple[int, ...]
    """Running jobs whose folder is on another device than before."""

    @property
    def problems(self) -> tuple[str, ...]:
        """Return what is wrong, a sentence each; nothing when all is well."""
        found = []
        if self.root_missing:
            found.append(f"the archive root {self.archive_root} does not exist")
        elif not self.writable:
            found.append(f"the archive root {self.archive_root} cannot be written to")
        if self.free_bytes is not None and self.free_bytes < self.minimum_bytes:
            found.append(
                f"only {shown_bytes(self.free_bytes)} are free; {shown_bytes(self.minimum_bytes)} must stay free"
            )
        if self.device_changed:
            found.append(f"on another device than before: job {', '.join(map(str, self.device_changed))}")
        return tuple(found)


@dataclass(frozen=True)
class StorageReport:
    """Disk space of an archive."""

    sources: tuple[SourceBytes, ...]
    database_bytes: int
    asset_bytes: int
    """The bytes of all assets, wherever they are."""
    asset_file_bytes: int
    """The bytes of assets that are separate files, not in the database or in WARC files."""
    free_bytes: int | None
    scanned_since: datetime | None
    """The time of the oldest count."""


def check_output(database: Database, job: HasFolder, *, min_free_bytes: int) -> None:
    """Raise StorageError unless a job's folder exists, is writable, is on the same device as before, and has free
    space.

    The folder of a job that has not begun is made. One that had files and is missing is not made again: its disk may be
    unmounted.
    """
    folder = Path(job.output_dir)
    if not folder.is_dir() and not _make_folder(database, job.id, folder):
        raise StorageError(f"the folder of job {job.id} is gone: {job.output_dir}")
    _check_device(database, job.id, folder)
    check_writable(folder)
    check_room(folder, min_free_bytes)


def _make_folder(database: Database, job_id: int, folder: Path) -> bool:
    """Make the folder of a job that has not begun, and return whether it is there now."""
    with database.read() as session:
        known = storage.job_folder(session, job_id)
        has_begun = captures.warc_totals(session, job_id)[1] > 0
    if has_begun or known is None or known.device is not None or not folder.parent.is_dir():
        return False
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise StorageError(f"{folder}: {error.strerror}") from error
    return True


def _check_device(database: Database, job_id: int, folder: Path) -> None:
    device = device_of(folder)
    with database.read() as session:
        known = storage.job_folder(session, job_id)
    if known is None:
        raise NotFoundError(f"there is no job {job_id}")
    if known.device is None:
        with database.write() as session:
            storage.remember_device(session, job_id, device)
    elif known.device != device:
        raise StorageError(
            f"the folder of job {job_id} is on another device than before, {device} instead of {known.device}: "
            f"is its disk mounted? ({folder}; if it was moved on purpose: webstrata resume-job --id {job_id})"
        )


def scan_storage(database: Database, archive_root: Path, job_id: int) -> FolderBytes:
    """Count the bytes of a job's folder and store them with the job."""
    with database.read() as session:
        job = storage.job_folder(session, job_id)
        warcs = [archive_root / warc.path for warc in captures.warc_files(session, job_id)]
    if job is None:
        raise NotFoundError(f"there is no job {job_id}")
    counted = folder_bytes(_folder_of(job), journal_folder(job_id, job.output_dir, archive_root), warcs=warcs)
    if counted.unreadable:
        log.warning("storage.unreadable", job_id=job_id, folder=job.output_dir, entries=counted.unreadable)
    with database.write() as session:
        jobs.set_job(
            session,
            job_id,
            warc_bytes_total=counted.warc,
            output_bytes_total=counted.output,
            tmp_bytes_total=counted.temp,
            tmp_non_warc_bytes_total=counted.temp_non_warc,
            storage_scanned_at=datetime.now(UTC),
        )
    return counted


def scan_all(database: Database, archive_root: Path, scanned: Callable[[int], None] = lambda job_id: None) -> list[str]:
    """Count the bytes of every job's folder; return a sentence for each folder that could not be counted."""
    with database.read() as session:
        folders = storage.job_folders(session)
    problems = []
    for folder in folders:
        try:
            scan_storage(database, archive_root, folder.job_id)
        except StorageError as error:
            problems.append(str(error))
        scanned(folder.job_id)
    return problems


def report(database: Database, archive_root: Path) -> StorageReport:
    """Return the disk space of the archive, as far as its folders were scanned."""
    with database.read() as session:
        sources = storage.bytes_by_source(session)
        database_size, assets = storage.database_bytes(session), storage.asset_bytes(session)
    scans = [source.oldest_scan for source in sources if source.oldest_scan]
    return StorageReport(tuple(sources), database_size, *assets, _free(archive_root), min(scans, default=None))


def health(database: Database, archive_root: Path, min_free_bytes: int) -> StorageHealth:
    """Return whether new captures could be stored; nothing is written to check it."""
    with database.read() as session:
        under_way = storage.job_folders(session, UNDER_WAY, _MOST_LOOKED_AT)
    return StorageHealth(
        archive_root=archive_root,
        free_bytes=_free(archive_root),
        minimum_bytes=min_free_bytes,
        root_missing=not archive_root.is_dir(),
        writable=is_writable(archive_root),
        device_changed=tuple(sorted(folder.job_id for folder in under_way if _has_moved(folder))),
    )


def folder_bytes(*folders: Path, warcs: Iterable[Path] = ()) -> FolderBytes:
    """Return the sizes of folders or single files; each inode counts once, symbolic links are not followed.

    WARC files are recognised by their names; those in `warcs` count in any case.
    """
    known = _inodes(warcs)
    seen: set[tuple[int, int]] = set()
    unreadable: list[OSError] = []
    sizes = {"warc": 0, "output": 0, "temp": 0, "temp_non_warc": 0}
    files = (found for folder in folders if folder.exists() for found in _files_below(folder, unreadable.append))
    for file, in_temp in files:
        try:
            found = file.lstat()
        except OSError as error:
            unreadable.append(error)
            continue
        inode = (found.st_dev, found.st_ino)
        if not stat.S_ISREG(found.st_mode) or inode in seen:
            continue
        seen.add(inode)
        for kind in _kinds(is_named_like_a_warc(file) or inode in known, in_temp):
            sizes[kind] += found.st_size
    return FolderBytes(**sizes, unreadable=len(unreadable))


def _inodes(warcs: Iterable[Path]) -> set[tuple[int, int]]:
    """Return the inodes of WARC files with names of other kinds; missing files are skipped."""
    found = set()
    for file in warcs:
        with suppress(OSError):
            if not is_named_like_a_warc(file):
                status = file.lstat()
                found.add((status.st_dev, status.st_ino))
    return found


def _kinds(is_warc: bool, in_temp: bool) -> Iterator[str]:
    yield "output"
    if is_warc:
        yield "warc"
    if in_temp:
        yield "temp"
        if not is_warc:
            yield "temp_non_warc"


def _files_below(folder: Path, unreadable: Callable[[OSError], None]) -> Iterator[tuple[Path, bool]]:
    """Yield files and whether they are temporary; permanent files come first, as hard links count for the first."""
    if not folder.is_dir():
        yield folder, False
        return
    temporary = []
    for parent, folders, names in os.walk(folder, onerror=unreadable):
        if Path(parent) == folder:
            temporary = [Path(parent, name) for name in folders if Path(name).match(TEMP_DIRS)]
            folders[:] = [name for name in folders if not Path(name).match(TEMP_DIRS)]
        yield from ((Path(parent, name), False) for name in names)
    for temp in temporary:
        for parent, _, names in os.walk(temp, onerror=unreadable):
            yield from ((Path(parent, name), True) for name in names)


def _folder_of(job: MeasuredFolder) -> Path:
    folder = Path(job.output_dir)
    if not job.output_dir or not folder.exists():
        raise StorageError(f"the folder of job {job.job_id} is gone: {job.output_dir}")
    return folder


def _free(archive_root: Path) -> int | None:
    try:
        return free_bytes(archive_root)
    except StorageError:
        return None


def _has_moved(folder: MeasuredFolder) -> bool:
    """Return whether a folder is on another device than it was; one that is gone is on none."""
    if folder.device is None:
        return False
    try:
        return device_of(Path(folder.output_dir)) != folder.device
    except StorageError:
        return False
