"""Deletion of unreferenced blobs, and of crawl tasks and logs of closed jobs, in retention passes.

A job is closed when it can no longer resume (`model/jobs/attempts.py`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

import structlog

from webstrata.db.assets import assets
from webstrata.db.engine import Database, Session
from webstrata.db.queue import closed_jobs
from webstrata.db.queue.closed_jobs import LoggedJob
from webstrata.db.retention import retention
from webstrata.db.retention.retention import ExpiredCount, ExpiredOfSource
from webstrata.errors import OutsideRootError, StorageError
from webstrata.model.retention.rules import BATCH_ROWS, DEFAULT_TTL_DAYS, GUARDED_FROM
from webstrata.storage.combined_log import attempt_logs
from webstrata.storage.disk import DiskStore
from webstrata.storage.paths import confined

log = structlog.get_logger()

ASSET_FOLDER = "assets"
_Item = TypeVar("_Item")


@dataclass(frozen=True)
class Sweeper:
    """The functions that count and delete the expired items of a collection."""

    count: Callable[[Session, datetime], ExpiredCount]
    delete: Callable[[Database, datetime, datetime, frozenset[int]], int]
    """Deletes one batch of items older than the first time, except those of some sources; the second time is now."""
    of_sources: Callable[[Session, datetime], Sequence[ExpiredOfSource]] = lambda _session, _limit: ()
    """Returns the sources with many expired rows; empty for items that do not belong to a source."""


def sweepers(archive_root: Path | None) -> Mapping[str, Sweeper]:
    """Return the sweeper of each collection; without an archive root only those that delete rows."""
    found = {
        name: Sweeper(partial(_count_rows, name), partial(_delete_rows, name), partial(_many_rows, name))
        for name in DEFAULT_TTL_DAYS
    }
    found["crawl_tasks"] = Sweeper(closed_jobs.count_expired_tasks, _delete_tasks)
    if archive_root is None:
        return found
    return found | {
        "blobs": Sweeper(assets.count_unreferenced, partial(_delete_blobs, archive_root)),
        "crawl_logs": Sweeper(closed_jobs.count_expired_logs, partial(_delete_logs, archive_root)),
    }


def _count_rows(name: str, session: Session, limit: datetime) -> ExpiredCount:
    return retention.count_expired(session, name, limit)


def _many_rows(name: str, session: Session, limit: datetime) -> Sequence[ExpiredOfSource]:
    return retention.expired_of_sources(session, name, limit, GUARDED_FROM)


def _delete_rows(name: str, database: Database, limit: datetime, now: datetime, kept: frozenset[int]) -> int:
    with database.write() as session:
        return retention.delete_expired(session, name, limit, now, BATCH_ROWS, without_sources=kept)


def _delete_tasks(database: Database, limit: datetime, _now: datetime, _kept: frozenset[int]) -> int:
    """Delete tasks of several jobs until the batch is full."""
    deleted = 0
    while deleted < BATCH_ROWS:
        with database.write() as session:
            some = closed_jobs.delete_expired_tasks(session, limit, BATCH_ROWS - deleted)
        deleted += some
        if not some:
            break
    return deleted


def _delete_blobs(
    archive_root: Path, database: Database, limit: datetime, _now: datetime, _kept: frozenset[int]
) -> int:
    """Delete blobs that no version refers to."""
    store = DiskStore(archive_root / ASSET_FOLDER)

    def find(session: Session, most: int, skipped: int) -> list[str]:
        return assets.unreferenced_blobs(session, limit, most, skipped)

    def delete(digest: str) -> bool:
        # The file is deleted before its row is committed.
        with database.write() as session:
            released = assets.release_blobs(session, [digest])
            for one in released:
                store.delete(one)
        return bool(released)

    def report(digest: str, reason: str) -> None:
        log.error("retention.blob.failed", digest=digest, reason=reason)

    return _delete_batch(database, find, delete, report)


def _delete_logs(archive_root: Path, database: Database, limit: datetime, _now: datetime, _kept: frozenset[int]) -> int:
    """Delete the logs of jobs, one job at a time: the files first, then their names in the job's row."""

    def find(session: Session, most: int, skipped: int) -> list[LoggedJob]:
        return closed_jobs.jobs_with_expired_logs(session, limit, most, skipped)

    def delete(job: LoggedJob) -> bool:
        _delete_log_files(archive_root, job.output_dir)
        with database.write() as session:
            closed_jobs.forget_logs(session, job.id)
        return True

    def report(job: LoggedJob, reason: str) -> None:
        log.error("retention.log.failed", job_id=job.id, reason=reason)

    return _delete_batch(database, find, delete, report)


def _delete_batch(
    database: Database,
    find: Callable[[Session, int, int], list[_Item]],
    delete: Callable[[_Item], bool],
    report: Callable[[_Item, str], None],
) -> int:
    """Delete items until the batch is full; those that cannot be deleted do not stop the others."""
    deleted = failed = 0
    while deleted < BATCH_ROWS:
        before = deleted, failed
        with database.read() as session:
            found = find(session, BATCH_ROWS - deleted, failed)
        for item in found:
            try:
                deleted += delete(item)
            except (StorageError, OutsideRootError) as error:
                report(item, str(error))
                failed += 1
        if (deleted, failed) == before:
            break
    return deleted


def _delete_log_files(archive_root: Path, output_dir: str) -> None:
    """Delete the combined logs in a job's folder, unless the folder is outside of the archive root."""
    folder = confined(archive_root, output_dir)
    for attempt in attempt_logs(folder):
        try:
            # A symbolic link is deleted without its target.
            (folder / attempt.path.name).unlink(missing_ok=True)
        except OSError as error:
            raise StorageError(f"{attempt.path.name}: {error.strerror or error}") from error
