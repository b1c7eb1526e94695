"""The database: one engine, short sessions that read or write, the same rules on SQLite and PostgreSQL."""

import copy
import importlib.util
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TypeVarTuple

from sqlalchemy import URL, Connection, Engine, Select, create_engine, event, make_url, text
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, DBAPIError, InvalidatePoolError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.orm import Session
from sqlalchemy.pool import ConnectionPoolEntry

from webstrata.db.search.word_vectors import send_word_vectors
from webstrata.db.sql.read_only import connect_read_only, is_read_only
from webstrata.errors import (
    WRITE_REFUSALS,
    DatabaseError,
    DatabaseUnavailableError,
    MissingExtraError,
    ReadOnlyArchiveError,
    SettingsError,
    StorageError,
    WebstrataError,
)
from webstrata.model.actors import PROGRAM, Actor

__all__ = ["ACTOR", "Database", "Session", "is_there", "keeping_rows"]

ACTOR = "actor"
"""The key under which a writing session stores its actor."""

BUSY_TIMEOUT_MS = 15_000
"""How long SQLite waits for another process's write; our writes take milliseconds."""

FROZEN_TIMEOUT_MS = 60_000
"""The longest pause inside a transaction on PostgreSQL; ours have none."""

REST_SECONDS = 1.0
"""How long a connection may be idle before it is checked."""

_RESTING_SINCE = "resting since"
_WRITES = "webstrata_write"

Columns = TypeVarTuple("Columns")

_SQLITE_PRAGMAS = (
    f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}",
    "PRAGMA foreign_keys=ON",
    "PRAGMA synchronous=FULL",
    "PRAGMA temp_store=MEMORY",
    "PRAGMA cache_size=-65536",
)

_SQLITE_WORD_PLACES = "CREATE VIRTUAL TABLE temp.word_places USING fts5vocab('main', 'documents_fts', 'instance')"
"""Every place of every word in the full-text index, as a table of this connection; it stores nothing."""


class Database:
    """A database that is read and written in short sessions."""

    def __init__(self, url: str) -> None:
        """Prepare the engine; nothing is opened yet."""
        self.url = _url(url)
        self.engine = _engine(self.url)
        self.is_read_only = self.is_sqlite and is_read_only(self.file)
        self._writing = self.engine.execution_options(**{_WRITES: True}, postgresql_readonly=False)
        self._reading = self.engine if self.is_sqlite else self.engine.execution_options(isolation_level="AUTOCOMMIT")
        self.actor = PROGRAM

    def acting_as(self, actor: Actor) -> "Database":
        """Return the same database for an actor, whose name the audit log gets."""
        theirs = copy.copy(self)
        theirs.actor = actor
        return theirs

    @property
    def is_sqlite(self) -> bool:
        """Return whether this is SQLite."""
        return self.url.get_backend_name() == "sqlite"

    @property
    def file(self) -> Path:
        """Return the file of a SQLite database."""
        return Path(self.url.database or "")

    @property
    def shown(self) -> str:
        """Return the address without its password, for messages."""
        query = {name: value for name, value in self.url.query.items() if "password" not in name.lower()}
        return self.url.set(query=query).render_as_string(hide_password=True)

    @contextmanager
    def read(self) -> Iterator[Session]:
        """Open a session for reading; changes are rolled back, or on PostgreSQL refused."""
        # On PostgreSQL in autocommit mode. A transaction would also see the newest state in each statement, but would
        # need two more statements, and at its end the driver would drop its prepared statements.
        with self.translated(), Session(self._reading) as session:
            yield session

    @contextmanager
    def write(self) -> Iterator[Session]:
        """Open a session that is committed at the end, or rolled back on an error; SQLite is locked from the start."""
        self.check_writable()
        info = {ACTOR: self.actor}
        with (
            self.translated(),
            Session(self._writing, expire_on_commit=False, info=info) as session,
            session.begin(),
        ):
            yield session

    @contextmanager
    def session(self) -> Iterator[Session]:
        """Open a session that may be committed repeatedly; at the end it is committed, or rolled back on an error."""
        self.check_writable()
        info = {ACTOR: self.actor}
        with self.translated(), Session(self._writing, expire_on_commit=False, info=info) as session:
            yield session
            session.commit()

    def check_writable(self) -> None:
        """Raise ReadOnlyArchiveError when the database can only be read."""
        if self.is_read_only:
            raise ReadOnlyArchiveError(self.file.parent.absolute())

    def ping(self) -> None:
        """Raise DatabaseUnavailableError unless the database responds."""
        with self.read() as session:
            session.execute(text("SELECT 1"))

    def server(self) -> str:
        """Return the database product and its version; DatabaseUnavailableError when it cannot be reached."""
        with self.read() as session:
            version = session.connection().dialect.server_version_info or ()
        return f"{'SQLite' if self.is_sqlite else 'PostgreSQL'} {'.'.join(map(str, version))}"

    def dispose(self) -> None:
        """Close every connection."""
        self.engine.dispose()

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Translate the driver's errors into ours."""
        try:
            yield
        except OperationalError as error:
            raise self._explained(error) from error
        except PoolTimeoutError as error:
            raise DatabaseUnavailableError(f"{self.shown}: all connections are in use") from error
        except DBAPIError as error:
            raise DatabaseError(f"{self.shown}{_damage(error) or f': {_first_line(error)}'}") from error

    def _explained(self, error: OperationalError) -> WebstrataError:
        """Return our error for one of the database's, with instructions if there are any."""
        reason = _first_line(error)
        if "disk is full" in reason:
            return StorageError(f"{self.shown}: {reason}")
        if self.is_sqlite and self.file.is_dir():
            return DatabaseUnavailableError(f"{self.file} is a folder: WEBSTRATA_DATABASE_URL must name a file")
        if self.is_sqlite and ("readonly" in reason or not _may_write(self.file.parent)):
            return ReadOnlyArchiveError(self.file.parent.absolute())
        return DatabaseUnavailableError(f"{self.shown}: {reason}")


