"""The stages of a job, run here or in child processes, and their exit codes."""

import threading
from typing import Protocol

from webstrata.db.queue.jobs import StoredJob
from webstrata.model.jobs.job import JobStatus

DONE = 0
FAILED = 1
WRONG_USAGE = 2
NOTHING_TO_DO = 3
"""Exit code of a helper that found no work."""
BROKEN = 70
"""Exit code of an internal error (as in sysexits.h)."""
OUR_TROUBLE_CODE = 75
"""Exit code when a disk, database or store is not available: the job is paused (as in sysexits.h)."""
LEASE_LOST = 76
"""Exit code when another process leads the job."""
INTERRUPTED = 130

CRAWL_EXIT_CODES = {JobStatus.COMPLETED: DONE, JobStatus.FAILED: FAILED, JobStatus.STOPPED: FAILED}
"""The exit codes of archive-tool, by the job's status after the crawl."""


class Stages(Protocol):
    """Runs single stages for a job's leader; the job's row has the result of a stage."""

    def crawl(self, job_id: int, leader: str, interrupted: threading.Event) -> int:
        """Crawl a job, store the result and return the crawler's exit code; negative when it was killed."""

    def index(self, job_id: int, leader: str, interrupted: threading.Event) -> int:
        """Index a job whose crawl is over and return the exit code; negative when the indexer was killed."""

    def index_so_far(self, job_id: int, interrupted: threading.Event) -> int:
        """Index the captures of a running crawl until interrupted, and return the exit code."""

    def settles_its_job(self, job: StoredJob) -> bool:
        """Return whether a job's crawler stores the end of a crawl itself: if it did not, it died."""

    def help(self, job_id: int, interrupted: threading.Event) -> bool:
        """Help with a crawl that another worker leads, and return whether there was anything to do."""
