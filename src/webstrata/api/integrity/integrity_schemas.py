"""Schemas of the integrity API."""

from typing import Literal

from pydantic import BaseModel

# ruff: noqa: N815


class IntegrityProblemSchema(BaseModel):
    """A problem of a file, and its location."""

    path: str
    offset: int
    reason: str


class IntegrityCheckSchema(BaseModel):
    """A check of the archive's files."""

    id: int
    trigger: Literal["schedule", "manual"]
    beganAt: str
    endedAt: str | None
    files: int
    records: int
    bytesRead: int
    problemCount: int


class IntegritySchema(BaseModel):
    """The last check with its problems, the check under way, and how often one is made."""

    intervalDays: float
    lastCheck: IntegrityCheckSchema | None
    problems: list[IntegrityProblemSchema]
    running: IntegrityCheckSchema | None
