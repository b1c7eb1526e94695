"""The databases that Webstrata works with: a test that takes one of these fixtures runs once on each."""

import hashlib
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from webstrata.db.engine import Database

SCHEMA = Path(__file__).parents[2] / "src" / "webstrata" / "db"

FreshDatabase = Callable[[], AbstractContextManager[str]]


@pytest.fixture(scope="session", params=["sqlite", "postgresql"])
def database_kind(request: pytest.FixtureRequest) -> str:
    """Which database a test runs on: the one parameter behind all that follows.

    It lives as long as the run, so that an archive which many tests only read can be made once on each database.
    """
    return str(request.param)


@pytest.fixture
def empty_database_url(database_kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a database with nothing in it, not even a schema."""
    if database_kind == "postgresql":
        return str(request.getfixturevalue("empty_postgres_url"))
    return f"sqlite:///{tmp_path / 'webstrata.db'}"


@pytest.fixture
def database_url(database_kind: str, request: pytest.FixtureRequest) -> str:
    """The address of a migrated database with no rows in it."""
    return str(request.getfixturevalue("postgres_url" if database_kind == "postgresql" else "sqlite_url"))


@pytest.fixture
def database(database_url: str) -> Iterator["Database"]:
    """A migrated database with no rows in it."""
    from webstrata.db.engine import Database

    opened = Database(database_url)
    yield opened
    opened.dispose()


@pytest.fixture(scope="session")
def fresh_database_url(
    database_kind: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> FreshDatabase:
    """Makes migrated databases for fixtures that live longer than one test."""
    if database_kind == "postgresql":
        lent: FreshDatabase = request.getfixturevalue("postgres_clones").lent
        return lent
    template: Path = request.getfixturevalue("sqlite_template")
    return lambda: _copied(template, tmp_path_factory.mktemp("database"))


@pytest.fixture
def sqlite_url(sqlite_template: Path, tmp_path: Path) -> Iterator[str]:
    """The address of a migrated SQLite file."""
    with _copied(sqlite_template, tmp_path) as url:
        yield url


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated SQLite file that others are copied from."""
    from webstrata.db.engine import Database
    from webstrata.db.migrate import upgrade

    refuse_a_changed_schema()
    file = tmp_path_factory.mktemp("sqlite") / "template.db"
    database = Database(f"sqlite:///{file}")
    upgrade(database)
    database.dispose()
    return file


def refuse_a_changed_schema() -> None:
    """Fail, saying so, if the schema was edited since the run began.

    Each database's template is migrated when it is first asked for, by the files as they are then; the tables are those
    that were loaded before. A difference between them would look like a fault of the one database.
    """
    if _digest_of_schema() != _AT_FIRST:
        pytest.fail(f"{SCHEMA} was edited while the tests ran: run them again", pytrace=False)


def _digest_of_schema() -> bytes:
    files = [*sorted((SCHEMA / "schema").glob("*.py")), *sorted((SCHEMA / "migrations" / "versions").glob("*.py"))]
    return hashlib.sha256(b"".join(file.name.encode() + file.read_bytes() for file in files)).digest()


_AT_FIRST = _digest_of_schema()


@contextmanager
def _copied(template: Path, folder: Path) -> Iterator[str]:
    file = folder / "webstrata.db"
    shutil.copyfile(template, file)
    yield f"sqlite:///{file}"
