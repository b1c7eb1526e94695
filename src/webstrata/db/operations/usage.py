"""Usage counts by day."""

from collections.abc import Mapping
from datetime import date

from sqlalchemy import select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from webstrata.db.schema.public_tables import UsageMetric

Counts = Mapping[tuple[date, str], int]


def add_counts(session: Session, counts: Counts) -> None:
    """Add counts to those of their days; sorted, because concurrent processes could deadlock otherwise."""
    if not counts:
        return
    dialect = sqlite if session.get_bind().dialect.name == "sqlite" else postgresql
    statement = dialect.insert(UsageMetric)
    added = statement.on_conflict_do_update(
        index_elements=["metric_date", "event"], set_={"count": UsageMetric.count + statement.excluded.count}
    )
    rows = [{"metric_date": day, "event": event, "count": count} for (day, event), count in sorted(counts.items())]
    session.execute(added, rows)


def counts_since(session: Session, day: date) -> dict[tuple[date, str], int]:
    """Return the counts of a day and all after it."""
    rows = session.execute(
        select(UsageMetric.metric_date, UsageMetric.event, UsageMetric.count).where(UsageMetric.metric_date >= day)
    )
    return {(row[0], row[1]): row[2] for row in rows}
