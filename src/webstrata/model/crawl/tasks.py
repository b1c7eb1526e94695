"""A task: one URL of a job, from its discovery until it is settled."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from webstrata.errors import FetchError
from webstrata.model.captures import EarlierCapture

MAX_RECLAIMS = 5
"""After so many lost workers a task is given up, as its page may be what kills them."""


SUSPECT_AFTER = 2
"""After so many lost workers a task is visited alone."""


MAX_NESTING = 8
"""How many style sheets and redirects may lead from a page to one of its requisites."""


class TaskStatus(StrEnum):
    """The status of a task."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    FINISHED = "finished"
    ERROR = "error"


class TaskType(StrEnum):
    """The type of a task: a page, whose links are followed, or a requisite, which a page loads."""

    PAGE = "page"
    MEDIA = "media"


@dataclass(frozen=True)
class Link:
    """A URL found somewhere, and what it is for."""

    url: str
    task_type: TaskType = TaskType.PAGE
    nofollow: bool = False
    """Whether all links to it on the page have `rel=nofollow`."""


@dataclass(frozen=True)
class Task:
    """A leased task; the token proves that the lease is still held by this worker."""

    id: int
    url: str
    depth: int
    """How many links lead from a seed to a page, or from a page to its requisite."""
    task_type: TaskType
    attempts: int
    lease_token: str
    status: TaskStatus = TaskStatus.IN_PROGRESS
    last_error: str | None = None
    next_run_at: datetime | None = None
    reclaims: int = 0
    """How often the task lost its worker."""
    may_retry: bool = True
    """Whether a later run may get the URL; False for an error that will be the same then."""
    earlier: EarlierCapture | None = None
    """The last capture of the URL, if any."""

    @property
    def suspect(self) -> bool:
        """Return whether the task may be what kills its workers."""
        return self.reclaims >= SUSPECT_AFTER


@dataclass(frozen=True)
class RetryPolicy:
    """How often and how patiently a failed URL is tried again."""

    max_retries: int
    backoff_min: float
    backoff_max: float
    backoff_multiplier: float
    jitter: float
    """Random extra wait, as a share of the wait."""

    @property
    def max_attempts(self) -> int:
        """Return how many requests a URL gets in a run; there is always one."""
        return max(1, self.max_retries)

    def backoff(self, attempts: int, chance: float) -> timedelta:
        """Return the wait after that many attempts; `chance`, from 0 to 1, is the share of the jitter."""
        seconds = min(self.backoff_max, self.backoff_min * self.backoff_multiplier ** (attempts - 1))
        return timedelta(seconds=seconds * (1 + chance * self.jitter))


def after_failure(task: Task, error: FetchError, policy: RetryPolicy, now: datetime, chance: float) -> Task:
    """Return the task one failure later: waiting for its next attempt, or given up."""
    attempts = task.attempts + 1
    if not error.transient or attempts >= policy.max_attempts:
        return replace(
            task, attempts=attempts, status=TaskStatus.ERROR, last_error=str(error), may_retry=error.transient
        )
    due = now + max(policy.backoff(attempts, chance), error.retry_after)
    return replace(task, attempts=attempts, status=TaskStatus.PENDING, last_error=str(error), next_run_at=due)
