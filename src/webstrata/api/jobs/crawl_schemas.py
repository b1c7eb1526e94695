"""API schemas of a job's crawl history: its attempts, and its monitor's decisions."""

from pydantic import BaseModel

# ruff: noqa: N815


class CrawlAttemptSchema(BaseModel):
    """One attempt at a job's crawl; the counts are those at its end, null when its log has none."""

    stage: str
    number: int
    beganAt: str
    endedAt: str | None
    crawled: int | None
    total: int | None
    failed: int | None


class MonitorDecisionSchema(BaseModel):
    """A problem that the monitor of a crawl saw, and its decision."""

    at: str | None
    trouble: str
    reason: str
    answer: str
    workers: int | None
    waitSeconds: int
