"""An archive with one job, on each database."""

from pathlib import Path

import pytest

from tests.crawl.runs import Archive, new_archive
from webstrata.db.engine import Database


@pytest.fixture
def archive(database: Database, tmp_path: Path) -> Archive:
    return new_archive(database, tmp_path / "archive")


@pytest.fixture
def sqlite_archive(sqlite_url: str, tmp_path: Path) -> Archive:
    """Where the kind of database does not matter."""
    return new_archive(Database(sqlite_url), tmp_path / "archive")
