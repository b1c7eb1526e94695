"""Updates PostgreSQL's statistics of tables during large writes.

Autovacuum checks a table only once a minute or less often; by then a crawl has filled it, but queries are still planned
for an empty table. On SQLite plans do not depend on statistics.
"""

from sqlalchemy import text

from webstrata.db.engine import Database

_FEW = 2_000
"""The fewest changed rows for which a table is analysed."""

_SOME = 500
"""The most rows of a table without statistics: PostgreSQL would plan as if each query returned half of them."""

_OUTDATED = text(
    "SELECT relname FROM pg_stat_user_tables WHERE schemaname = current_schema()"
    " AND (n_mod_since_analyze > :few + n_live_tup / 2"
    " OR (n_mod_since_analyze > :some AND coalesce(last_analyze, last_autoanalyze) IS NULL))"
)


def refresh_statistics(database: Database) -> list[str]:
    """On PostgreSQL, analyse the tables of which at least a third is new, and return them."""
    if database.is_sqlite:
        return []
    with database.read() as session:
        found = session.scalars(_OUTDATED, {"few": _FEW, "some": _SOME}).all()
    if not found:
        return []
    from webstrata.db.schema.every_table import Base

    outdated = sorted(name for name in found if name in Base.metadata.tables)
    for name in outdated:
        with database.write() as session:
            session.execute(text(f'ANALYZE "{name}"'))
    return outdated
