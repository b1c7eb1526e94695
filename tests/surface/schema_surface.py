"""Tables, columns, indexes and constraints of a migrated database."""

from collections.abc import Iterator

from sqlalchemy import Engine, Inspector, inspect, text

_INDEXES = {
    "sqlite": "SELECT tbl_name, sql FROM sqlite_master WHERE type IN ('index', 'trigger') AND sql IS NOT NULL",
    "postgresql": "SELECT tablename, indexdef FROM pg_indexes WHERE schemaname = 'public'",
}
_VIRTUAL = "SELECT name, sql FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL%'"


def schema_lines(engine: Engine) -> Iterator[str]:
    """Yield one line for each column, key and index; the database's own statements where it keeps them."""
    inspector = inspect(engine)
    for table in inspector.get_table_names():
        yield table
        yield from (f"{table} {fact}" for fact in _table(inspector, table))
    statements = [_INDEXES[engine.dialect.name], *([_VIRTUAL] if engine.dialect.name == "sqlite" else [])]
    with engine.connect() as connection:
        for statement in statements:
            for table, sql in connection.execute(text(statement)):
                yield f"{table} {' '.join(sql.split())}"


def _table(inspector: Inspector, table: str) -> Iterator[str]:
    for column in inspector.get_columns(table):
        name = column["name"]
        yield f"{name} {column['type']!r}"
        yield f"{name} {'may be null' if column['nullable'] else 'not null'}"
        if column["default"] is not None:
            yield f"{name} default {column['default']}"
    if key := inspector.get_pk_constraint(table)["constrained_columns"]:
        yield f"primary key {', '.join(key)}"
    for foreign in inspector.get_foreign_keys(table):
        columns, other = ", ".join(foreign["constrained_columns"]), foreign["referred_table"]
        yield f"foreign key {columns} to {other} {foreign.get('options') or ''}".rstrip()
    for unique in inspector.get_unique_constraints(table):
        yield f"unique {', '.join(unique['column_names'])}"
