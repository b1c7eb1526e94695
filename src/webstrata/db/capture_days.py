"""How many captures each day has."""

from datetime import date

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from webstrata.db.tables import Snapshot, Source


def captures_by_day(session: Session, source: str) -> dict[date, int]:
    """Return the UTC days on which a source's snapshots were captured, and how many there are of each."""
    moment = Snapshot.capture_timestamp
    # PostgreSQL stores moments with a zone, in which the day of a session need not be that of UTC.
    is_zoned = session.get_bind().dialect.name == "postgresql"
    day = func.date(func.timezone("UTC", moment)) if is_zoned else func.date(moment)
    source_id = select(Source.id).where(Source.code == source).scalar_subquery()
    rows = session.execute(select(day, func.count()).where(Snapshot.source_id == source_id).group_by(day))
    return {found if isinstance(found, date) else date.fromisoformat(found): count for found, count in rows}
