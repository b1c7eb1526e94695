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
"""Exit code of an unexpected error of ours (as in sysexits.h)."""
OUR_TROUBLE_CODE = 75
"""A disk, database or store of ours refuses for now: the job rests (as in sysexits.h)."""
LEASE_LOST = 76
"""Another process works on the job by now."""
INTERRUPTED = 130

CRAWL_EXIT_CODES = {JobStatus.COMPLETED: DONE, JobStatus.FAILED: FAILED, JobStatus.STOPPED: FAILED}
"""How archive-tool ends, by what became of the crawl."""


class Stages(Protocol):
    """Runs single stages for a job's leader; the job's row has the result of a stage."""

    def crawl(self, job_id: int, leader: str, interrupted: threading.Event) -> int:
        """Crawl a job, write down how that ended and return the crawler's exit code; negative when it was killed."""

    def index(self, job_id: int, leader: str, interrupted: threading.Event) -> int:
        """Index a job whose crawl is over and return the exit code; negative when the indexer was killed."""

    def index_so_far(self, job_id: int, interrupted: threading.Event) -> int:
        """Index the captures of a running crawl until interrupted, and return the exit code."""

    def settles_its_job(self, job: StoredJob) -> bool:
        """Return whether a job's crawler stores the end of a crawl itself: one that did not do so has died."""

    def help(self, job_id: int, interrupted: threading.Event) -> bool:
        """Take part in a crawl that another worker leads, and return whether there was anything to do."""
