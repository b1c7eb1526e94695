"""An archive with one job, on each database."""

from pathlib import Path

import pytest

from tests.crawl.runs import Archive, new_archive
from webstrata.db.engine import Database


@pytest.fixture
def archive(database: Database, tmp_path: Path) -> Archive:
    return new_archive(database, tmp_path / "archive")
