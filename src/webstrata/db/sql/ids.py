"""Ids reserved before they are used, and never given twice."""

from collections.abc import Collection

from sqlalchemy import Integer, column, func, select, text
from sqlalchemy import table as named
from sqlalchemy.orm import Session

_SQLITE_BEGIN = text(
    "INSERT INTO sqlite_sequence(name, seq) SELECT :name, 0"
    " WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = :name)"
)
_SQLITE_TAKE = text("UPDATE sqlite_sequence SET seq = seq + :count WHERE name = :name RETURNING seq")
_SQLITE_LIFT = text("UPDATE sqlite_sequence SET seq = max(seq, :top) WHERE name = :name")
_POSTGRESQL_TAKE = text("SELECT nextval(pg_get_serial_sequence(:name, 'id')) FROM generate_series(1, :count)")
# Only increases: ids that a concurrent process takes meanwhile must not be given out again.
_POSTGRESQL_LIFT = text(
    "SELECT setval(pg_get_serial_sequence(:name, 'id'), :top) WHERE nextval(pg_get_serial_sequence(:name, 'id')) < :top"
)


def reserve(session: Session, table: str, count: int) -> list[int]:
    """Reserve a number of new ids of a table, in ascending order; they are never reused, even if unused."""
    if count <= 0:
        return []
    if not _is_sqlite(session):
        return sorted(session.scalars(_POSTGRESQL_TAKE, {"name": table, "count": count}))
    session.execute(_SQLITE_BEGIN, {"name": table})
    last = session.scalars(_SQLITE_TAKE, {"name": table, "count": count}).one()
    return list(range(last - count + 1, last + 1))


def next_ids(session: Session, table: str, count: int) -> list[int]:
    """Reserve new ids of a table whose ids may be reused; the session must write."""
    if not _is_sqlite(session):
        return reserve(session, table, count)
    first = highest(session, table) + 1
    return list(range(first, first + count))


def lift(session: Session, table: str, top: int, *, autoincrement: bool = True) -> None:
    """Make all new ids of a table larger than a given one; for tables with reusable ids, SQLite does this itself."""
    if not _is_sqlite(session):
        session.execute(_POSTGRESQL_LIFT, {"name": table, "top": top})
    elif autoincrement:
        session.execute(_SQLITE_BEGIN, {"name": table})
        session.execute(_SQLITE_LIFT, {"name": table, "top": top})


def highest(session: Session, table: str) -> int:
    """Return the highest id that a table holds."""
    found = select(func.max(column("id", Integer))).select_from(named(table))
    return session.scalar(found) or 0


def taken(session: Session, table: str, ids: Collection[int]) -> set[int]:
    """Return which ids a table holds already."""
    if not ids:
        return set()
    identity = column("id", Integer)
    return set(session.scalars(select(identity).select_from(named(table)).where(identity.in_(ids))))


def _is_sqlite(session: Session) -> bool:
    return session.get_bind().dialect.name == "sqlite"
