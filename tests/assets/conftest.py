from pathlib import Path

import pytest

from tests.assets.archives import Archive
from webstrata.db.engine import Database


@pytest.fixture
def archive(database: Database, tmp_path: Path) -> Archive:
    """An empty archive, on each database."""
    return Archive(database, tmp_path / "archive")
