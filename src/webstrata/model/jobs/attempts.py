"""Retries of jobs: when a job is tried again, and after which pause."""

import json
import signal
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from webstrata.model.jobs.job import JobStatus

MAX_CRAWL_RETRIES = 2
"""How often a crawl without captures is restarted automatically."""

MAX_CRAWL_DEATHS = 10
"""After so many consecutive deaths of the crawler without any response, the job is paused."""

MAX_INDEX_DEATHS = 10
"""After so many consecutive deaths of the indexer without progress, the job fails."""

_FIRST_REST = timedelta(minutes=1)
_LONGEST_REST = timedelta(hours=1)
_RETRY_RESTS = (timedelta(minutes=1), timedelta(minutes=10))


def refuse_resuming(job_id: int, status: JobStatus, newer_indexed: int | None) -> str | None:
    """Return why a job cannot be resumed any more, or None when it can.

    An indexed job is an edition of its source. After a newer job with the same configuration is indexed, resuming the
    old one would add today's captures to an old edition. Stopped and failed jobs can always be resumed.
    """
    if status is not JobStatus.INDEXED or newer_indexed is None:
        return None
    return f"job {job_id} is indexed, and job {newer_indexed} crawled the same later: resume that one"


@dataclass(frozen=True)
class IndexedJob:
    """A job that is indexed, with its configuration."""

    id: int
    source_id: int
    config: Mapping[str, object]


def newer_alike(jobs: Iterable[IndexedJob]) -> dict[int, int]:
    """Return, for each job, the newest job of the same source with the same configuration, if there is one.

    So the check of a watch, or of a single page, does not count as a repetition of a whole crawl.
    """
    newest: dict[tuple[int, str], int] = {}
    found: dict[int, int] = {}
    for job in sorted(jobs, key=lambda one: one.id, reverse=True):
        key = job.source_id, json.dumps(job.config, sort_keys=True)
        if key in newest:
            found[job.id] = newest[key]
        newest.setdefault(key, job.id)
    return found


def rest_after_trouble(pauses: int) -> timedelta:
    """Return how long a job is paused after an internal failure, given the number of such failures in a row before."""
    return min(_FIRST_REST * (1 << min(pauses, 10)), _LONGEST_REST)


def rest_before_retry(retry_count: int, most: int = MAX_CRAWL_RETRIES) -> timedelta | None:
    """Return the pause before a failed crawl is retried; None when no retry is left."""
    if retry_count >= most:
        return None
    return _RETRY_RESTS[min(retry_count, len(_RETRY_RESTS) - 1)]


def how_it_died(program: str, exit_code: int) -> str:
    """Return in words how a program ended unexpectedly."""
    if exit_code >= 0:
        return f"{program} ended with exit code {exit_code} before it was done"
    try:
        name = signal.Signals(-exit_code).name
    except ValueError:
        name = f"signal {-exit_code}"
    return f"{program} was killed ({name}) before it was done"
