"""How Alembic runs our migrations: on the connection it is handed."""

from alembic import context

from webstrata.db.schema import search_tables  # noqa: F401 - its tables belong to the same schema
from webstrata.db.schema.tables import Base

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=Base.metadata,
    render_as_batch=connection.dialect.name == "sqlite",
    transaction_per_migration=False,
)
with context.begin_transaction():
    context.run_migrations()
