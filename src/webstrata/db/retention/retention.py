"""Queries of the retention engine: policies, expired rows, passes and the permit to begin one."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Table, and_, delete, exists, false, func, or_, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from webstrata.db.operations import audit_log
from webstrata.db.schema.collection_tables import DiagnosticRow, ExportRow, HaulRow, HealthRow, PriceRow, ScrapeRow
from webstrata.db.schema.public_tables import AuditEntry
from webstrata.db.schema.retention_tables import LegalHold, RetentionPermit, RetentionPolicyRow, RetentionRun
from webstrata.model.retention.rules import DEFAULT_TTL_DAYS, EXEMPT, FURTHER_TTL_DAYS, default_days

_MOST_RUNS = 500
"""Passes that are stored: three weeks of hourly ones."""

_HOLDS = LegalHold.__table__
assert isinstance(_HOLDS, Table)


@dataclass(frozen=True)
class ExpiredCount:
    """How many rows of a collection are expired, and how many have no date."""

    expired: int
    undated: int


@dataclass(frozen=True)
class ExpiredOfSource:
    """How many rows of a source are expired in a collection, and how many it has there in all."""

    source_id: int
    expired: int
    in_all: int


@dataclass(frozen=True)
class StoredRun:
    """A pass as it was recorded."""

    began_at: datetime
    seconds: float
    trigger: str
    results: Mapping[str, object]
    error: str | None


_TABLES = {
    "diagnostics": DiagnosticRow.__table__,
    "price_history": PriceRow.__table__,
    "scrape_metadata": ScrapeRow.__table__,
    "audit_log": AuditEntry.__table__,
    "scraper_health": HealthRow.__table__,
    "export_history": ExportRow.__table__,
    "hauls": HaulRow.__table__,
}
assert _TABLES.keys() == DEFAULT_TTL_DAYS.keys()


def stored_policies(session: Session) -> dict[object, object]:
    """Return the policies that were set, as they are stored: the caller validates them."""
    rows = session.execute(select(RetentionPolicyRow.collection, RetentionPolicyRow.ttl_days))
    return {row.collection: row.ttl_days for row in rows}


def set_policy(session: Session, collection: str, ttl_days: int) -> None:
    """Store the TTL of a collection, and record the change in the audit log."""
    row = session.get(RetentionPolicyRow, collection)
    before = row.ttl_days if row is not None else default_days(collection)
    if row is None:
        session.add(RetentionPolicyRow(collection=collection, ttl_days=ttl_days))
    else:
        row.ttl_days = ttl_days
    target = f"retention:{collection}"
    audit_log.record(session, "retention.policy", target, before={"ttlDays": before}, after={"ttlDays": ttl_days})


def reset_policies(session: Session) -> None:
    """Delete every stored policy, so that the defaults apply, and record it in the audit log."""
    before = {str(name): days for name, days in stored_policies(session).items()}
    session.execute(delete(RetentionPolicyRow))
    audit_log.record(
        session, "retention.reset", "retention", before=before, after={**DEFAULT_TTL_DAYS, **FURTHER_TTL_DAYS}
    )


def count_expired(session: Session, collection: str, limit: datetime) -> ExpiredCount:
    """Count the rows of a collection that were created before a time, and those without a date."""
    table = _table(collection)
    created_at = _created_at(table)
    expired = session.scalar(select(func.count()).select_from(table).where(created_at < limit)) or 0
    undated = 0
    if created_at.nullable:
        undated = session.scalar(select(func.count()).select_from(table).where(created_at.is_(None))) or 0
    return ExpiredCount(expired, undated)


def expired_of_sources(session: Session, collection: str, limit: datetime, least: int) -> list[ExpiredOfSource]:
    """Return the sources of which a collection has many expired rows, with all rows that it has of them."""
    table = _table(collection)
    if "source_id" not in table.c:
        return []
    many = (
        select(table.c.source_id, func.count())
        .where(_created_at(table) < limit, table.c.source_id.is_not(None))
        .group_by(table.c.source_id)
        .having(func.count() >= least)
    )
    counts = [(row[0], row[1]) for row in session.execute(many)]
    total = select(func.count()).select_from(table)
    return [
        ExpiredOfSource(source_id, expired, session.scalar(total.where(table.c.source_id == source_id)) or 0)
        for source_id, expired in counts
    ]


def delete_expired(
    session: Session,
    collection: str,
    limit: datetime,
    now: datetime,
    most: int,
    *,
    without_sources: Collection[int] = (),
) -> int:
    """Delete rows of a collection that were created before a time, oldest first, and return how many.

    Rows that another pass is deleting, that are in use, under a legal hold or of some sources are left alone.
    """
    table = _table(collection)
    created_at = _created_at(table)
    kept = _is_kept(table, now)
    if without_sources:
        kept = or_(kept, func.coalesce(table.c.source_id, 0).in_(without_sources))
    oldest = (
        select(table.c.id)
        .where(created_at < limit, ~kept)
        .order_by(created_at)
        .limit(most)
        .with_for_update(skip_locked=True, of=table)
    )
    ids = list(session.scalars(oldest))
    if ids:
        session.execute(delete(table).where(table.c.id.in_(ids)))
    return len(ids)


def take_permit(session: Session, name: str, now: datetime, interval: timedelta) -> bool:
    """Take the permit to begin a kind of pass; False when another process took it less than an interval ago."""
    dialect = sqlite if session.get_bind().dialect.name == "sqlite" else postgresql
    statement = dialect.insert(RetentionPermit).values(name=name, taken_at=now)
    taken_at = RetentionPermit.taken_at
    # A time far ahead was written by a computer whose clock was wrong: it must not stop passes for years.
    is_free = or_(taken_at <= now - interval, taken_at > now + interval)
    taken = statement.on_conflict_do_update(index_elements=["name"], set_={"taken_at": now}, where=is_free)
    return session.scalar(taken.returning(RetentionPermit.name)) is not None


def add_run(session: Session, run: StoredRun) -> None:
    """Record a pass, and delete the oldest records."""
    row = RetentionRun(
        created_at=run.began_at, seconds=run.seconds, trigger=run.trigger, results=dict(run.results), error=run.error
    )
    session.add(row)
    session.flush()
    session.execute(delete(RetentionRun).where(RetentionRun.id <= row.id - _MOST_RUNS))


def last_run(session: Session) -> StoredRun | None:
    """Return the last pass that was not a dry run; None before the first."""
    row = session.scalars(select(RetentionRun).order_by(RetentionRun.id.desc()).limit(1)).first()
    if row is None:
        return None
    return StoredRun(row.created_at, row.seconds, row.trigger, row.results or {}, row.error)


def _table(collection: str) -> Table:
    """Return the table of a collection that expires."""
    assert collection not in EXEMPT
    table = _TABLES[collection]
    assert isinstance(table, Table)
    return table


def _created_at(table: Table) -> ColumnElement[datetime]:
    return table.c.at if "at" in table.c else table.c.created_at


def _is_kept(table: Table, now: datetime) -> ColumnElement[bool]:
    """Select rows that are not deleted although they are expired: a haul in use, what a legal hold covers."""
    kept: list[ColumnElement[bool]] = [false()]
    if "in_use_until" in table.c:
        kept.append(func.coalesce(table.c.in_use_until, now - timedelta(seconds=1)) > now)
    if "source_id" in table.c:
        kept.append(_is_held(and_(_HOLDS.c.scope == "source", _HOLDS.c.source_id == table.c.source_id)))
    if "normalized_url_group" in table.c:
        same_source = or_(_HOLDS.c.source_id.is_(None), _HOLDS.c.source_id == table.c.source_id)
        same_page = _HOLDS.c.normalized_url_group == table.c.normalized_url_group
        kept.append(_is_held(and_(_HOLDS.c.scope == "page", same_page, same_source)))
    if "snapshot_id" in table.c:
        kept.append(_is_held(and_(_HOLDS.c.scope == "snapshot", _HOLDS.c.snapshot_id == table.c.snapshot_id)))
    return or_(*kept)


def _is_held(which: ColumnElement[bool]) -> ColumnElement[bool]:
    return exists().where(_HOLDS.c.released_at.is_(None), which)
