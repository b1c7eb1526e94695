"""The databases that Webstrata works with: a test that takes one of these fixtures runs once on each."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from webstrata.db.engine import Database


@pytest.fixture(params=["sqlite", "postgresql"])
def database_kind(request: pytest.FixtureRequest) -> str:
    """Which database a test runs on."""
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


@pytest.fixture
def sqlite_url(sqlite_template: Path, tmp_path: Path) -> str:
    """The address of a migrated SQLite file."""
    file = tmp_path / "webstrata.db"
    shutil.copyfile(sqlite_template, file)
    return f"sqlite:///{file}"


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated SQLite file that others are copied from."""
    from webstrata.db.engine import Database
    from webstrata.db.migrate import upgrade

    file = tmp_path_factory.mktemp("sqlite") / "template.db"
    database = Database(f"sqlite:///{file}")
    upgrade(database)
    database.dispose()
    return file
