"""Scrape records of a batch: the result of each visit, for the collection `scrape_metadata`."""

from collections.abc import Sequence
from datetime import datetime

from webstrata.crawl.outcome import Outcome
from webstrata.model.crawl.scrapes import NOT_FETCHED, ScrapeRecord, is_js_only, is_refusal, status_of_error


def scrape_records(outcomes: Sequence[Outcome], now: datetime) -> list[ScrapeRecord]:
    """Return a record of each URL that was requested."""
    return [_record(outcome, now) for outcome in outcomes if outcome.error_kind not in NOT_FETCHED]


def _record(outcome: Outcome, now: datetime) -> ScrapeRecord:
    result = outcome.result
    if result is None:
        status = status_of_error(outcome.error_kind)
        refused = is_refusal(status, None)
        return ScrapeRecord(now, outcome.task.url, status, None, None, None, refused, False, outcome.error_kind)
    return ScrapeRecord(
        created_at=now,
        url=result.url,
        status_code=result.status,
        size_bytes=len(result.body),
        elapsed_ms=result.elapsed_ms,
        payload_digest=result.body_digest,
        is_blocked=is_refusal(result.status, outcome.kind),
        is_js_only=is_js_only(outcome.kind),
        error_kind=outcome.error_kind,
    )
