"""Replay checks: how completely captures are shown from the archive alone."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class PageCheck:
    """What opening one capture showed."""

    url: str
    captured_at: datetime
    requests: int = 0
    """The number of requests of the page, including that for the page itself."""
    failed: int = 0
    """The number of requests without an archived response."""
    similarity: float = 0.0
    """How much the shown text resembles the archived text, from 0 to 1."""
    missing: tuple[str, ...] = ()
    """The first URLs that failed."""
    problem: str | None = None
    """Why the capture could not be opened at all."""

    @property
    def score(self) -> float:
        """Return the score of the replay, from 0 to 1: the similarity, less the share of failed requests."""
        if self.problem is not None:
            return 0.0
        return self.similarity * (1 - self.failed / max(self.requests, 1))


@dataclass(frozen=True)
class ReplayReport:
    """The result of a replay check of a job."""

    job_id: int
    checked_at: datetime
    pages: tuple[PageCheck, ...]

    @property
    def score(self) -> float:
        """Return the mean of the pages' scores."""
        return mean([page.score for page in self.pages])

    @property
    def similarity(self) -> float:
        """Return the mean similarity of the texts."""
        return mean([page.similarity for page in self.pages])

    @property
    def requests(self) -> int:
        """Return how many requests the pages made."""
        return sum(page.requests for page in self.pages)

    @property
    def failed(self) -> int:
        """Return how many of them failed."""
        return sum(page.failed for page in self.pages)


@dataclass(frozen=True)
class StoredReplayCheck:
    """The newest replay check of a job, as it is shown."""

    checked_at: datetime
    pages: int
    requests: int
    failed: int
    similarity: float
    score: float


def word_similarity(archived: str, shown: str) -> float:
    """Return the share of words that two texts have in common, whatever their order: 1 for the same words."""
    ours, theirs = (Counter(_WORD.findall(text.lower())) for text in (archived, shown))
    in_all = ours.total() + theirs.total()
    return 2 * (ours & theirs).total() / in_all if in_all else 1.0


def evenly(ids: Sequence[int], most: int) -> list[int]:
    """Return at most `most` ids, evenly spread over all; the first is always included."""
    if len(ids) <= most:
        return list(ids)
    return [ids[position * len(ids) // most] for position in range(most)]


def mean(values: Sequence[float]) -> float:
    """Return the mean of some values; 0 without any."""
    return sum(values) / len(values) if values else 0.0
