"""The tables of assets come and go with their migration."""

from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import inspect

from tests.assets.archives import Archive, html
from webstrata.db.engine import Database
from webstrata.db.migrate import downgrade, upgrade
from webstrata.db.schema.every_table import Base

TABLES = {"plugin_runs", "assets", "asset_versions", "asset_blobs"}


def tables(database: Database) -> set[str]:
    with database.read() as session:
        return set(inspect(session.connection()).get_table_names())


def differences(database: Database) -> list[object]:
    """Return where database and models differ, but for the full-text indexes, which no model knows."""
    with database.read() as session:
        found = compare_metadata(MigrationContext.configure(session.connection()), Base.metadata)
    indexes = ("documents_fts", "search_vector", "vocabulary_trigrams")
    return [difference for difference in found if not any(name in str(difference) for name in indexes)]


def test_the_migrated_tables_are_those_of_the_models(database: Database) -> None:
    assert tables(database) >= TABLES
    assert differences(database) == []


def test_the_migration_can_be_taken_back_and_done_again(archive: Archive) -> None:
    archive.keep(html("/", "Welcome."))
    downgrade(archive.database, "0001")
    assert tables(archive.database) & TABLES == set()
    upgrade(archive.database)
    assert tables(archive.database) >= TABLES
    assert differences(archive.database) == []
    assert archive.keep(html("/", "Welcome.")).new == 1
