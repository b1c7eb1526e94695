"""Integrity checks: position, problems, and when the next is due."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Self

FILES = "file"
BLOBS = "blob"


@dataclass(frozen=True)
class CheckPosition:
    """The position of a check: first WARC files, in the order of their ids, then blobs, by their digests."""

    stage: str = FILES
    last: str = "0"

    @classmethod
    def parse(cls, stored: str) -> Self:
        """Return the position that is stored as a text."""
        stage, _, last = stored.partition(":")
        return cls(stage, last)

    def __str__(self) -> str:
        """Return the text under which the position is stored."""
        return f"{self.stage}:{self.last}"


@dataclass(frozen=True)
class IntegrityProblem:
    """A problem of a file, and its location."""

    path: str
    offset: int
    reason: str


@dataclass(frozen=True)
class CheckedPart:
    """The counts and problems of a part of a check."""

    files: int = 0
    records: int = 0
    bytes_read: int = 0
    problems: Sequence[IntegrityProblem] = field(default_factory=tuple)


@dataclass(frozen=True)
class StoredCheck:
    """A check as it is stored."""

    id: int
    trigger: str
    began_at: datetime
    updated_at: datetime
    ended_at: datetime | None
    position: CheckPosition
    files: int
    records: int
    bytes_read: int
    problem_count: int


def is_check_due(last_end: datetime | None, first_file: datetime | None, interval: timedelta, now: datetime) -> bool:
    """Return whether a check is due: an interval after the last one, or after the first file of a new archive.

    An interval of zero switches scheduled checks off.
    """
    since = last_end or first_file
    return bool(interval) and since is not None and now - since >= interval