def keeping_rows(session: Session, query: Select[*Columns]) -> Select[*Columns]:
    """Return a query that locks its rows until the end of the session if that writes."""
    writes = session.connection().get_execution_options().get(_WRITES, False)
    return query.with_for_update() if writes else query


def is_there(url: str) -> bool:
    """Return whether SQLite's file exists, without creating it; a server is assumed to exist until it is connected
    to."""
    found = _url(url)
    return found.get_backend_name() != "sqlite" or Path(found.database or "").exists()


def _url(url: str) -> URL:
    parsed = _parse_address(url)
    backend = parsed.get_backend_name()
    if backend == "postgresql":
        if importlib.util.find_spec("psycopg") is None:
            raise MissingExtraError("PostgreSQL", "postgres")
        return parsed.set(drivername="postgresql+psycopg")
    if backend != "sqlite":
        raise SettingsError(f"database {backend!r} is not supported (expected sqlite or postgresql)")
    if not parsed.database or parsed.database == ":memory:":
        raise SettingsError("a database in memory would be gone with its connection (expected sqlite:///file)")
    return parsed


def _parse_address(url: str) -> URL:
    wrong = SettingsError(
        "the database URL is not valid (expected sqlite:///file or postgresql://user:password@host/name;"
        " in a password, write @ as %40)"
    )
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):  # ValueError: the port is not a number
        raise wrong from None
    # If a password contains an unescaped @, its end would be parsed as the host and shown.
    if "@" in (parsed.host or ""):
        raise wrong
    return parsed


def _engine(url: URL) -> Engine:
    if url.get_backend_name() != "sqlite":
        # The time zone is UTC, so that days are UTC days. A process that is suspended in a transaction must not block
        # others. JIT compilation does not pay off for our short statements. Sessions are read-only by default.
        settings = (
            f"-c timezone=UTC -c jit=off -c idle_in_transaction_session_timeout={FROZEN_TIMEOUT_MS}"
            " -c default_transaction_read_only=on"
        )
        options = {"options": settings}
        engine = create_engine(url, pool_size=10, max_overflow=20, connect_args=options)
        _asking_after_a_rest(engine)
        event.listen(engine, "connect", lambda connection, _record: send_word_vectors(connection))
        return engine
    file, timeout = Path(url.database or ""), BUSY_TIMEOUT_MS / 1000
    _make_folder(file.parent)
    if is_read_only(file):
        engine = create_engine(url, creator=partial(connect_read_only, file, timeout))
    else:
        engine = create_engine(url, connect_args={"timeout": timeout, "check_same_thread": False})
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _asking_after_a_rest(engine: Engine) -> None:
    """Test only connections that were idle for long before they are used; a test before every use would take too
    long."""

    def lie_down(_connection: object, record: ConnectionPoolEntry) -> None:
        record.info[_RESTING_SINCE] = time.monotonic()

    def get_up(connection: DBAPIConnection, record: ConnectionPoolEntry, _proxy: object) -> None:
        now = time.monotonic()
        if now - record.info.get(_RESTING_SINCE, now) < REST_SECONDS:
            return
        try:
            engine.dialect.do_ping(connection)
        except engine.dialect.loaded_dbapi.Error as error:
            raise InvalidatePoolError(str(error)) from error

    event.listen(engine, "checkin", lie_down)
    event.listen(engine, "checkout", get_up)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        file = next((place for place in (folder, *folder.parents) if place.is_file()), folder)
        raise StorageError(f"{file} is a file: WEBSTRATA_DATA_DIR must be a folder") from None
    except OSError as error:
        if error.errno in WRITE_REFUSALS:
            raise ReadOnlyArchiveError(folder.absolute()) from error
        raise StorageError(f"{folder}: {error.strerror}") from error


def _may_write(folder: Path) -> bool:
    return os.access(folder, os.W_OK | os.X_OK)


def _damage(error: DBAPIError) -> str:
    """Return the message for a SQLite file that is not a database, or is damaged; empty for any other error."""
    words = {sqlite3.SQLITE_NOTADB: "is not a SQLite database", sqlite3.SQLITE_CORRUPT: "is damaged"}
    found = words.get(getattr(error.orig, "sqlite_errorcode", 0))
    return f" {found}: move it away, and `webstrata rebuild` makes it again from the WARC files" if found else ""


def _prepare_sqlite(connection: sqlite3.Connection, _record: object) -> None:
    """Set the options that SQLite does not store, and control its transactions ourselves."""
    connection.isolation_level = None
    for pragma in _SQLITE_PRAGMAS:
        connection.execute(pragma)
    connection.execute(_SQLITE_WORD_PLACES)


def _begin_sqlite(connection: Connection) -> None:
    """Take the write lock at the start, as upgrading a read lock later could fail."""
    writing = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")


def _first_line(error: DBAPIError) -> str:
    return str(error.orig).strip().splitlines()[0] if str(error.orig).strip() else type(error.orig).__name__
