"""How the API tells of a job's crawl: its attempts, and what its monitor decided."""

from pydantic import BaseModel

# ruff: noqa: N815


class CrawlAttemptSchema(BaseModel):
    """One try at a job's crawl; the counts are those at its end, null when its log tells none."""

    stage: str
    number: int
    beganAt: str
    endedAt: str | None
    crawled: int | None
    total: int | None
    failed: int | None


class MonitorDecisionSchema(BaseModel):
    """A trouble that the monitor of a crawl saw, and its answer."""

    at: str | None
    trouble: str
    reason: str
    answer: str
    workers: int | None
    waitSeconds: int
