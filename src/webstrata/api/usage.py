"""API of usage statistics: how often the archive is used, by day."""

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta

from fastapi import APIRouter, Request, Response

from webstrata.api.public_schemas import UsageDaySchema, UsageSchema, UsageTotalsSchema
from webstrata.db.operations import usage as stored
from webstrata.http.caching import A_MINUTE
from webstrata.http.dependencies import Parts
from webstrata.http.metrics.usage_counts import Event, counter_of

router = APIRouter(tags=["usage"])


@router.get("/api/usage")
def usage(app: Parts, request: Request, response: Response) -> UsageSchema:
    """Return how often the archive was used on each of the last days."""
    response.headers["Cache-Control"] = A_MINUTE
    days = app.settings.usage_window_days
    if not app.settings.usage_enabled:
        return UsageSchema(enabled=False, windowDays=days, totals=_totals(Counter()), daily=[])
    today = datetime.now(UTC).date()
    first = today - timedelta(days=days - 1)
    with app.database.read() as session:
        counts = Counter(stored.counts_since(session, first)) + Counter(counter_of(request).waiting())
    daily = [_by_event(counts, first + timedelta(days=number)) for number in range(days)]
    return UsageSchema(
        enabled=True,
        windowDays=days,
        totals=_totals(sum(daily, Counter())),
        daily=[
            UsageDaySchema(date=(first + timedelta(days=number)).isoformat(), **_totals(of_day).model_dump())
            for number, of_day in enumerate(daily)
        ],
    )


def _by_event(counts: Mapping[tuple[date, str], int], day: date) -> Counter[str]:
    return Counter({event: counts.get((day, event), 0) for event in Event})


def _totals(counts: Mapping[str, int]) -> UsageTotalsSchema:
    return UsageTotalsSchema(**{event.value: counts.get(event, 0) for event in Event})
