"""PostgreSQL's statistics about tables, brought up to date while much is written.

Its autovacuum looks at a table a minute or more after it has grown. A crawl has filled it by then, and until then
queries would be planned for an empty one. SQLite plans the same at every size: nothing is counted there.
"""

from sqlalchemy import text

from webstrata.db.engine import Database

_FEW = 2_000
"""Rows that may change before a table is analysed: fewer are read quickly in any case."""

_SOME = 500
"""Rows that a table without statistics may have: the next job queries them at once, and PostgreSQL would
plan as if each query returned half of them."""

_OUTDATED = text(
    "SELECT relname FROM pg_stat_user_tables WHERE schemaname = current_schema()"
    " AND (n_mod_since_analyze > :few + n_live_tup / 2"
    " OR (n_mod_since_analyze > :some AND coalesce(last_analyze, last_autoanalyze) IS NULL))"
)


def refresh_statistics(database: Database) -> list[str]:
    """Analyse the tables on PostgreSQL of which a third or more is new, and return them."""
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
