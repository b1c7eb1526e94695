"""When a job's temporary files may be deleted."""

from enum import StrEnum

from webstrata.model.jobs.job import JobStatus

CLEANABLE = (JobStatus.INDEXED, JobStatus.INDEX_FAILED)
"""Statuses in which a job's temporary files are not needed: it is indexed, or indexing was given up."""


class CleanupMode(StrEnum):
    """What a cleanup deletes."""

    TEMP = "temp"
    """Temporary folders and the state file, with the WARC files in them."""
    TEMP_NONWARC = "temp-nonwarc"
    """The same, but the WARC files in them are moved to the stable folder first."""


class CleanupStatus(StrEnum):
    """What was deleted of a job."""

    NONE = "none"
    CLEANING = "cleaning"
    """Begun but not finished; the same command continues it."""
    TEMP_CLEANED = "temp_cleaned"


def may_clean(
    job_id: int, status: JobStatus, mode: CleanupMode, *, replay_enabled: bool = False, force: bool = False
) -> str | None:
    """Return why a job must not be cleaned up, or None when it may be.

    `force` allows it to delete WARC files that a replay server uses, but not those of a running job.
    """
    if replay_enabled and mode is CleanupMode.TEMP and not force:
        return (
            f"replay is enabled (WEBSTRATA_REPLAY_BASE_URL), and this could delete WARC files of job {job_id} that it "
            "shows: --mode temp-nonwarc keeps them, --force deletes them all the same"
        )
    if status not in CLEANABLE:
        return f"job {job_id} is {status}: it can be cleaned up when it is {' or '.join(CLEANABLE)}"
    return None
