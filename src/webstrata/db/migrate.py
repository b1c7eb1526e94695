"""Schema versions: migrations to this program's version, and refusal of databases at another version.

Every command checks the version of its database, so only migrations import Alembic, which loads slowly.
"""

import fcntl
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, inspect, text

from webstrata.db.engine import Database
from webstrata.errors import WRITE_REFUSALS, ReadOnlyArchiveError, SchemaVersionError, StorageError, UsageError

if TYPE_CHECKING:
    from alembic.config import Config

_MIGRATIONS = Path(__file__).parent / "migrations"
_ADVISORY_LOCK = 0x5754_5354_5241_5441

_VERSIONS_TABLE = "alembic_version"
_A_TABLE_OF_OURS = "archive_jobs"
"""A table of every version of the schema."""


def head() -> str:
    """Return the schema version that this program works with."""
    return max(_versions())


def current(database: Database) -> str | None:
    """Return the schema version a database is at, or None when it has none yet."""
    with database.read() as session:
        connection = session.connection()
        if not inspect(connection).has_table(_VERSIONS_TABLE):
            return None
        version: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
        return version


def upgrade(database: Database) -> None:
    """Upgrade a database to this program's version; several processes may do so at the same time. Refuses databases of
    other programs."""
    from alembic import command

    if not _is_empty(database) and not _is_ours(database):
        raise SchemaVersionError(_mismatch(database, None))
    _migrate(database, lambda config: command.upgrade(config, "head"))


def downgrade(database: Database, revision: str) -> None:
    """Downgrade a database to an earlier version; `base` means an empty one."""
    from alembic import command

    _migrate(database, lambda config: command.downgrade(config, revision))


def make_ready(database: Database) -> None:
    """Create the schema in an empty database; refuse one at another version, with instructions."""
    # The order of checks matters, as another process may be creating the schema at the same time.
    was_empty = _is_empty(database)
    found = current(database)
    if found == head():
        return
    if found is None and was_empty:
        upgrade(database)
        return
    raise SchemaVersionError(_mismatch(database, found))


def _mismatch(database: Database, found: str | None) -> str:
    """Return why a database cannot be used, and what to do; mentions `db upgrade` only if it works."""
    if not _is_ours(database):
        return f"{database.shown} is the database of another program: WEBSTRATA_DATABASE_URL must name another one"
    if found is None:
        return (
            f"{database.shown} has lost its schema version: restore a backup, or move it away and run"
            " `webstrata rebuild`, which makes it again from the WARC files"
        )
    if found not in _versions():
        return f"{database.shown} is at schema version {found}, unknown to this program: install a newer webstrata"
    older = f"{database.shown} is at schema version {found}; this program needs {head()}"
    if database.is_read_only:
        return f"{older}, and the data folder cannot be written to: copy it, and run `webstrata db upgrade` there"
    return f"{older}: run `webstrata db upgrade`"


def _is_ours(database: Database) -> bool:
    with database.read() as session:
        return inspect(session.connection()).has_table(_A_TABLE_OF_OURS)


def _is_empty(database: Database) -> bool:
    with database.read() as session:
        return not {*inspect(session.connection()).get_table_names()} - {_VERSIONS_TABLE}


def _versions() -> set[str]:
    """Return every schema version so far; the migration to it is named after it."""
    return {file.name.partition("_")[0] for file in (_MIGRATIONS / "versions").glob("[0-9]*.py")}


def _config() -> "Config":
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS))
    return config


def _migrate(database: Database, step: "Callable[[Config], None]") -> None:
    from alembic.util.exc import CommandError

    database.check_writable()
    config = _config()
    connecting = _sqlite_connection if database.is_sqlite else _postgresql_connection
    try:
        with connecting(database) as connection:
            config.attributes["connection"] = connection
            step(config)
    except CommandError as error:
        raise UsageError(f"{database.shown}: {error}") from error


@contextmanager
def _sqlite_connection(database: Database) -> Iterator[Connection]:
    """Open the one migrating connection of a SQLite file, in WAL mode.

    Two processes that switch a new file to WAL at the same time fail in spite of the busy timeout, so a file lock
    serialises them. Foreign keys are off while tables are rebuilt: dropping the old copy would delete its children.
    """
    with _file_lock(database.url.database), database.translated(), database.engine.connect() as connection:
        driver = connection.connection.dbapi_connection
        assert driver is not None
        driver.execute("PRAGMA journal_mode=WAL")
        driver.execute("PRAGMA foreign_keys=OFF")
        try:
            with connection.execution_options(webstrata_write=True).begin():
                yield connection
                _refuse_orphans(connection)
        finally:
            connection.invalidate()


@contextmanager
def _postgresql_connection(database: Database) -> Iterator[Connection]:
    """Open the one migrating connection of a PostgreSQL database; others wait for it."""
    writing = database.engine.execution_options(postgresql_readonly=False)
    with database.translated(), writing.begin() as connection:
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _ADVISORY_LOCK})
        yield connection


@contextmanager
def _file_lock(database_file: str | None) -> Iterator[None]:
    with ExitStack() as stack:
        try:
            lock = stack.enter_context(Path(f"{database_file}.migrate-lock").open("w"))
        except OSError as error:
            if error.errno in WRITE_REFUSALS:
                raise ReadOnlyArchiveError(Path(database_file or "").parent.absolute()) from error
            raise StorageError(f"{database_file}.migrate-lock: {error.strerror}") from error
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _refuse_orphans(connection: Connection) -> None:
    orphan = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
    if orphan is not None:
        raise SchemaVersionError(
            f"the migration would leave rows of {orphan[0]} without their {orphan[2]}: nothing was changed"
        )
