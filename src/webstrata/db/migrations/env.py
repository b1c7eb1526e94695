"""How Alembic runs our migrations: on the connection it is handed."""

from alembic import context

from webstrata.db.schema.every_table import Base

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=Base.metadata,
    render_as_batch=connection.dialect.name == "sqlite",
    transaction_per_migration=False,
)
with context.begin_transaction():
    context.run_migrations()
